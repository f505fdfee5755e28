// Package views holds the ways in which the program looks at a user's own data: features that are
// made of the examples, or the examples themselves, and the network that learns from them.
//
//	view := views.All.Named("tfidf")                        // of texts
//	state, err := views.Fit(view.Name, train)               // the vocabulary
//	err = state.Apply(ctx, &split)                          // texts become rows of numbers
package views

import (
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
)

// Entry describes a view to the rest of the program. It is a line in the table All.
type Entry struct {
	Name  string
	Title string       // what the network sees, for people
	Data  dataset.Kind // what it looks at
	Cheap bool         // it is tried where nobody names a view

	// Plain views have no features: the network Model learns from the data itself.
	Plain bool
	Model string

	Encoder string // in encoders.All, whose outputs are the features; "" for other views

	// OneStage views judge labels by the first networks alone: a second stage ranks wrong labels
	// no better.
	OneStage bool

	// AuditRate is the learning rate of an audit's networks of many examples, where it is not the
	// usual one of the view: slower ones learn fewer wrong labels by heart, in the epochs that an
	// audit takes.
	AuditRate float64

	Sparse bool // the features are mostly zeros, and stay compressed
}

// String returns the view's name.
func (e Entry) String() string { return e.Name }

// All is the table of views. A new one is a file with its entry, and a line here.
var All = table.Of[Entry]{
	tfidfEntry, wordsEntry, miniLMEntry, efficientNetLite2Entry, ownEntry, mlpEntry, linearEntry,
}

// Of returns the names of the views of a kind of data, those that nobody has to name first.
func Of(kind dataset.Kind) []string {
	return append(All.Which(func(e Entry) bool { return e.Data == kind && e.Cheap }),
		All.Which(func(e Entry) bool { return e.Data == kind && !e.Cheap })...)
}
