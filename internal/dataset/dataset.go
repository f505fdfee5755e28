package dataset

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"strconv"
)

// Dataset is a labelled data set with its official split.
type Dataset struct {
	Name    string
	Classes []string // names, by class number
	Train   Split
	Test    Split
	Files   []File // the files it was read from

	// Groups is the super-class of each class, and GroupNames their names, if the data set has them
	// (CIFAR-100).
	Groups     []int
	GroupNames []string

	// Validation is a validation set with true labels, if the data set has one (Clothing1M). Pairs is the
	// true and given labels of training examples with both, if the data set comes with noisy labels; else
	// nil.
	Validation Split
	Pairs      [][2]int

	// Words is the words of text by token, with names such as "<padding>" for tokens that are not words.
	Words []string

	// Ranked is all words in the training texts of own data, most frequent first. It includes rare words,
	// which become the unknown token.
	Ranked []string

	// Columns are the names of the features of own data in a table.
	Columns []string

	// Variant is the name of a copy that was read instead of the official files, such as "JPEG copy", for
	// tables and figures. It is "" for the official files and for own data.
	Variant string

	// Skipped are the files and the examples without a label that were left out, with reasons; see
	// Options.MaxBad.
	Skipped []Skipped
}

// Split is a sequence of examples with their labels. The examples are bytes (X), tokens of text
// (Tokens), numbers (Features or Halves) or, if they are too large for memory, read by Images.
type Split struct {
	X      []byte  // examples one after the other, so that len(X) = Len() x the product of Shape
	Tokens []int32 // the same for text
	Images Images
	Shape  []int // of one example: [784], [3 32 32] with a plane for each channel, [400]
	Labels []int // class numbers, in [0, len(Classes))

	// Features are examples of numbers, in place of X. Halves are the same as the bits of float16, for
	// files of that type.
	Features []float32
	Halves   []uint16

	// Texts are examples as plain text, in place of Tokens. Sparse are examples of numbers that are
	// mostly zeros, in place of Features.
	Texts  []string
	Sparse *Sparse

	// WordSums are hashes of all words in own texts; Tokens has only the last and most frequent ones.
	WordSums [][16]byte

	// Only for a user's own data; each may be nil.
	IDs     []string // unique names of the examples
	Group   []int32  // numbers of the examples' groups
	Truth   []int    // true classes, -1 if unknown
	Trusted []bool   // the given label is known to be right
}

// Images reads examples as they are needed.
type Images interface {
	// Batches yields the bytes of the examples rows, in that order, size examples at
	// a time and fewer in the last batch. One worker per core decodes a few batches
	// ahead. The bytes are valid until the next iteration. Leaving the loop stops the
	// workers before it returns.
	//
	// A missing or broken image becomes a grey one, so that examples keep their places, and is listed by
	// Bad. It is an error if there are more than Options.MaxBad of them in all splits. The loop ends at
	// the first error.
	Batches(rows []int64, size int) iter.Seq2[[]byte, error]

	// Bad returns the missing and broken images of this split found so far, sorted by name.
	Bad() []Skipped
}

// TakeContent takes over the content and the shape of another split's examples.
func (s *Split) TakeContent(from Split) {
	s.X, s.Tokens, s.Images, s.Shape = from.X, from.Tokens, from.Images, from.Shape
	s.Features, s.Halves, s.Texts, s.Sparse = from.Features, from.Halves, from.Texts, from.Sparse
}

// Forget releases the content of the examples from memory. Their names and labels stay.
func (d *Dataset) Forget() {
	for _, s := range d.Splits() {
		s.TakeContent(Split{Images: s.Images, Shape: s.Shape})
	}
}

// Len returns the number of examples.
func (s Split) Len() int { return len(s.Labels) }

// ID returns the name of example k, or its number from 0 if the data has no names.
func (s Split) ID(k int) string {
	if s.IDs == nil {
		return strconv.Itoa(k)
	}
	return s.IDs[k]
}

// Example returns the bytes of example k, not a copy. Panics if k is out of range or
// X is nil.
func (s Split) Example(k int) []byte {
	size := s.Size()
	return s.X[k*size : (k+1)*size : (k+1)*size]
}

// Size returns the number of elements of an example.
func (s Split) Size() int {
	size := 1
	for _, d := range s.Shape {
		size *= d
	}
	return size
}

// Counts returns the number of examples of each class.
func (s Split) Counts(classes int) []int {
	counts := make([]int, classes)
	for _, y := range s.Labels {
		counts[y]++
	}
	return counts
}

// File is a file or folder that was read. The hash of a folder is over the names and contents of its
// files.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// FileOf returns a file with its content's hash.
func FileOf(path string, content []byte) File {
	return File{Path: path, SHA256: fmt.Sprintf("%x", sha256.Sum256(content))}
}

// Options sets where to look and how to read. The zero value looks in the usual places and allows no
// bad file.
type Options struct {
	// Root is searched first: a folder with the data set's files, or with a subfolder named after the
	// data set.
	Root string

	// MaxBad is the largest number of broken images to leave out (or to replace by grey ones in a split
	// with Images), and of own examples without a label.
	MaxBad int

	// InMemory is the largest number of bytes of own images to hold in memory; larger sets are read from
	// their folder as needed. 0 means 4 GiB on every machine, so that a source is read the same way
	// everywhere.
	InMemory int

	// Offline forbids downloads.
	Offline bool

	// Progress, if not nil, is called with the progress of a download or a long read, from several
	// goroutines but one at a time. It is not called if the data comes from a cache.
	Progress func(what string, done, total int)
}

// Pick returns the values at rows, or nil if values is nil.
func Pick[T any](values []T, rows []int) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, len(rows))
	for k, row := range rows {
		picked[k] = values[row]
	}
	return picked
}

// Splits returns the training, validation and test set; some may be empty.
func (d *Dataset) Splits() []*Split { return []*Split{&d.Train, &d.Validation, &d.Test} }

// OwnName is the name of a user's own data.
const OwnName = "own"

// Kind is the kind of an example.
type Kind int

// The kinds of examples.
const (
	Vector Kind = iota + 1 // [D], without channels: bytes or numbers
	Image                  // bytes [C H W]
	Text                   // tokens
)

// String returns the kind's name.
func (k Kind) String() string { return [...]string{"unknown", "numbers", "images", "text"}[k] }

// Sparse is examples of numbers that are mostly zeros. The nonzero numbers of row i are
// Values[Starts[i]:Starts[i+1]], in the columns at the same places of Columns.
type Sparse struct {
	Starts  []int32
	Columns []int32
	Values  []float32
}

// Rows returns the number of examples.
func (s *Sparse) Rows() int { return len(s.Starts) - 1 }
