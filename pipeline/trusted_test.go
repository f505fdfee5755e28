package pipeline

import (
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
