package correction

import "github.com/losscorr/losscorr/internal/table"

// LossEntry is what the rest of the program knows of a loss: its line in the
// table of losses. Configurations, command-line help, run IDs and figures read it.
type LossEntry struct {
	Name  string // in configurations and tables
	Title string // in the legends of figures; empty: Name
	About string // what it is, in a line
	T     Use    // which transition matrix it is given

	// FormOf is the loss that this is another form of; tables list them together.
	FormOf string

	Clips     bool // it reads LossOptions.Clip
	Inverts   bool // it cannot be made where T is singular
	BatchNorm bool // it takes logits without a softmax, which diverge unless the network ends in batch normalization

	// New makes the loss. T names the classes also of a loss that has no use for it.
	// The result holds tensors that live in the caller's scope.
	New func(t *Matrix, o LossOptions) (Loss, error)
}

// Use is which transition matrix a loss is given.
type Use int

// The transition matrices of losses.
const (
	NoT        Use = iota // none
	KnownT                // the T that made the noise, or one from a file
	EstimatedT            // T-hat, read off a network trained with FirstLoss
)

// FirstLoss is the loss of the first network of Algorithm 1, off which T-hat is read.
const FirstLoss = "cross-entropy"

// Losses is the table of losses. A new loss is a file with its entry, and a line here.
var Losses = table.Of[LossEntry]{
	crossEntropyEntry,
	forwardEntry, backwardEntry, forwardEstimatedEntry, backwardEstimatedEntry,
	unhingedEntry, sigmoidEntry, savageEntry,
	bootstrapSoftEntry, bootstrapHardEntry,
	unhingedSymmetricEntry, sigmoidSymmetricEntry, savageLogitsEntry,
}

// String returns the loss's name.
func (e LossEntry) String() string { return e.Name }

// afterSoftmax is the New of a loss of probabilities that uses no T.
func afterSoftmax(make func(classes int, o LossOptions) Loss) func(*Matrix, LossOptions) (Loss, error) {
	return func(t *Matrix, o LossOptions) (Loss, error) { return make(t.Dim(), o), nil }
}

// onLogits is the New of a loss of margins.
func onLogits(make func(classes int, o MarginOptions) Loss, symmetric bool) func(*Matrix, LossOptions) (Loss, error) {
	return func(t *Matrix, o LossOptions) (Loss, error) {
		return make(t.Dim(), MarginOptions{Symmetric: symmetric, Options: o.Options}), nil
	}
}
