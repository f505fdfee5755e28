package training

import "github.com/losscorr/losscorr/torch"

// Set is the examples of X [M ...] and their labels Y [M] (Int64) whose rows
// Index [N] (Int64) names. Train and validation sets, and all runs on the same
// data, share one X, which they only read.
type Set struct {
	X, Y, Index torch.Tensor
}

// Len is the number of examples.
func (s Set) Len() int { return s.Index.Size(0) }

// Take is the examples of the given rows of X.
func (s Set) Take(rows torch.Tensor) (x, y torch.Tensor) {
	return s.X.IndexSelect(0, rows), s.Y.IndexSelect(0, rows)
}

// Data is what a run learns from. The labels of Train and Validation are noisy,
// those of Test are clean.
type Data struct {
	Train, Validation, Test Set
}
