package find

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
)

// Probabilities of a good model with rows in another order are detected. A bad model gives no hint.
func TestMisordered(t *testing.T) {
	const n, c = 400, 4
	rng := rand.New(rand.NewPCG(5, 6))
	labels, good, bad := make([]int, n), make([]float32, n*c), make([]float32, n*c)
	for x := range labels {
		labels[x] = rng.IntN(c)
		for k := range c {
			good[x*c+k], bad[x*c+k] = float32(rng.NormFloat64()), float32(rng.NormFloat64()/2)
		}
		good[x*c+labels[x]] += 5
	}
	good, bad = correction.Softmax(good, c), correction.Softmax(bad, c)
	var rows []float32
	for _, x := range rng.Perm(n) {
		rows = append(rows, good[x*c:(x+1)*c]...)
	}
	for name, p := range map[string][]float32{"rows": rows, "bad": bad, "good": good} {
		const want = "Check that their rows are in the order of the labels and their columns in the order of the " +
			"classes: the largest probability is 9"
		if got := misordered(p, labels, c); strings.HasPrefix(got, want) != (name == "rows") || name != "rows" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
