// Package views lists the inputs that networks can learn from on a user's own data: features computed
// from the examples, or the examples themselves, each with its network.
//
//	view := views.All.Named("tfidf")                        // of texts
//	state, err := views.Fit(view.Name, train)               // the vocabulary
//	err = state.Apply(ctx, &split)                          // texts become rows of numbers
package views

import (
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/encoders"
)

// Entry describes a view to the rest of the program. It is a line in the table All.
type Entry struct {
	Name  string
	Title string       // the network's input, for people
	Data  dataset.Kind // kind of examples
	Cheap bool         // tried by the view auto

	// Plain views have no features; the network Model learns from the data itself.
	Plain bool
	Model string

	Encoder string // in encoders.All, whose outputs are the features; "" for other views

	// OneStage views judge labels by the first networks only, since a second stage does not rank
	// wrong labels better.
	OneStage bool

	// AuditRate is the learning rate for audits of many examples, if it is not the view's usual
	// one. A lower rate memorises fewer wrong labels in the epochs of an audit.
	AuditRate float64

	Sparse bool // features are mostly zeros and stay compressed
}

// String returns the view's name.
func (e Entry) String() string { return e.Name }

// All is the table of views. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{
	tfidfEntry, wordsEntry, miniLMEntry, efficientNetLite2Entry, ownEntry, mlpEntry, linearEntry,
}

// Of returns the names of the views for a kind of data, those tried by auto first.
func Of(kind dataset.Kind) []string {
	return append(All.Which(func(e Entry) bool { return e.Data == kind && e.Cheap }),
		All.Which(func(e Entry) bool { return e.Data == kind && !e.Cheap })...)
}

// Views without features: networks that learn from the data itself.
var (
	wordsEntry = Entry{Name: "words", Title: "the mean of word vectors, learned with the labels",
		Data: dataset.Text, Cheap: true, Plain: true, Model: "word-average"}
	ownEntry = Entry{Name: "own", Title: "a network trained only on these images", Data: dataset.Image, Plain: true,
		Model: "cnn"}
	mlpEntry = Entry{Name: "mlp", Title: "the numbers, under two hidden layers", Data: dataset.Vector, Cheap: true,
		Plain: true, Model: "mlp"}
	linearEntry = Entry{Name: "linear", Title: "the numbers, under a linear layer", Data: dataset.Vector, Plain: true,
		Model: "linear"}
)

// Views by the features of a pretrained network.
var efficientNetLite2Entry = Entry{
	Name: "efficientnet-lite2", Title: "features of " + encoders.All.Named("efficientnet-lite2").Title +
		", under a linear layer",
	Data: dataset.Image, Cheap: true, Encoder: "efficientnet-lite2",
}

var miniLMEntry = Entry{
	Name: "minilm", Title: "features of " + encoders.All.Named("minilm").Title + ", under a linear layer",
	Data: dataset.Text, Cheap: true, Encoder: "minilm", OneStage: true,
}
