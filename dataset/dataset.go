package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Dataset is a labelled data set with its official split.
type Dataset struct {
	Name    string
	Classes []string // names, by class number
	Train   Split
	Test    Split
	Files   []File // what it was read from
}

// Split is a sequence of examples with their labels.
type Split struct {
	X      []byte // examples one after the other
	Shape  []int  // of one example, so that len(X) = Len() x its product
	Labels []int  // class numbers, in [0, len(Classes))
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
	read   func(dir string) (*Dataset, error)
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
// It is an error if the name is unknown, if no place has the files, or if one
// of them is missing or damaged.
func Open(name string, opt Options) (*Dataset, error) {
	f, ok := formats[name]
	if !ok {
		return nil, fmt.Errorf("dataset: unknown data set %q%s (known: %s)", name, suggest(name), strings.Join(Names(), ", "))
	}
	var searched []string
	for _, place := range places(opt.Root) {
		searched = append(searched, place.String())
		for _, dir := range []string{filepath.Join(place.dir, name), place.dir} {
			if !slices.ContainsFunc(f.files, func(file string) bool { return existing(dir, file) != "" }) {
				continue
			}
			d, err := f.read(dir)
			if err != nil {
				return nil, fmt.Errorf("dataset: %s: %w", name, err)
			}
			d.Name = name
			return d, nil
		}
	}
	return nil, fmt.Errorf("dataset: %s not found; looked in %s, and in a folder %q of each: get %s from %s "+
		"and put them into one of these folders, or name theirs with --data",
		name, strings.Join(searched, ", "), name, strings.Join(gz(f.files), ", "), f.source)
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

// existing returns the path of a file in dir, packed or not, or "" where there
// is neither.
func existing(dir, file string) string {
	for _, name := range []string{file + ".gz", file} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
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

// load reads a file of dir whole, packed or not, and returns it as it lies on
// disk with its path and hash.
func load(dir, file string) ([]byte, File, error) {
	path := existing(dir, file)
	if path == "" {
		return nil, File{}, fmt.Errorf("%s: %w (nor without .gz), though other files of the set are there: the download is incomplete",
			filepath.Join(dir, file+".gz"), os.ErrNotExist)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, File{}, err
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
