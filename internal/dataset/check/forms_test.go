package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// The check names classes whose labels come in several forms of Unicode.
func TestCheckFormsOfUnicode(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	datasettest.Here(t, "y.csv", "label\n"+composed+"\n"+decomposed+"\ntea\ntea\n")
	s := own.Source{Labels: "y.csv"}
	d := expect.Got(own.Read(t.Context(), s, dataset.Options{}))(t)
	r := expect.Got(Run(t.Context(), d, expect.Got(own.Open(s))(t), dataset.Options{}))(t)
	if !slices.ContainsFunc(r.Findings, func(f string) bool {
		return strings.Contains(f, "differ only in their form of Unicode") && strings.Contains(f, composed)
	}) {
		t.Errorf("findings %q", r.Findings)
	}
}
