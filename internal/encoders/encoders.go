// Package encoders describes pretrained networks that compute features, and keeps their weights in
// the user's cache. It checks each file's SHA-256, so that changed weights are never used.
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
	Vocabulary File   // of the tokens of texts; zero for images
	Package    string // pip requirement of the Python package with the files, or ""

	Tokens int // for texts: largest number of tokens read from each

	// For images: pixels x become (x - Shift) / Scale. Images of a side of at most Small are scaled to
	// Small, others to Side.
	Shift, Scale float64
	Small, Side  int

	// Load returns the network with the weights of a file.
	Load func(path string, init nn.Init) (nn.Module, error)
}

// File is a file of an encoder.
type File struct {
	SHA256  string
	Size    int64  // in bytes
	Member  string // its path in the Python package
	Address string // official download address; "" if only the package has it
}

// String returns the encoder's name.
func (e Entry) String() string { return e.Name }

// All is the table of encoders. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{efficientNetLite2Entry, miniLMEntry}

// ErrMissing is the error for an encoder without its weights.
var ErrMissing = errors.New("its weights are missing")

// Path returns the path of the encoder's weights. The error wraps ErrMissing if a file of the
// encoder is missing or has changed.
func (e Entry) Path() (string, error) {
	path, _, err := e.Weights()
	return path, err
}

// Weights returns the path of the encoder's weights as Path does, and their SHA-256.
func (e Entry) Weights() (path, sum string, err error) {
	path, err = e.have(e.File)
	if err == nil && e.Vocabulary.SHA256 != "" {
		_, err = e.have(e.Vocabulary)
	}
	return path, e.SHA256, err
}

// Words returns the vocabulary of a text encoder.
func (e Entry) Words() (*wordpiece.Vocabulary, error) {
	path, err := e.have(e.Vocabulary)
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

// have returns the path of a file, after checking its hash.
func (e Entry) have(f File) (string, error) {
	path, err := e.place(f)
	if err != nil {
		return "", err
	}
	sum, err := files.SHA256(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("encoder %s: %w; run losscorr encoders get %s", e.Name, ErrMissing, e.Name)
	case err != nil:
		return "", err
	case sum != f.SHA256:
		return "", fmt.Errorf("encoder %s: %w: %s has changed; remove it and run losscorr encoders get %s", e.Name,
			ErrMissing, path, e.Name)
	}
	return path, nil
}

// place returns the path that a file is kept at.
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

// Add copies files of the encoder, in any order, to the cache and returns the path of the
// weights. It refuses other files, and fails if a file is still missing.
func (e Entry) Add(paths ...string) (string, error) {
	for _, path := range paths {
		sum, err := files.SHA256(path)
		if err != nil {
			return "", err
		}
		all := e.files()
		k := slices.IndexFunc(all, func(f File) bool { return f.SHA256 == sum })
		if k < 0 {
			return "", fmt.Errorf("%s with SHA-256 %s is not a file of %s", path, sum, e.Name)
		}
		if err := e.keep(path, all[k]); err != nil {
			return "", fmt.Errorf("write the weights of %s: %w", e.Name, err)
		}
	}
	return e.Path()
}

// keep copies a file to the cache.
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
	return files.WriteParts(path, 0o644, from)
}

// Get returns the path of the weights. It fetches missing files from their official addresses or, if
// that fails, with pip, and writes to log what it does.
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
			return "", fmt.Errorf("encoder %s: %w; run losscorr encoders add %s FILE with %s from %s", e.Name, err, e.Name,
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

// Megabytes returns the size of the weights, for people.
func (e Entry) Megabytes() string { return fmt.Sprintf("%d MB", (e.Size+500_000)/1_000_000) }

// Base returns the file name, for people to search.
func (f File) Base() string { return f.Member[strings.LastIndexByte(f.Member, '/')+1:] }

// bases lists the names of the files.
func (e Entry) bases() string {
	var all []string
	for _, f := range e.files() {
		all = append(all, f.Base())
	}
	return strings.Join(all, " and ")
}
