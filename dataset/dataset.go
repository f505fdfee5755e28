package dataset

import (
	"iter"
	"slices"
)

// Dataset is a labelled data set with its official split.
type Dataset struct {
	Name    string
	Classes []string // names, by class number
	Train   Split
	Test    Split
	Files   []File // what it was read from

	// Groups is the super-class of each class and GroupNames the names of the
	// super-classes, where the data set has such (CIFAR-100).
	Groups     []int
	GroupNames []string

	// Validation is a validation set with true labels, where the data set has one
	// (Clothing1M). Pairs are the true and the given label of training examples that
	// have both, where the data set comes with wrong labels; nil where it does not.
	Validation Split
	Pairs      [][2]int

	// Words are the words of text by token, with the likes of "<padding>" for
	// tokens that stand for no word.
	Words []string

	// Variant says what was read instead of the official files, such as "JPEG
	// copy", for figures made from it to say so as well. It is "" for the
	// official files and for one's own.
	Variant string

	// Skipped are the files that were left out, and why: Options.MaxBad.
	Skipped []string
}

// Split is a sequence of examples with their labels. The examples are bytes or,
// of text, tokens; Images where they are too large for memory, and X is nil.
type Split struct {
	X      []byte  // examples one after the other, so that len(X) = Len() x the product of Shape
	Tokens []int32 // the same for text, whose X is nil
	Images Images
	Shape  []int // of one example: [784], [3 32 32] with a plane a channel, [400]
	Labels []int // class numbers, in [0, len(Classes))
}

// Images reads examples as they are needed.
type Images interface {
	// Batches yields the bytes of the examples rows, in that order, size examples
	// at a time and fewer in the last batch, decoded a few batches ahead by as
	// many workers as there are cores. The bytes are the caller's until the next
	// turn of the loop. Leaving the loop stops the workers before it returns.
	//
	// An image that is missing or does not decode is a grey one instead, so that
	// examples stay at their places, and is named by Bad; it is an error once
	// there are more of them than Options.MaxBad. The loop ends at the first error.
	Batches(rows []int64, size int) iter.Seq2[[]byte, error]

	// Bad returns the images of the data set, of all its splits, that were found
	// to be missing or not to decode so far, each with the reason, sorted.
	Bad() []string
}

// Len returns the number of examples.
func (s Split) Len() int { return len(s.Labels) }

// Example returns the bytes of example k, not a copy. Panics if k is out of
// range or the examples are tokens.
func (s Split) Example(k int) []byte {
	size := s.size()
	return s.X[k*size : (k+1)*size : (k+1)*size]
}

// size is the number of elements of an example.
func (s Split) size() int {
	size := 1
	for _, d := range s.Shape {
		size *= d
	}
	return size
}

// lacks returns a class without an example, or -1.
func (s Split) lacks(classes int) int {
	seen := make([]bool, classes)
	for _, y := range s.Labels {
		seen[y] = true
	}
	return slices.Index(seen, false)
}

// File is a file that was read, as it lies on disk, or a folder of files; its
// hash is then over their names and contents.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// Options says where to look and how to read. The zero value looks in the usual
// places and takes no bad file.
type Options struct {
	// Root is a folder that holds the data set's files, or a folder of its
	// name with them; it is searched first.
	Root string

	// MaxBad is how many images may be left out because they do not decode or,
	// of those that are read as they are needed, replaced by grey ones.
	MaxBad int

	// Offline forbids downloads.
	Offline bool

	// Progress, if not nil, is told how far a download or a long reading is. It
	// is called from several goroutines, one at a time, and not at all where a
	// cache spares the reading.
	Progress func(what string, done, total int)
}
