package losses

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/table"
)

// Entry describes a loss to the rest of the program. It is a line in the table
// All, which configurations, command-line help, run IDs and figures read.
type Entry struct {
	Name  string // in configurations and tables
	Title string // in the legends of figures and in LaTeX; empty: Name
	About string // description in one line
	T     Use    // which transition matrix New gets

	// FormOf is the name of the loss of which this one is another form; tables list
	// them together.
	FormOf string

	Settings []Setting // it reads these of Options.Settings

	Clips     bool // it reads Options.Clip
	Trusted   bool // it needs Options.Trusted
	Targets   bool // it needs Options.Targets
	Inverts   bool // it cannot be made where T is singular
	Networks  int  // networks that it trains, as models.NewPair; 0: one
	Mixes     bool // it mixes examples, whose input has to be numbers
	BatchNorm bool // it takes logits without a softmax, and diverges unless the network ends in batch normalization

	// New makes the loss. A loss that does not use T takes the classes from it. The
	// result holds tensors that live in the caller's scope.
	New func(t *correction.Matrix, o Options) (Loss, error)
}

// Relabels reports whether the loss can be given corrected labels: it uses no T and no targets, which
// speak of the given ones.
func (e Entry) Relabels() bool { return e.T == NoT && !e.Targets }

// Use says which transition matrix a loss uses.
type Use int

// The transition matrices that losses use.
const (
	NoT        Use = iota // none
	KnownT                // the T that made the noise, or one from a file
	EstimatedT            // T-hat, estimated from a network trained with FirstLoss
)

// FirstLoss is the loss of the first network of Algorithm 1, from which T is estimated.
const FirstLoss = "cross-entropy"

// All is the table of losses. A new loss is a file with its entry, and a line here.
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

// estimated returns the form of a loss that gets T-hat in place of T.
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

// withSettings completes the entry of a loss with constants: of gets the defaults of those that are 0.
func withSettings(e Entry, of func(t *correction.Matrix, o Options) (Loss, error)) Entry {
	e.New = func(t *correction.Matrix, o Options) (Loss, error) {
		o.Settings = e.Complete(o.Settings)
		return of(t, o)
	}
	return e
}
