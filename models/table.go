package models

import (
	"github.com/losscorr/losscorr/internal/table"
	"github.com/losscorr/losscorr/torch/nn"
)

// Entry is what the rest of the program knows of a network: its line in the table
// of networks.
type Entry struct {
	Name  string // in configurations
	Title string // in figures
	Input Input  // what it takes

	Side         int      // height and width of the images that it takes; 0: those of the data set
	AnyLength    bool     // it takes texts of any length
	Dropout      bool     // it reads Settings.Dropout
	DropoutUnits []string // what of word vectors it can drop
	ConvBias     bool     // it reads Settings.ConvBias

	// New draws the network's weights. Fails if init names no scheme.
	New func(s Settings, init nn.Init) (nn.Module, error)
}

// Input is what a network takes.
type Input string

// The inputs of networks.
const (
	Pixels Input = "pixels" // [N Inputs], without channels
	Images Input = "images" // [N C H W]
	Words  Input = "words"  // [N T] of word numbers
)

// Settings are those of all networks. Each reads what its entry says.
type Settings struct {
	Inputs, Classes int // elements of an example, and logits
	Dropout         float64
	DropoutUnits    string
	EmbeddingDim    int // width of word vectors
	ConvBias        bool
}

// All is the table of networks. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{
	mlpEntry, embeddingEntry, lstmEntry, resnet50Entry,
	resnetEntry(8), resnetEntry(14), resnetEntry(20), resnetEntry(26), resnetEntry(32),
	resnetEntry(38), resnetEntry(44), resnetEntry(56), resnetEntry(110),
}

// String returns the network's name.
func (e Entry) String() string { return e.Name }
