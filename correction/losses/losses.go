package losses

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/table"
)

// Entry describes a loss: one line of the table All, which configurations, command-line help, run IDs and figures
// read.
type Entry struct {
	Name  string // in configurations and tables
	Title string // in the legends of figures and in LaTeX; empty: Name
	About string // description in one line
	T     Use    // which transition matrix New gets

	// FormOf names the loss that this one is a variant of; tables list them together.
	FormOf string

	Settings []Setting // it reads these of Options.Settings

	Clips     bool // it reads Options.Clip
	Trusted   bool // it needs Options.Trusted
	Targets   bool // it needs Options.Targets
	Inverts   bool // it cannot be made where T is singular
	Networks  int  // number of networks that it trains, see models.NewPair; 0: one
	Mixes     bool // it mixes examples, which have to be numbers
	BatchNorm bool // it takes logits without a softmax and diverges unless the network ends in batch normalization

	// New makes the loss. A loss without T only takes the number of classes from t. The result holds tensors that live
	// in the caller's scope.
	New func(t *correction.Matrix, o Options) (Loss, error)
}

// Relabels reports whether the loss can train on corrected labels: it uses neither T nor targets, which describe the
// given labels.
func (e Entry) Relabels() bool { return e.T == NoT && !e.Targets }

// Use is the transition matrix that a loss uses.
type Use int

// The transition matrices that losses use.
const (
	NoT        Use = iota // none
	KnownT                // the T that made the noise, or one from a file
	EstimatedT            // T-hat, estimated from a network trained with FirstLoss
)

// FirstLoss is the loss of the first network of Algorithm 1, whose predictions give T-hat.
const FirstLoss = "cross-entropy"

// All is the table of losses. A new loss is a file with its entry and a line here.
var All = table.Of[Entry]{
	crossEntropyEntry,
	forwardEntry, backwardEntry, estimated(forwardEntry), estimated(backwardEntry),
	unhingedEntry, sigmoidEntry, savageEntry,
	bootstrapSoftEntry, bootstrapHardEntry,
	unhingedSymmetricEntry, sigmoidSymmetricEntry, savageLogitsEntry,
	maeEntry,
	gceEntry,
	sceEntry,
	nceRCEEntry,
	labelSmoothingEntry,
	negativeLabelSmoothingEntry,
	reweightEntry, estimated(reweightEntry),
	resampleEntry, estimated(resampleEntry),
	elrEntry,
	mixupEntry,
	coTeachingEntry, estimated(coTeachingEntry),
	goldEntry, estimated(goldEntry),
	volumeEntry, estimated(volumeEntry),
	softEntry, answersEntry,
}

// String returns the loss's name.
func (e Entry) String() string { return e.Name }

// estimated returns the variant of a loss that uses T-hat in place of T.
func estimated(e Entry) Entry {
	e.T, e.FormOf = EstimatedT, e.Name
	e.Title, e.About = e.Name+", T estimated", e.Name+" with an estimate of T"
	e.Name += "-estimated"
	return e
}

// ofProbabilities completes the entry of a loss of probabilities that uses no T.
func ofProbabilities(e Entry, of func(classes int, s Settings) formula) Entry {
	e.Clips = true
	return withSettings(e, func(t *correction.Matrix, o Options) (Loss, error) {
		return &softmaxLoss{of(t.Dim(), o.Settings), o.Clip}, nil
	})
}

// withSettings completes the entry of a loss with constants; of gets the defaults in place of 0.
func withSettings(e Entry, of func(t *correction.Matrix, o Options) (Loss, error)) Entry {
	e.New = func(t *correction.Matrix, o Options) (Loss, error) {
		o.Settings = e.Complete(o.Settings)
		return of(t, o)
	}
	return e
}
