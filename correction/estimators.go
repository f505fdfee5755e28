package correction

import "github.com/losscorr/losscorr/internal/table"

// EstimatorEntry describes an estimator of T to the rest of the program. It is a line
// in the table Estimators.
type EstimatorEntry struct {
	Name     string // in configurations
	About    string // description in one line
	Quantile bool   // it reads EstimatorOptions.Quantile
	Counts   bool   // its rows are counts of labels, which Estimation.Intervals needs
	Labels   bool   // it reads noisy labels beside the posteriors
	Triples  bool   // it reads EstimatorOptions.Triples
	Trusted  bool   // it needs trusted labels of each class
	Beside   string // name of the estimator with whose estimate it is compared

	estimate func(p *posteriors, noisy []int, o EstimatorOptions) (reading, error)
}

// String returns the estimator's name.
func (e EstimatorEntry) String() string { return e.Name }

// Estimators is the table of estimators. A new one is a file with its entry, and
// a line here.
var Estimators = table.Of[EstimatorEntry]{argmaxEntry, percentileEntry, classQuantileEntry, verticesEntry, dualTEntry, confidentJointEntry, goldEntry, hocEntry}
