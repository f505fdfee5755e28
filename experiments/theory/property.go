package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/internal/report"
)

// property is a measurable statement.
type property struct {
	Statement string // the theorem
	Measured  string
	// Differs is set if the paper gives no guarantee: the largest deviation then has to exceed Bound, and otherwise it
	// must not.
	Differs bool
	Bound   float64
	// Cell is the property's cell in the paper's table of qualitative comparison, or zero.
	Cell cell
	// trial draws once and returns the deviation, relative if values are large.
	trial func(*rand.Rand) float64

	Trials    int
	Deviation float64 // the largest one
}

// cell is a loss and a column of the table, expectation or Hessian.
type cell struct{ loss, of string }

func (p property) asStated() bool { return (p.Deviation > p.Bound) == p.Differs }

func (p property) verdict() string {
	switch {
	case !p.asStated():
		return "NOT AS STATED"
	case p.Differs:
		return "differs"
	}
	return "holds"
}

// properties are measured in this order.
var properties = append(append(append(theorem1, theorem2...), theorem3...), theorem4...)

func propertySheet(measured []property) *report.Table {
	s := &report.Table{
		Title:    "Theorems of the paper, measured in float64",
		Headings: report.Headings("statement", "measured", "trials>", "largest deviation>", "bound>", "verdict"),
		Notes: []string{
			"holds: no trial deviates by more than the bound; differs: no guarantee, and a trial deviates by more " +
				"than it",
		},
	}
	for _, p := range measured {
		s.Add(p.Statement, p.Measured, fmt.Sprint(p.Trials), fmt.Sprintf("%.1e", p.Deviation), fmt.Sprintf("%.0e", p.Bound),
			p.verdict())
	}
	return s
}

// comparisonSheet returns the paper's table of qualitative comparison with the measured deviations.
func comparisonSheet(measured []property) *report.Table {
	s := &report.Table{
		Title: "Qualitative comparison of loss corrections, as the paper has it, and the largest deviations",
		Headings: report.Headings("loss", "correction", "expectation over x and the noisy label",
			"Hessian of it, each layer's block"),
		Notes: []string{"blocks of one ReLU layer: see Theorem 4 above for what lies between two layers"},
	}
	for _, line := range [][4]string{
		{crossEntropy, "-", "no guarantee", "unchanged"},
		{backward, "T^-1", "unbiased estimator of the loss", "unchanged"},
		{forward, "T", "same minimiser as the loss", "no guarantee"},
	} {
		for k, of := range []string{expectation, hessian} {
			for _, p := range measured {
				if p.Cell == (cell{line[0], of}) {
					line[2+k] += fmt.Sprintf(" (%.1e, %s)", p.Deviation, p.verdict())
				}
			}
		}
		s.Add(line[:]...)
	}
	return s
}

const (
	crossEntropy, backward, forward = "cross-entropy", "backward", "forward"
	expectation, hessian            = "expectation", "hessian"
)
