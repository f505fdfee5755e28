package published

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/data"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
)

// layout is one way to store a data set on disk.
type layout struct {
	marks []mark // any of them shows that the data set is here
	read  func(s archive.Container, opt dataset.Options) (*dataset.Dataset, error)
	// readFiles replaces read for a set of single files, which may be inside the program.
	readFiles func(dir folder) (*dataset.Dataset, error)
}

// mark is a file or folder that identifies a layout.
type mark struct {
	at   string
	from string // what to read, if not the mark itself
}

// ErrNotFound is wrapped by Open's error if the data set is in none of the searched places.
var ErrNotFound = errors.New("not found")

// Open finds and reads a data set. In each place, official files come before copies in another format, and the
// folder named after the data set (clothing1m for both of its kinds) before the place itself.
//
// If it is in none of the places, it comes from the program itself (MNIST), or is downloaded into the user's
// cache folder, unless Options.Offline is set or $LOSSCORR_OFFLINE is 1 or true. An interrupted download is
// resumed. Data that is slow to unpack or decode is cached in that folder as well.
//
// It is an error if the name is unknown, if Root is not a folder, if the files cannot be found or downloaded
// (ErrNotFound), or if one of them is missing or damaged.
func Open(name string, opt dataset.Options) (*dataset.Dataset, error) {
	return OpenContext(context.Background(), name, opt)
}

// OpenContext is Open with a download that stops when ctx ends. Then the error wraps ctx's, and the next call
// resumes the download.
func OpenContext(ctx context.Context, name string, opt dataset.Options) (*dataset.Dataset, error) {
	if !All.Has(name) {
		return nil, fmt.Errorf("dataset: unknown data set %q (known: %s)", name, strings.Join(All.Names(), ", "))
	}
	e := All.Named(name)
	if e.folder == "" {
		e.folder = name
	}
	if opt.Root != "" {
		if info, err := os.Stat(opt.Root); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("dataset: %s: --data %s: no such folder (%w)", name, opt.Root, fs.ErrNotExist)
		} else if err != nil {
			return nil, fmt.Errorf("dataset: %s: cannot read the folder of data sets (--data): %w", name, err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("dataset: %s: %s is not a folder of data sets", name, opt.Root)
		}
	}
	d, searched, err := e.find(opt)
	if err == nil && d == nil {
		d, err = e.download(ctx, searched, opt)
	}
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("dataset: %s %w", name, err)
	}
	if errors.Is(err, archive.ErrDamaged) || errors.Is(err, errIncomplete) {
		err = fmt.Errorf("%w%s", err, e.whole(name))
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", name, err)
	}
	d.Name = name
	return d, nil
}

// whole describes where to get intact files. The program downloads nothing while a file exists, and the
// damaged file may belong to a copy that it cannot download.
func (e Entry) whole(name string) string {
	if e.remote.Address != "" {
		return fmt.Sprintf(" (once it is deleted, the next run downloads %s, unless --offline)", e.files[0])
	}
	return fmt.Sprintf("; the files of %s are at %s", name, e.source)
}

// find reads the first layout that it finds, or returns nil and the searched places.
func (e Entry) find(opt dataset.Options) (d *dataset.Dataset, searched []string, err error) {
	for _, place := range places(opt.Root) {
		searched = append(searched, place.String())
		for _, l := range e.layouts {
			for _, path := range []string{filepath.Join(place.dir, e.folder), place.dir} {
				if d, err = l.open(folder{os.DirFS(path), path}, opt); d != nil || err != nil {
					return d, searched, err
				}
			}
		}
	}
	if inside, err := fs.Sub(data.Files, e.folder); err == nil {
		for _, l := range e.layouts {
			if d, err := l.open(folder{inside, "inside the program"}, opt); d != nil || err != nil {
				return d, searched, err
			}
		}
	}
	return nil, searched, nil
}

// open reads the folder if it has one of the marks, else it returns nil.
func (l layout) open(dir folder, opt dataset.Options) (*dataset.Dataset, error) {
	for _, m := range l.marks {
		if _, err := fs.Stat(dir.fs, m.at); err != nil {
			continue
		}
		if l.readFiles != nil {
			return l.readFiles(dir)
		}
		if m.from == "" {
			m.from = m.at
		}
		s, err := archive.Open(dir.path(m.from))
		if err != nil {
			return nil, err
		}
		return l.read(s, opt)
	}
	return nil, nil
}

// place is a folder to search, and why.
type place struct{ dir, why string }

func (p place) String() string { return fmt.Sprintf("%s (%s)", p.dir, p.why) }

// cacheFolder returns the folder for downloads.
func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "losscorr", "data"), err
}

func places(root string) []place {
	var list []place
	if root != "" {
		list = append(list, place{root, "as given"})
	}
	if dir := os.Getenv("LOSSCORR_DATA"); dir != "" && dir != root {
		list = append(list, place{dir, "$LOSSCORR_DATA"})
	}
	list = append(list, place{"data", "working folder"})
	if dir, err := cacheFolder(); err == nil {
		list = append(list, place{dir, "cache"})
	}
	return list
}
