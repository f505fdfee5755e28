package models

import (
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/torch/nn"
)

// Entry describes a network: one line of the table All.
type Entry struct {
	Name  string // in configurations
	Title string // in figures
	Input Input  // kind of its input

	Side         int      // height and width of its input images; 0: as in the data set
	AnyLength    bool     // it accepts texts of any length
	Hidden       bool     // it reads Settings.Hidden
	Dropout      bool     // it reads Settings.Dropout
	DropoutUnits []string // the values of Settings.DropoutUnits that it accepts
	Sparse       bool     // it accepts inputs in compressed sparse rows

	// Together is the number of trainings that share one GPU faster than they run one after the other, measured on an
	// NVIDIA H100; 0: none.
	Together int

	// Features returns the network without its last layer, which maps images to features
	// [N D]; nil for networks that have no published weights.
	Features func(init nn.Init) (nn.Module, error)

	// New returns the network with drawn weights. It is an error if init names an unknown scheme.
	New func(s Settings, init nn.Init) (nn.Module, error)
}

// Input is the kind of a network's input.
type Input string

// The inputs of networks.
const (
	Pixels Input = "pixels" // [N Inputs], without channels
	Images Input = "images" // [N C H W]
	Words  Input = "words"  // [N T] of word ids
)

// Settings are the settings of all networks. Each network reads the sizes of its input and output and the settings
// that its entry names.
type Settings struct {
	Inputs, Classes int   // elements of an example, and logits
	Hidden          []int // widths of hidden layers
	Vocabulary      int   // word ids; 0 is the network's default
	Dropout         float64
	DropoutUnits    string
	EmbeddingDim    int // width of word vectors
}

// All is the table of networks. A new network is a file with its entry and a line here.
var All = table.Of[Entry]{
	mlpEntry, linearEntry, cnnEntry, embeddingEntry, lstmEntry, wordAverageEntry, resnet50Entry,
	resnetEntry(8), resnetEntry(14), resnetEntry(20), resnetEntry(26), resnetEntry(32),
	resnetEntry(38), resnetEntry(44), resnetEntry(56), resnetEntry(110),
}

// String returns the network's name.
func (e Entry) String() string { return e.Name }

// The values of DropoutUnits: what dropout drops from word vectors.
const (
	DropElements = "elements"
	DropChannels = "channels"
	DropWords    = "words"
)
