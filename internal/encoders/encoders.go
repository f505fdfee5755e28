// Package encoders holds pretrained networks whose features others learn from: what they are, and
// the folder in the user's cache where their weights are kept. A file of weights is known by its
// SHA-256, so that one that was changed is not used.
package encoders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/wordpiece"
	"github.com/losscorr/losscorr/torch/nn"
)

// Entry describes an encoder to the rest of the program. It is a line in the table All.
type Entry struct {
	Name     string
	Title    string
	Data     dataset.Kind // what it maps to features
	Features int          // how many
	Licence  string
	Source   string // of the weights, for people

	File              // of the weights
	Vocabulary File   // of the tokens of texts; the zero value for images
	Package    string // the Python package that holds the files, as pip takes it; "" where no package has them

	Tokens int // of texts: how many of a text's tokens are read, the first ones

	// Of images: pixels x become (x - Shift) / Scale. Small is the side to which smaller images are brought,
	// Side that of all others.
	Shift, Scale float64
	Small, Side  int

	// Load returns the network with the weights of a file.
	Load func(path string, init nn.Init) (nn.Module, error)
}

// File is a file that an encoder is made of.
type File struct {
	SHA256  string
	Size    int64  // in bytes
	Member  string // its path in the Python package
	Address string // its official one; "" where only the package has it
}

// String returns the encoder's name.
func (e Entry) String() string { return e.Name }

// All is the table of encoders. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{efficientNetLite2Entry, miniLMEntry}

// ErrMissing says that the weights of an encoder are not there.
var ErrMissing = errors.New("its weights are not there")

// Path returns the file of the encoder's weights. The error wraps ErrMissing where a file of the
// encoder is not there, or is another one than it was.
func (e Entry) Path() (string, error) {
	path, _, err := e.Weights()
	return path, err
}

// Weights returns the file of the encoder's weights and its SHA-256, as Path does.
func (e Entry) Weights() (path, sum string, err error) {
	path, err = e.have(e.File)
	if err == nil && e.Vocabulary.SHA256 != "" {
		_, err = e.have(e.Vocabulary)
	}
	return path, e.SHA256, err
}

// Words returns the vocabulary of an encoder of texts.
func (e Entry) Words() (*wordpiece.Vocabulary, error) {
	path, err := e.WordsPath()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	words, err := wordpiece.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return words, nil
}

// WordsPath returns the file of the vocabulary.
func (e Entry) WordsPath() (string, error) { return e.have(e.Vocabulary) }

// have returns the place of a file that is there and whole.
func (e Entry) have(f File) (string, error) {
	path, err := e.place(f)
	if err != nil {
		return "", err
	}
	sum, err := files.SHA256(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("encoder %s: %w: losscorr encoders get %s", e.Name, ErrMissing, e.Name)
	case err != nil:
		return "", err
	case sum != f.SHA256:
		return "", fmt.Errorf("encoder %s: %w: %s was changed; remove it, and losscorr encoders get %s", e.Name, ErrMissing,
			path, e.Name)
	}
	return path, nil
}

// place is where a file is kept.
func (e Entry) place(f File) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "losscorr", "encoders", e.Name+"-"+f.SHA256[:12]+filepath.Ext(f.Member)), nil
}

// files lists the files of the encoder.
func (e Entry) files() []File {
	if e.Vocabulary.SHA256 == "" {
		return []File{e.File}
	}
	return []File{e.File, e.Vocabulary}
}

// Add copies the files of the encoder, in any order, to their place and returns that of the
// weights. It is an error if one is another file, or if one is missing then.
func (e Entry) Add(paths ...string) (string, error) {
	for _, path := range paths {
		sum, err := files.SHA256(path)
		if err != nil {
			return "", err
		}
		all := e.files()
		k := slices.IndexFunc(all, func(f File) bool { return f.SHA256 == sum })
		if k < 0 {
			return "", fmt.Errorf("%s has the SHA-256 %s, %s has %s", path, sum, e.Name, e.sums())
		}
		if err := e.keep(path, all[k]); err != nil {
			return "", fmt.Errorf("write the weights of %s: %w", e.Name, err)
		}
	}
	return e.Path()
}

// sums lists the files and their hashes, for people.
func (e Entry) sums() string {
	var all []string
	for _, f := range e.files() {
		all = append(all, f.SHA256+" of "+f.Base())
	}
	return strings.Join(all, " and ")
}

// keep copies a file to its place.
func (e Entry) keep(file string, f File) error {
	path, err := e.place(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	part, err := files.Create(path, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = part.Cleanup() }()
	if _, err := io.Copy(part, from); err != nil {
		return err
	}
	return part.CloseAtomicallyReplace()
}

// Get returns the file of the weights. What is not there it fetches from the official addresses, or
// else with pip. It tells log what it does.
func (e Entry) Get(ctx context.Context, log io.Writer) (string, error) {
	path, err := e.Path()
	if !errors.Is(err, ErrMissing) {
		return path, err
	}
	if e.Address != "" {
		err := e.download(ctx, log)
		if err == nil {
			return e.Path()
		}
		if ctx.Err() != nil || e.Package == "" {
			return "", fmt.Errorf("encoder %s: %w: losscorr encoders add %s FILE with %s from %s", e.Name, err, e.Name,
				e.bases(), e.Source)
		}
		fmt.Fprintf(log, "%v; trying pip\n", err)
	}
	fmt.Fprintf(log, "fetching the encoder %s with pip: %s, %s, once\n", e.Name, e.Megabytes(), e.Licence)
	work, err := os.MkdirTemp("", "losscorr-encoder-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	fetched, err := fetch(ctx, e, work, log)
	if err != nil {
		return "", fmt.Errorf("fetch the encoder %s: %w", e.Name, err)
	}
	return e.Add(fetched...)
}

// Megabytes is the size of the weights, for people.
func (e Entry) Megabytes() string { return fmt.Sprintf("%d MB", (e.Size+500_000)/1_000_000) }

// Base is the name of the file, by which people find it.
func (f File) Base() string { return f.Member[strings.LastIndexByte(f.Member, '/')+1:] }

// bases are the names of the files.
func (e Entry) bases() string {
	var all []string
	for _, f := range e.files() {
		all = append(all, f.Base())
	}
	return strings.Join(all, " and ")
}
