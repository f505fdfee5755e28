package estimators

import "github.com/losscorr/losscorr/correction/table"

// Entry describes an estimator of T: one line of the table All.
type Entry struct {
	Name     string // in configurations
	About    string // description in one line
	Quantile bool   // it reads Options.Quantile
	Counts   bool   // its rows are counts of labels, as Draws and Evidence need
	Labels   bool   // it reads noisy labels besides the posteriors
	Triples  bool   // it reads Options.Triples
	Held     bool   // it reads Options.Held
	Trusted  bool   // it needs trusted labels of each class
	Beside   string // the estimator that its result is compared with

	estimate func(p *posteriors, noisy []int, o Options) (reading, error)
}

// String returns the estimator's name.
func (e Entry) String() string { return e.Name }

// All is the table of estimators. A new estimator is a file with its entry and a line here.
var All = table.Of[Entry]{argmaxEntry, percentileEntry, classQuantileEntry, verticesEntry, heldOutEntry, dualTEntry,
	confidentJointEntry, goldEntry, hocEntry}
