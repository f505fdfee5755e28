package checking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/expect"
)

// The estimate is unbiased and intervals at 90 % hold the truth, for good and bad models.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 31))
	for _, p := range populations {
		l := p.labels(rng)
		for _, n := range []int{25, 100} {
			s := simulate(t, l, func() *checking.Count { return l.review(t, n, rng) })
			slack := 3 * math.Sqrt(.09/float64(reviews())) // three standard errors
			if least := p.all - slack; s.coverage < least {
				t.Errorf("%s, %d checks: the interval holds the truth in %.3f of reviews, want %.3f", p.name, n, s.coverage, least)
			}
			if n == 100 && s.half > p.widest {
				t.Errorf("%s, %d checks: half-width %.3f, want %.2f", p.name, n, s.half, p.widest)
			}
			if math.Abs(s.bias) > 4*s.error {
				t.Errorf("%s, %d checks: bias %.3f of the count, standard error %.3f", p.name, n, s.bias, s.error)
			}
			for k, coverage := range s.classes {
				if least := p.class - slack; coverage < least {
					t.Errorf("%s, %d checks: the interval of class %d holds the truth in %.3f of reviews, want %.3f", p.name, n, k,
						coverage, least)
				}
			}
		}
	}
}

// simulation compares counts with the truth.
type simulation struct {
	coverage    float64
	classes     [3]float64 // coverage of each class
	half        float64    // mean half-width as a share of the count
	bias, error float64    // as shares of the count
}

func simulate(t *testing.T, l *labels, review func() *checking.Count) simulation {
	t.Helper()
	var s simulation
	square, share := 0., 1/float64(reviews())
	for range reviews() {
		c := review()
		if c.Low <= l.count && l.count <= c.High {
			s.coverage += share
		}
		s.half += share * (c.High - c.Low) / 2 / l.count
		off := (c.Wrong - l.count) / l.count
		s.bias += share * off
		square += share * off * off
		classes := expect.Got(c.ByClass(l.given, len(s.classes)))(t)
		sum := 0.
		for k, v := range classes {
			sum += v.Wrong
			if v.Wrong < v.Low || v.Wrong > v.High {
				t.Fatalf("class %d: %v", k, v)
			}
			if v.Low <= l.class[k] && l.class[k] <= v.High {
				s.classes[k] += share
			}
		}
		if math.Abs(sum-c.Wrong) > 1e-6*examples {
			t.Fatalf("the classes sum to %v, want %v", sum, c.Wrong)
		}
	}
	s.error = math.Sqrt((square - s.bias*s.bias) * share)
	return s
}
