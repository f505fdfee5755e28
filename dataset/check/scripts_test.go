package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/datasettest"
	"github.com/losscorr/losscorr/dataset/own"
)

// Names that look the same in two scripts are found, alone and beside their double.
func TestCheckLookalikes(t *testing.T) {
	d := &dataset.Dataset{Classes: []string{"cat", "c\u0430t", "dog", "\u043a\u043e\u0442", "\u03b2-carotene"}}
	d.Train.Labels = []int{0, 1, 2, 3, 4}
	r, err := Run(t.Context(), d, own.Source{}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(r.Findings, "\n")
	for _, want := range []string{"the classes \"cat\" and \"c\u0430t\" differ only by letters of another script that look alike", `1 class with letters of two scripts that look alike, such as the Cyrillic and the Latin a: cаt ("c\u0430t")`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s\nwant %q", all, want)
		}
	}
}

// The check names classes whose labels come in several forms of Unicode.
func TestCheckFormsOfUnicode(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	datasettest.Here(t, "y.csv", "label\n"+composed+"\n"+decomposed+"\ntea\ntea\n")
	s := own.Source{Labels: "y.csv"}
	d, err := own.Open(t.Context(), s, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), d, s, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Findings, func(f string) bool {
		return strings.Contains(f, "differ only in their form of Unicode") && strings.Contains(f, composed)
	}) {
		t.Errorf("findings %q", r.Findings)
	}
}
