package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/config"
)

// A number draws as many true labels of each class, random:N draws N examples, of which
// rare classes have few, and another seed draws others.
func TestTrustedDraws(t *testing.T) {
	labels := make([]int, 1000)
	for k := range 100 {
		labels[10*k] = 1
	}
	count := func(trusted string, seed uint64) (classes [2]int, first int) {
		drawn, err := trustedLabels(config.Config{Trusted: trusted, Seed: seed}, labels, []string{"common", "rare"})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range drawn {
			if labels[d.Index] != d.Label {
				t.Errorf("example %d has label %d, want %d", d.Index, d.Label, labels[d.Index])
			}
			classes[d.Label]++
		}
		return classes, drawn[0].Index
	}
	perClass, one := count("20", 1)
	random, _ := count("random:200", 1)
	if perClass != [2]int{20, 20} || random[0]+random[1] != 200 || random[1] < 5 || random[1] > 40 {
		t.Errorf("20 per class are %v, 200 of all %v, want about 180 and 20", perClass, random)
	}
	if _, other := count("20", 2); other == one {
		t.Errorf("seeds 1 and 2 draw the same example %d first", one)
	}
	if all, _ := count("random:5000", 1); all != [2]int{900, 100} {
		t.Errorf("5000 of 1000 are %v, want all", all)
	}
}

// The labels that a loss trains on are the true ones of examples that the run uses, also
// where it uses a part of them and where they come from a file.
func TestKnownLabelsAreTheTrueOnes(t *testing.T) {
	dir, p := smallDigits(t)
	file := filepath.Join(dir, "trusted.csv")
	const noise = "noise={kind: asymmetric, level: .6}"
	for _, trusted := range []string{"2", "random:30", file} {
		if trusted == file {
			within(t, p, oneRun(t, dir, noise), func(e *execution) {
				text := "index,label\n"
				for i, y := range e.source.clean {
					text += fmt.Sprintf("%d,%d\n", i, y)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			})
		}
		within(t, p, oneRun(t, dir, "loss=gold", noise, "examples.train=200", "trusted="+trusted), func(e *execution) {
			known, err := e.known()
			if err != nil || len(known) < 20 {
				t.Fatalf("trusted %s: %d known labels, %v", trusted, len(known), err)
			}
			used := map[int64]bool{}
			for _, r := range e.rows() {
				used[r] = true
			}
			for _, k := range known {
				if !used[int64(k.Index)] || k.Label != e.source.clean[k.Index] {
					t.Errorf("trusted %s: example %d is used: %v; label %d, want %d", trusted, k.Index, used[int64(k.Index)], k.Label, e.source.clean[k.Index])
				}
			}
		})
	}
}
