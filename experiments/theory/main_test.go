package main

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every property holds as stated, and the tables show it.
func TestTheory(t *testing.T) {
	torchtest.Open(t)
	folder := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--trials", "4", "--seed", "7", "--out", folder}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text := expect.Got(os.ReadFile(filepath.Join(folder, "theory.csv")))(t)
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(records) != 1+len(properties) {
		t.Fatalf("%d lines, want %d: %v", len(records), 1+len(properties), err)
	}
	for _, theorem := range []string{"Theorem 1", "Theorem 2", "Theorem 3", "Theorem 4"} {
		found := false
		for _, r := range records[1:] {
			found = found || r[0] == theorem && r[2] == "4" && r[5] == "holds"
		}
		if !found {
			t.Errorf("no line where %s holds", theorem)
		}
	}
	comparison := expect.Got(os.ReadFile(filepath.Join(folder, "comparison.csv")))(t)
	if n := strings.Count(string(comparison), "holds") + strings.Count(string(comparison), "differs"); n != 6 {
		t.Errorf("%d measurements in the comparison of losses, want 6:\n%s", n, comparison)
	}
	if run(t.Context(), []string{"--trials", "0"}, &out) == nil {
		t.Error("no trials are accepted")
	}
}

// The same seed measures the same.
func TestMeasureIsReproducible(t *testing.T) {
	defer torchtest.Scoped(t)()
	for k, p := range properties {
		a, b := p.trial(rand.New(rand.NewPCG(3, 4))), p.trial(rand.New(rand.NewPCG(3, 4)))
		expect.Same(t, a, b, "property", k)
	}
}

// A deviation on the wrong side of its bound is reported.
func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		p    property
		want string
	}{
		{property{Bound: 1e-9, Deviation: 1e-12}, "holds"},
		{property{Bound: 1e-9, Deviation: 1e-3}, "NOT AS STATED"},
		{property{Bound: 1e-2, Deviation: .3, Differs: true}, "differs"},
		{property{Bound: 1e-2, Deviation: 1e-12, Differs: true}, "NOT AS STATED"},
	} {
		expect.Same(t, test.want, test.p.verdict(), test.p.Deviation)
	}
}
