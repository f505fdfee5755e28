package dataset

import (
	"github.com/losscorr/losscorr/dataset/internal/download"
	"github.com/losscorr/losscorr/internal/table"
)

// Entry is what the rest of the program knows of a data set: its line in the table
// of data sets.
type Entry struct {
	Name   string // in configurations, and of the folder that it may lie in
	Title  string // in figures
	Kind   Kind   // of an example
	Groups bool   // its classes come in groups, within which asymmetric noise may flip them
	Flips  []Flip // the paper's asymmetric noise; nil where nobody has said what flips to what

	Validation bool   // it comes with a validation set
	Streamed   bool   // its images are read as they are needed, at ImageNet's normalization only
	Clean      string // where its labels come with noise: the data set of the true ones

	folder  string        // that it may lie in, if not of its own name
	files   []string      // to be had at source
	source  string        // a web page, or people
	remote  download.File // the only one of files, where it can be downloaded
	layouts []layout      // the best first
}

// Kind is what an example is.
type Kind int

// The kinds of examples.
const (
	Vector Kind = iota + 1 // bytes, without channels
	Image                  // bytes [C H W]
	Text                   // tokens
)

// Flip says that asymmetric noise sends labels of class From to class To; with
// the probability Fixed, unless that is 0, at each level above 0.
type Flip struct {
	From, To string
	Fixed    float64
}

// String returns the data set's name.
func (e Entry) String() string { return e.Name }

// All is the table of data sets. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{mnist, imdb, cifar10, cifar100, clothing1M, clothing1MClean}
