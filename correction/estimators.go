package correction

import "github.com/losscorr/losscorr/internal/table"

// EstimatorEntry is what the rest of the program knows of an estimator of T: its
// line in the table of estimators.
type EstimatorEntry struct {
	Name     string // in configurations
	About    string // what it is, in a line
	Quantile bool   // it reads EstimatorOptions.Quantile
	Beside   string // the estimator that its estimate is compared with

	estimate func(p *posteriors, noisy []int, o EstimatorOptions) (reading, error)
}

// String returns the estimator's name.
func (e EstimatorEntry) String() string { return e.Name }

// Estimators is the table of estimators. A new one is a file with its entry, and
// a line here.
var Estimators = table.Of[EstimatorEntry]{argmaxEntry, percentileEntry, classQuantileEntry, verticesEntry}
