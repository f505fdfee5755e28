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
	"strings"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/table"
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

	SHA256  string // of the file of the weights
	Size    int64  // of the file, in bytes
	Package string // the Python package that holds the file, as pip takes it; "" where there is none
	Member  string // the file's path in the package

	// Of images: pixels x become (x - Shift) / Scale. Small is the side to which images are brought
	// that are smaller than that themselves, Side that of all others.
	Shift, Scale float64
	Small, Side  int

	// Load returns the network with the weights of a file.
	Load func(path string, init nn.Init) (nn.Module, error)
}

// String returns the encoder's name.
func (e Entry) String() string { return e.Name }

// All is the table of encoders. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{efficientNetLite2Entry}

// ErrMissing says that the weights of an encoder are not there.
var ErrMissing = errors.New("its weights are not there")

// Path returns the file of the encoder's weights. The error wraps ErrMissing where it is not there,
// or is another file than it was.
func (e Entry) Path() (string, error) {
	path, err := e.place()
	if err != nil {
		return "", err
	}
	sum, err := files.SHA256(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("encoder %s: %w: losscorr encoders get %s", e.Name, ErrMissing, e.Name)
	case err != nil:
		return "", err
	case sum != e.SHA256:
		return "", fmt.Errorf("encoder %s: %w: %s was changed; remove it, and losscorr encoders get %s", e.Name, ErrMissing, path, e.Name)
	}
	return path, nil
}

// place is where the weights are kept.
func (e Entry) place() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "losscorr", "encoders", e.Name+"-"+e.SHA256[:12]+filepath.Ext(e.Member)), nil
}

// Add copies a file of the encoder's weights to their place. It is an error if it is another file.
func (e Entry) Add(file string) (path string, err error) {
	sum, err := files.SHA256(file)
	if err != nil {
		return "", err
	}
	if sum != e.SHA256 {
		return "", fmt.Errorf("%s has the SHA-256 %s, the weights of %s have %s", file, sum, e.Name, e.SHA256)
	}
	if path, err = e.place(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	from, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer from.Close()
	part, err := os.CreateTemp(filepath.Dir(path), "partial-")
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name())
	_, err = io.Copy(part, from)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("write the weights of %s: %w", e.Name, err)
	}
	return e.Path()
}

// Get returns the file of the weights, which it fetches with pip if they are not there. It tells log
// what it does.
func (e Entry) Get(ctx context.Context, log io.Writer) (string, error) {
	path, err := e.Path()
	if !errors.Is(err, ErrMissing) {
		return path, err
	}
	if e.Package == "" {
		return "", fmt.Errorf("encoder %s: fetch its weights from %s, and losscorr encoders add %s FILE", e.Name, e.Source, e.Name)
	}
	fmt.Fprintf(log, "fetching the encoder %s with pip: %s, %s, once\n", e.Name, e.Megabytes(), e.Licence)
	work, err := os.MkdirTemp("", "losscorr-encoder-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	file, err := fetch(ctx, e, work, log)
	if err != nil {
		return "", fmt.Errorf("fetch the encoder %s: %w", e.Name, err)
	}
	return e.Add(file)
}

// Megabytes is the size of the file, for people.
func (e Entry) Megabytes() string { return fmt.Sprintf("%d MB", (e.Size+500_000)/1_000_000) }

// Base is the name of the file of weights, by which people find it.
func (e Entry) Base() string { return e.Member[strings.LastIndexByte(e.Member, '/')+1:] }
