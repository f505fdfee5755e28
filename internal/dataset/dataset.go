package dataset

import (
	"iter"
	"strconv"
)

// Dataset is a labelled data set with its official split.
type Dataset struct {
	Name    string
	Classes []string // names, by class number
	Train   Split
	Test    Split
	Files   []File // from which it was read

	// Groups is the super-class of each class, and GroupNames the names of the
	// super-classes, if the data set has them (CIFAR-100).
	Groups     []int
	GroupNames []string

	// Validation is a validation set with true labels, if the data set has one
	// (Clothing1M). Pairs holds the true and the given label of the training examples
	// that have both, if the data set comes with noisy labels; nil otherwise.
	Validation Split
	Pairs      [][2]int

	// Words holds the words of text by token, with names such as "<padding>" for
	// tokens that are no words.
	Words []string

	// Ranked holds all words of the training texts of own data, the most frequent first:
	// those without an id of their own, too, which become the unknown word.
	Ranked []string

	// Columns are those of the features of own data in a table.
	Columns []string

	// Variant names a copy that was read instead of the official files, such as "JPEG
	// copy"; tables and figures show it. It is "" for the official files and for own
	// data.
	Variant string

	// Joined lists the classes of own data whose labels come in several forms of Unicode.
	Joined []string

	// Notes are findings on the folders and the rows of tables of own data, for people.
	Notes []string

	// Skipped lists the files and the examples without a label that were left out, with reasons; see
	// Options.MaxBad.
	Skipped []Skipped
}

// Split is a sequence of examples with their labels. The examples are bytes, X, or
// tokens of text, Tokens. If they are too large for memory, both are nil and Images
// reads them. Numbers are Features or Halves.
type Split struct {
	X      []byte  // examples one after the other, so that len(X) = Len() x the product of Shape
	Tokens []int32 // the same for text, whose X is nil
	Images Images
	Shape  []int // of one example: [784], [3 32 32] with a plane a channel, [400]
	Labels []int // class numbers, in [0, len(Classes))

	// Features are examples of numbers, in place of X. Halves are the same in the bits
	// of float16, for data whose file has that type.
	Features []float32
	Halves   []uint16

	// Texts are examples of text as they are written, in place of Tokens. Sparse are examples
	// of numbers that are mostly zeros, in place of Features.
	Texts  []string
	Sparse *Sparse

	// WordSums are hashes of all words of own texts; Tokens has only the last and the most frequent ones.
	WordSums [][16]byte

	// Of a user's own data, each nil if the data does not have it.
	IDs     []string // names of the examples, all different
	Group   []int32  // numbers of the groups that they belong to
	Truth   []int    // true classes, -1 where not known
	Trusted []bool   // whether the given label is known to be right
}

// Images reads examples as they are needed.
type Images interface {
	// Batches yields the bytes of the examples rows, in that order, size examples at
	// a time and fewer in the last batch. One worker per core decodes a few batches
	// ahead. The bytes are valid until the next iteration. Leaving the loop stops the
	// workers before it returns.
	//
	// An image that is missing or cannot be decoded is replaced by a grey one, so
	// that examples keep their places, and is listed by Bad. It is an error if there
	// are more of them, in all splits, than Options.MaxBad. The loop ends at the first error.
	Batches(rows []int64, size int) iter.Seq2[[]byte, error]

	// Bad returns the images of this split that were found so far to be missing or
	// impossible to decode, sorted by their names.
	Bad() []Skipped
}

// TakeContent takes the content and the shape of the examples of another split.
func (s *Split) TakeContent(from Split) {
	s.X, s.Tokens, s.Images, s.Shape = from.X, from.Tokens, from.Images, from.Shape
	s.Features, s.Halves, s.Texts, s.Sparse = from.Features, from.Halves, from.Texts, from.Sparse
}

// Forget releases the content of the examples in memory. Their names and labels stay.
func (d *Dataset) Forget() {
	for _, s := range d.Splits() {
		s.TakeContent(Split{Images: s.Images, Shape: s.Shape})
	}
}

// Len returns the number of examples.
func (s Split) Len() int { return len(s.Labels) }

// ID returns the name of example k: its number, from 0, where the data gives none.
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

// File is a file on disk that was read, or a folder of files, whose hash is over their
// names and contents.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// Options says where to look and how to read. The zero value looks in the usual
// places and takes no bad file.
type Options struct {
	// Root is a folder that holds the data set's files, or a subfolder of its name
	// with them; it is searched first.
	Root string

	// MaxBad is how many images may be left out because they cannot be decoded, or
	// be replaced by grey ones in a split with Images, and how many examples of own data
	// because they have no label.
	MaxBad int

	// InMemory is how many bytes of pixels of own images are held in memory; more of them
	// are read as they are needed, from their folder. 0 is 4 GiB, on every machine, so that
	// a source is read in the same way everywhere.
	InMemory int

	// Offline forbids downloads.
	Offline bool

	// Progress, if not nil, is called with the progress of a download or a long
	// reading, from several goroutines, one at a time. It is not called if the data
	// comes from a cache.
	Progress func(what string, done, total int)
}

// Pick returns the values at rows, nil if there are no values.
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

// Splits returns the training, validation and test set, some of which may be empty.
func (d *Dataset) Splits() []*Split { return []*Split{&d.Train, &d.Validation, &d.Test} }

// OwnName is the name of a user's own data.
const OwnName = "own"
