package find

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/audit"
)

// Of few labels that do not show whether any is wrong no number is said, and of many right ones that none is.
func TestDoubted(t *testing.T) {
	for _, tt := range []struct {
		n      int
		surest float64 // a larger number makes surer probabilities
		want   bool
	}{{200, 1.5, true}, {20_000, 2, false}} {
		a := ofProbabilities("/a")
		rng := rand.New(rand.NewPCG(7, 8))
		a.Data.Train.Labels, a.Probabilities, a.Sums, a.duplicates = nil, nil, make([]uint64, tt.n), nil
		for range tt.n { // labels are drawn from the probabilities: none is wrong
			p := float32(1 - .5*math.Pow(rng.Float64(), tt.surest))
			y := rng.IntN(2)
			label := y
			if rng.Float32() > p {
				label = 1 - y
			}
			a.Data.Train.Labels = append(a.Data.Train.Labels, label)
			if y == 1 {
				p = 1 - p
			}
			a.Probabilities = append(a.Probabilities, p, 1-p)
		}
		s, err := a.Run(t.Context(), audit.At(filepath.Join(t.TempDir(), "audit")))
		if err != nil {
			t.Fatal(err)
		}
		shown := slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.HasPrefix(w, "the given labels show no wrong ones") })
		if s.Doubted != tt.want || !shown || s.NoiseRate > .005 || len(s.ToCheck) > 0 {
			t.Errorf("%d labels: doubted %v, noise rate %v of %v, %d budgets, warnings %q", tt.n, s.Doubted, s.NoiseRate, s.NoiseRateInterval, len(s.ToCheck), s.Warnings)
		}
	}
}
