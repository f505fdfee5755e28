package store

import (
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// Result is the outcome of one run. It is written last and atomically, as
// result.json; a folder that has it is that of a finished run.
type Result struct {
	Schema     int             `json:"schema"` // 1
	ID         string          `json:"id"`
	State      string          `json:"state"` // done or diverged
	Config     config.Config   `json:"config"`
	Selected   metrics.Epoch   `json:"selected"` // lowest validation loss
	Last       metrics.Epoch   `json:"last"`
	Transition *TransitionInfo `json:"transition,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`

	// CleanAccuracy is that of the selected network, where the data has no test set.
	CleanAccuracy *CleanAccuracy `json:"clean_accuracy,omitempty"`

	// Code is that of the program that ended the run; Earlier is other code that trained epochs of it before.
	Code
	Earlier []string `json:"earlier_revisions,omitempty"`

	DataVariant string  `json:"data_variant,omitempty"` // which copy of the data was read, if not the official files
	Seconds     float64 `json:"seconds"`                // wall time of training, all attempts
	Finished    string  `json:"finished"`               // RFC 3339, UTC
}

// CleanAccuracy is the accuracy against true labels in percent, estimated from the noisy
// labels of the validation set and T, with an interval at 90 %.
type CleanAccuracy struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// TransitionInfo holds the matrices of a run; rows are true classes.
type TransitionInfo struct {
	Classes []string `json:"classes"`
	// the T of the configuration; empty if unknown, as for data that comes with noisy labels
	Nominal   [][]float64 `json:"nominal,omitempty"`
	Realised  [][]float64 `json:"realised,omitempty"` // the T that the drawn noisy labels show; empty if unknown
	Estimated [][]float64 `json:"estimated,omitempty"`
	NamedBy   string      `json:"named_by,omitempty"` // the trusted labels that named the rows of Estimated
	// distance of Estimated from the estimate of a second estimator, as EstimateError
	Disagreement float64 `json:"disagreement,omitempty"`
	// mean over rows of the L1 distance from Nominal; NaN if T is unknown
	EstimateError metrics.Number `json:"estimate_error,omitempty"`
	RowsPermuted  bool           `json:"rows_permuted,omitempty"` // another order of the rows of Estimated fits better
	// the T that a loss has learned with the network, after the last epoch
	Learned      [][]float64    `json:"learned,omitempty"`
	LearnedError metrics.Number `json:"learned_error,omitempty"` // as EstimateError, of Learned
	Condition    metrics.Number `json:"condition"`               // cond(T) of the matrix used by the loss
}
