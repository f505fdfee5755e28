package published

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/download"
)

// Entry describes a data set to the rest of the program. It is a line in the table All.
type Entry struct {
	Name   string            // in configurations, and of its folder
	Title  string            // in figures
	Kind   dataset.Kind      // of an example
	Groups bool              // its classes have groups, within which asymmetric noise may flip them
	Flips  []correction.Flip // the paper's asymmetric noise; nil if none is defined

	Validation bool   // it comes with a validation set
	Streamed   bool   // its images are read when they are needed, with ImageNet's normalization only
	Clean      string // if its labels are noisy, the data set with the true ones
	Own        bool   // it is a user's own: package own reads it, and its Source tells the kind
	Preset     string // its default preset; empty: that of the paper's data sets

	folder  string        // name of its folder, if not Name
	files   []string      // available at source
	source  string        // a web page, or people
	remote  download.File // the only one of files, if it can be downloaded
	layouts []layout      // the best first
}

// String returns the data set's name.
func (e Entry) String() string { return e.Name }

// All is the table of data sets. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{mnist, imdb, cifar10, cifar100, clothing1M, clothing1MClean, ownEntry}

// ownEntry is a user's own data; an own.Source says where it is and how to read it.
var ownEntry = Entry{Name: dataset.OwnName, Title: "own data", Own: true, Preset: "fixed"}
