package estimators

import "github.com/losscorr/losscorr/correction/table"

// Entry describes an estimator of T to the rest of the program. It is a line
// in the table All.
type Entry struct {
	Name     string // in configurations
	About    string // description in one line
	Quantile bool   // it reads Options.Quantile
	Counts   bool   // its rows are counts of labels, which Draws and Evidence are of
	Labels   bool   // it reads noisy labels beside the posteriors
	Triples  bool   // it reads Options.Triples
	Held     bool   // it reads Options.Held
	Trusted  bool   // it needs trusted labels of each class
	Beside   string // name of the estimator with whose estimate it is compared

	estimate func(p *posteriors, noisy []int, o Options) (reading, error)
}

// String returns the estimator's name.
func (e Entry) String() string { return e.Name }

// All is the table of estimators. A new one is a file with its entry, and
// a line here.
var All = table.Of[Entry]{argmaxEntry, percentileEntry, classQuantileEntry, verticesEntry, heldOutEntry, dualTEntry,
	confidentJointEntry, goldEntry, hocEntry}
