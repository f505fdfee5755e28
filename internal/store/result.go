package store

import (
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// Result is the outcome of one run. It is written last and atomically, as result.json, and marks the run as finished.
type Result struct {
	Schema     int             `json:"schema"` // 1
	ID         string          `json:"id"`
	State      string          `json:"state"` // done or diverged
	Config     config.Config   `json:"config"`
	Selected   metrics.Epoch   `json:"selected"` // lowest validation loss
	Last       metrics.Epoch   `json:"last"`
	Transition *TransitionInfo `json:"transition,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`

	// CleanAccuracy is the selected network's, for data without a test set.
	CleanAccuracy *CleanAccuracy `json:"clean_accuracy,omitempty"`

	// Code is the program that ended the run; Earlier is other code that trained some of its epochs.
	Code
	Earlier []string `json:"earlier_revisions,omitempty"`

	DataVariant string  `json:"data_variant,omitempty"` // the copy of the data used, if not the official files
	Seconds     float64 `json:"seconds"`                // wall time of training, all attempts
	Finished    string  `json:"finished"`               // RFC 3339, UTC
}

// CleanAccuracy is the accuracy against true labels in percent, estimated from T and the noisy labels of the validation
// set, with a 90 % interval.
type CleanAccuracy struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// TransitionInfo holds the matrices of a run; rows are true classes.
type TransitionInfo struct {
	Classes []string `json:"classes"`
	// Nominal is the T of the configuration; empty if unknown, as for data that comes with noisy labels.
	Nominal   [][]float64 `json:"nominal,omitempty"`
	Realised  [][]float64 `json:"realised,omitempty"` // counted from the drawn noisy labels; empty if unknown
	Estimated [][]float64 `json:"estimated,omitempty"`
	NamedBy   string      `json:"named_by,omitempty"` // trusted labels that named the rows of Estimated
	// Disagreement is the distance, as in EstimateError, between Estimated and a second estimate.
	Disagreement float64 `json:"disagreement,omitempty"`
	// EstimateError is the mean over rows of the L1 distance of Estimated from Nominal; NaN if T is unknown.
	EstimateError metrics.Number `json:"estimate_error,omitempty"`
	RowsPermuted  bool           `json:"rows_permuted,omitempty"` // Estimated fits better with its rows permuted
	// Learned is the T that the loss learned with the network, after the last epoch.
	Learned      [][]float64    `json:"learned,omitempty"`
	LearnedError metrics.Number `json:"learned_error,omitempty"` // EstimateError of Learned
	Condition    metrics.Number `json:"condition"`               // cond(T) of the loss's matrix
}
