package auditbench

import (
	"context"
	_ "embed"

	"github.com/losscorr/losscorr/tools/measured"
)

//go:embed cleanlab.py
var script string

// request is what cleanlab.py is asked; Judged are the examples of which Wrong is known.
type request struct {
	Posteriors string `json:"posteriors,omitempty"`
	Given      []int  `json:"given,omitempty"`
	Judged     []int  `json:"judged,omitempty"`
	Wrong      []bool `json:"wrong,omitempty"`

	Near     string `json:"near,omitempty"`     // features, for the agreement of neighbours
	Features string `json:"features,omitempty"` // for the time of cleanlab with scikit-learn
	Epochs   int    `json:"epochs,omitempty"`
	Jobs     int    `json:"jobs,omitempty"`
}

// answer is cleanlab's judgement: the average precision of each of its scores, and F1 of
// find_label_issues.
type answer struct {
	Version string             `json:"version"`
	Scores  map[string]float64 `json:"scores"`
	F1      float64            `json:"f1"`

	Neighbours float64 `json:"neighbours"` // average precision of the labels of neighbours

	Seconds float64 `json:"seconds"`
	Sklearn string  `json:"sklearn"`
}

// best returns the score with the highest average precision, the first by name of equals.
func (a answer) best() (name string, precision float64) {
	for n, p := range a.Scores {
		if p > precision || p == precision && n < name {
			name, precision = n, p
		}
	}
	return name, precision
}

// ask runs cleanlab.py.
func ask(ctx context.Context, python string, r request) (a answer, err error) {
	return a, measured.Python(ctx, python, script, r, &a)
}
