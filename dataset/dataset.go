package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/data"
	"github.com/xrash/smetrics"
)

// Dataset is a labelled data set with its official split.
type Dataset struct {
	Name    string
	Classes []string // names, by class number
	Train   Split
	Test    Split
	Files   []File // what it was read from

	// Of some data sets only.
	Groups     []int    // super-class of each class
	GroupNames []string // by super-class number
	Validation Split    // with true labels
	Pairs      [][2]int // true and given label of training examples that have both
}

// Split is a sequence of examples with their labels. Examples are bytes, word
// numbers, or images in files, whichever is set.
type Split struct {
	X      []byte  // examples one after the other
	Tokens []int32 // word numbers, likewise
	Images Images  // of data that is too large for memory
	Shape  []int   // of one example, so that len(X) = Len() x its product
	Labels []int   // class numbers, in [0, len(Classes))
}

// Images reads examples as they are needed.
type Images interface {
	// Batches yields the bytes of the examples rows, in that order, size examples
	// at a time, decoded ahead by as many workers as there are cores. It ends at
	// the first error. Leaving the loop stops the workers.
	Batches(rows []int64, size int) iter.Seq2[[]byte, error]
}

// Len returns the number of examples.
func (s Split) Len() int { return len(s.Labels) }

// Example returns the bytes of example k, not a copy. Panics if k is out of
// range.
func (s Split) Example(k int) []byte {
	size := 1
	for _, d := range s.Shape {
		size *= d
	}
	return s.X[k*size : (k+1)*size : (k+1)*size]
}

// File is a file that was read, as it lies on disk.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// Options says where to look. The zero value looks in the usual places.
type Options struct {
	// Root is a folder that holds the data set's files, or a folder of its
	// name with them; it is searched first.
	Root string
}

// format is how a data set is found and read.
type format struct {
	files  []string // without .gz; any one of them marks a folder as holding the set
	source string   // where the files are to be had
	read   func(dir folder) (*Dataset, error)
}

var formats = map[string]format{
	"mnist": mnist,
}

// Names returns the names that Open knows, sorted.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

// Open finds and reads a data set. In each place, the folder of the data set's
// name comes before the place itself, and the first folder that holds any of
// its files is taken.
//
// A small data set travels inside the program and is taken where no place has
// it.
//
// It is an error if the name is unknown, if Root is no folder, if no place has
// the files, or if one of them is missing or damaged.
func Open(name string, opt Options) (*Dataset, error) {
	f, ok := formats[name]
	if !ok {
		return nil, fmt.Errorf("dataset: unknown data set %q%s (known: %s)", name, suggest(name), strings.Join(Names(), ", "))
	}
	if opt.Root != "" {
		if info, err := os.Stat(opt.Root); err != nil {
			return nil, fmt.Errorf("dataset: %s: the folder of the data sets: %w", name, err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("dataset: %s: %s is not a folder of data sets", name, opt.Root)
		}
	}
	var searched []string
	for _, place := range places(opt.Root) {
		searched = append(searched, place.String())
		for _, path := range []string{filepath.Join(place.dir, name), place.dir} {
			if dir := (folder{os.DirFS(path), path}); f.in(dir) {
				return f.open(name, dir)
			}
		}
	}
	if inside, err := fs.Sub(data.Files, name); err == nil {
		if dir := (folder{inside, "inside the program"}); f.in(dir) {
			return f.open(name, dir)
		}
	}
	return nil, fmt.Errorf("dataset: %s not found; looked in %s, and in a folder %q of each: get %s from %s "+
		"and put them into one of these folders, or name theirs with --data",
		name, strings.Join(searched, ", "), name, strings.Join(gz(f.files), ", "), f.source)
}

// in reports whether a folder holds any of the files.
func (f format) in(dir folder) bool {
	return slices.ContainsFunc(f.files, func(file string) bool { return dir.existing(file) != "" })
}

func (f format) open(name string, dir folder) (*Dataset, error) {
	d, err := f.read(dir)
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", name, err)
	}
	d.Name = name
	return d, nil
}

// place is a folder to search, and why.
type place struct{ dir, why string }

func (p place) String() string { return fmt.Sprintf("%s (%s)", p.dir, p.why) }

func places(root string) []place {
	var list []place
	if root != "" {
		list = append(list, place{root, "as given"})
	}
	if dir := os.Getenv("LOSSCORR_DATA"); dir != "" && dir != root {
		list = append(list, place{dir, "$LOSSCORR_DATA"})
	}
	list = append(list, place{"data", "working folder"})
	if dir, err := os.UserCacheDir(); err == nil {
		list = append(list, place{filepath.Join(dir, "losscorr", "data"), "cache"})
	}
	return list
}

// folder holds files of a data set, on disk or inside the program.
type folder struct {
	fs   fs.FS
	name string // for people
}

func (d folder) path(file string) string { return filepath.Join(d.name, file) }

// existing returns the name of a file in the folder, packed or not, or "" where
// there is neither.
func (d folder) existing(file string) string {
	for _, name := range []string{file + ".gz", file} {
		if info, err := fs.Stat(d.fs, name); err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}

func gz(files []string) []string {
	packed := make([]string, len(files))
	for i, f := range files {
		packed[i] = f + ".gz"
	}
	return packed
}

// load reads a file whole, packed or not, and returns it as it lies on
// disk with its path and hash.
func (d folder) load(file string) ([]byte, File, error) {
	name := d.existing(file)
	if name == "" {
		return nil, File{}, fmt.Errorf("%s: %w (nor without .gz), though other files of the set are there: the download is incomplete",
			d.path(file+".gz"), os.ErrNotExist)
	}
	path := d.path(name)
	raw, err := fs.ReadFile(d.fs, name)
	if err != nil {
		return nil, File{}, fmt.Errorf("read %s: %w", path, err)
	}
	if len(raw) == 0 {
		return nil, File{}, fmt.Errorf("%s: %w", path, errors.New("empty file: the download is incomplete"))
	}
	sum := sha256.Sum256(raw)
	return raw, File{Path: path, SHA256: hex.EncodeToString(sum[:])}, nil
}

// suggest returns ", did you mean ...?" for a near miss, else "".
func suggest(name string) string {
	best, distance := "", 3 // two slips at most
	for _, known := range Names() {
		if d := smetrics.WagnerFischer(normal(name), normal(known), 1, 1, 1); d < distance {
			best, distance = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// normal drops case and what people put between words: CIFAR-10, cifar_10.
func normal(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}
