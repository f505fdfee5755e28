package published

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/download"
)

// Entry is a line of All: the description of a data set for the rest of the program.
type Entry struct {
	Name   string            // in configurations, and for its folder
	Title  string            // in figures
	Kind   dataset.Kind      // of its examples
	Groups bool              // its classes have groups; asymmetric noise may flip within a group
	Flips  []correction.Flip // the paper's asymmetric noise; nil if none is defined

	Validation bool   // has a validation set
	Streamed   bool   // images are read when needed, and only support ImageNet's normalization
	Clean      string // if its labels are noisy, the data set with true labels
	Own        bool   // a user's own data: package own reads it, and its Source has the kind
	Preset     string // default preset; "" for the default of the paper's data sets

	folder  string        // name of its folder, if not Name
	files   []string      // available at source
	source  string        // a web page, or whom to ask
	remote  download.File // the single file, if it can be downloaded
	layouts []layout      // best first
}

// String returns the data set's name.
func (e Entry) String() string { return e.Name }

// All is the table of data sets.
var All = table.Of[Entry]{mnist, imdb, cifar10, cifar100, clothing1M, clothing1MClean, ownEntry}

// ownEntry is a user's own data; an own.Source describes where it is and how to read it.
var ownEntry = Entry{Name: dataset.OwnName, Title: "own data", Own: true, Preset: "fixed"}
