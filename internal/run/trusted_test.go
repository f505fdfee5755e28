package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The known labels that a loss trains on are the true ones of examples that the run uses, even if it uses only some, or
// if they come from a file.
func TestKnownLabelsAreTheTrueOnes(t *testing.T) {
	dir, p := smallDigits(t)
	file := filepath.Join(dir, "trusted.csv")
	const noise = "noise={kind: asymmetric, level: .6}"
	for _, trusted := range []string{"2", "random:30", file} {
		if trusted == file {
			within(t, p, oneRun(t, dir, noise), func(r *run) {
				text := "index,label\n"
				for i, y := range r.source.Train.Labels {
					text += fmt.Sprintf("%d,%d\n", i, y)
				}
				expect.OK(t, os.WriteFile(file, []byte(text), 0o644))
			})
		}
		within(t, p, oneRun(t, dir, "loss=gold", noise, "examples.train=200", "trusted="+trusted),
			func(r *run) {
				known, err := r.allTrusted()
				if err != nil || len(known) < 20 {
					t.Fatalf("trusted %s: %d known labels, %v", trusted, len(known), err)
				}
				used := map[int]bool{}
				for _, row := range r.rows() {
					used[row] = true
				}
				for _, k := range known {
					if !used[k.Index] || k.Label != r.source.Train.Labels[k.Index] {
						t.Errorf("trusted %s: example %d is used: %v; label %d, want %d", trusted, k.Index, used[k.Index], k.Label,
							r.source.Train.Labels[k.Index])
					}
				}
			})
	}
}

// Only true labels are drawn: data with wrong labels has them only if a column does.
func TestTrustedLabelsAreTrue(t *testing.T) {
	labels, truth := []int{0, 1, 0, 1}, []int{1, -1, -1, 0}
	table := filepath.Join(configtest.Write(t, map[string]string{"x.csv": "x,label\n"}), "x.csv")
	own := fmt.Sprintf("dataset: own\nsource: {path: %q, features: [x]}\n", table)
	for _, c := range []struct {
		data  string
		truth []int
		want  []correction.Trusted // nil: an error
	}{
		{"dataset: mnist\n", nil, []correction.Trusted{{Index: 0, Label: 0}, {Index: 1, Label: 1}, {Index: 2, Label: 0},
			{Index: 3, Label: 1}}},
		{own + "noise: {kind: symmetric, level: .2}\n", nil, []correction.Trusted{{Index: 0, Label: 0}, {Index: 1, Label: 1},
			{Index: 2, Label: 0}, {Index: 3, Label: 1}}},
		{own, truth, []correction.Trusted{{Index: 0, Label: 1}, {Index: 3, Label: 0}}},
		{own, nil, nil},
		{"dataset: clothing1m\n", nil, nil},
	} {
		for _, trusted := range []string{"4", "random:4"} {
			run := configtest.Load(t, c.data, "trusted="+trusted)[0]
			got, err := trustedLabels(run, trueLabels(run, labels, c.truth), []string{"a", "b"})
			slices.SortFunc(got, func(a, b correction.Trusted) int { return a.Index - b.Index })
			if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
				t.Errorf("%q, trusted %s: %v, %v, want %v", c.data, trusted, got, err, c.want)
			}
			if err != nil && !strings.Contains(err.Error(), "trusted: "+trusted+" would draw true labels") {
				t.Errorf("%q: %v", c.data, err)
			}
		}
	}
}
