package checking_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
)

// population draws probabilities as an audit of people's labels has them, and which labels are
// wrong. logit w is normal; a label is wrong with the probability
//
//	unseen + (1 - unseen) / (1 + exp(-(shift + slope logit w)))
//
// so that w is too small where it is small, too large where it is large, and misses mistakes
// that the networks do not see at all.
type population struct {
	name            string
	mean, deviation float64 // of logit w
	shift, slope    float64
	unseen          float64
	bump            float64         // share of wrong labels where w is from .05 to .3, if it is more
	half            map[int]float64 // the largest half of an interval as a share of the count, by checks
	calibration     float64         // the largest error after 100 checks
}

// The shares of wrong labels, and those that w promises, are about those of the three sets of
// labels of CIFAR-10N: 9, 17 and 40 % where the audit said 5, 12 and 30 %. No recalibration fits
// the last one.
var populations = []population{
	{"few", -6, 3, .35, .7, .01, 0, map[int]float64{50: .72, 100: .52, 200: .38}, .03},
	{"some", -4.2, 3, .35, .7, .02, 0, map[int]float64{50: .45, 100: .32, 200: .23}, .045},
	{"many", -1.9, 2.5, .6, .7, .05, 0, map[int]float64{50: .27, 100: .19, 200: .14}, .06},
	{"oddly", -4.2, 3, .35, .7, .02, .8, map[int]float64{50: .45, 100: .32, 200: .23}, .11},
}

// labels are those of a population.
type labels struct {
	w     []float64
	wrong []bool
	given []int // of four classes, of which the last is mislabelled most and the first has few labels
	count float64
	class [4]float64 // wrong labels by class
}

func (p population) labels(n int, rng *rand.Rand) *labels {
	l := &labels{}
	for range n {
		class := min(3, rng.IntN(7)/2+rng.IntN(2))
		z := p.mean + p.deviation*rng.NormFloat64()
		q := p.unseen + (1-p.unseen)*logistic(p.shift+float64(class)/2-.75+p.slope*z)
		if z > -2.94 && z < -.85 {
			q = max(q, p.bump)
		}
		wrong := rng.Float64() < q
		l.w, l.given, l.wrong = append(l.w, logistic(z)), append(l.given, class), append(l.wrong, wrong)
		if wrong {
			l.count++
			l.class[class]++
		}
	}
	return l
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// answers are those of a person who knows the truth.
func (l *labels) answers(d *checking.Draw, n int) []checking.Answer {
	out := make([]checking.Answer, n)
	for k, c := range d.Checks[:n] {
		out[k] = checking.Right
		if l.wrong[c.Index] {
			out[k] = checking.Wrong
		}
	}
	return out
}

// calibrationError is the mean distance of w from the share of wrong labels, in ten bins of w.
func (l *labels) calibrationError(w []float64) float64 {
	var difference [10]float64
	for x, v := range w {
		bin := min(9, int(10*v))
		difference[bin] += v
		if l.wrong[x] {
			difference[bin]--
		}
	}
	sum := 0.
	for _, v := range difference {
		sum += math.Abs(v)
	}
	return sum / float64(len(w))
}

// examples is the size of the populations of tests.
const examples = 6000

// The interval at 90 % holds the true number in nine of ten audits, whatever the model's
// probabilities are, also where a person stops early, and the count has no bias.
func TestCoverage(t *testing.T) {
	audits := 40
	if os.Getenv("LOSSCORR_SLOW") != "" {
		audits = 200
	}
	rng := rand.New(rand.NewPCG(7, 31))
	for _, p := range populations {
		l := p.labels(examples, rng)
		for _, n := range []int{50, 100, 200} {
			for _, made := range []int{n, 3*n/4 + 3} { // the latter ends within a round
				s := l.simulate(t, n, made, audits, rng)
				name := fmt.Sprintf("%s wrong, %d of %d checks", p.name, made, n)
				// Three standard errors below .9, and .02 for intervals that are not exact.
				if least := .88 - 3*math.Sqrt(.09/float64(audits)); s.coverage < least {
					t.Errorf("%s: the interval holds the truth in %.3f of the audits, want %.3f", name, s.coverage, least)
				}
				for k, coverage := range s.classes {
					if least := .85 - 3*math.Sqrt(.09/float64(audits)); coverage < least {
						t.Errorf("%s: the interval of class %d holds the truth in %.3f of the audits, want %.3f", name, k, coverage, least)
					}
				}
				if math.Abs(s.ratio-1) > 3*s.deviation/math.Sqrt(float64(audits)) {
					t.Errorf("%s: the mean count is %.3f of the truth, want 1", name, s.ratio)
				}
				if made == n && s.half > p.half[n] {
					t.Errorf("%s: the interval reaches %.3f of the count to each side, want %.2f at most", name, s.half, p.half[n])
				}
				if made == 100 && s.calibration > p.calibration {
					t.Errorf("%s: w' is off by %.3f, want %.3f at most", name, s.calibration, p.calibration)
				}
			}
		}
	}
}

// simulated is the mean of some audits.
type simulated struct {
	coverage, half   float64
	ratio, deviation float64 // of the count to the truth
	calibration      float64
	classes          [4]float64 // coverage
}

func (l *labels) simulate(t *testing.T, n, made, audits int, rng *rand.Rand) (s simulated) {
	t.Helper()
	share := 1 / float64(audits)
	squares := 0.
	for range audits {
		d, err := checking.NewDraw(l.w, n, 0, rng)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Count(l.w, l.answers(d, made))
		if err != nil {
			t.Fatal(err)
		}
		if c.Low <= l.count && l.count <= c.High {
			s.coverage += share
		}
		s.half += share * (c.High - c.Low) / 2 / c.Wrong
		s.ratio += share * c.Wrong / l.count
		squares += share * c.Wrong / l.count * c.Wrong / l.count
		s.calibration += share * l.calibrationError(c.Probabilities)
		by, err := c.ByClass(l.given, 4)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range by {
			if v.Low <= l.class[k] && l.class[k] <= v.High {
				s.classes[k] += share
			}
		}
	}
	s.deviation = math.Sqrt(max(0, squares-s.ratio*s.ratio))
	return s
}

// Where the model finds nothing wrong and people find nothing either, the interval still holds
// the few wrong labels that there are.
func TestNothingFound(t *testing.T) {
	const n, checks = 5000, 60
	w := make([]float64, n)
	for x := range w {
		w[x] = .001
	}
	d, err := checking.NewDraw(w, checks, 0, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	answers := make([]checking.Answer, checks)
	for k := range answers {
		answers[k] = checking.Right
	}
	c, err := d.Count(w, answers)
	if err != nil {
		t.Fatal(err)
	}
	// With a share of s wrong, all 60 are right with the probability (1-s)^60, .05 at 4.87 %.
	if want := n * (1 - math.Pow(.05, 1./checks)); c.Low > 0 || math.Abs(c.High-want) > 1 {
		t.Errorf("from %.1f to %.1f wrong, want from 0 to %.1f", c.Low, c.High, want)
	}
	if c.Wrong > 10 {
		t.Errorf("about %.1f wrong", c.Wrong)
	}
	for k := range answers {
		answers[k] = checking.None
	}
	if c, err = d.Count(w, answers); err != nil {
		t.Fatal(err)
	}
	if want := n * math.Pow(.05, 1./checks); c.High < n-1 || math.Abs(c.Low-want) > 1 {
		t.Errorf("from %.1f to %.1f wrong, want from %.1f to %d", c.Low, c.High, want, n)
	}
}

// When every label is checked, the count is theirs.
func TestAllChecked(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	l := populations[2].labels(300, rng)
	d, err := checking.NewDraw(l.w, 100, 300, rng)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Count(l.w, l.answers(d, len(d.Checks)))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.Low-l.count) > 1e-6 || math.Abs(c.High-l.count) > 1e-6 || math.Abs(c.Wrong-l.count) > 1e-6 {
		t.Errorf("%v wrong, from %v to %v, want %v", c.Wrong, c.Low, c.High, l.count)
	}
	if c.More(.001) != 0 {
		t.Errorf("%d more checks of no label", c.More(.001))
	}
}

// Answers count up to the first check of their stratum that has none; a skipped check has
// no place.
func TestAhead(t *testing.T) {
	w := make([]float64, 40)
	for x := range w {
		w[x] = float64(x) / 40
	}
	d, err := checking.NewDraw(w, 20, 0, rand.New(rand.NewPCG(3, 3)))
	if err != nil || len(d.Sizes) != 2 {
		t.Fatal(err, d)
	}
	answers := make([]checking.Answer, 20)
	for k := range answers {
		answers[k] = checking.Right
	}
	first := func(after int) int { // check of stratum 0
		for k := after; ; k++ {
			if d.Checks[k].Stratum == 0 {
				return k
			}
		}
	}
	skipped := first(2)
	answers[skipped] = checking.Skipped
	open := first(10)
	answers[open] = checking.Unanswered
	answers[first(open+1)] = checking.Ambiguous
	c, err := d.Count(w, answers)
	if err != nil {
		t.Fatal(err)
	}
	later := 0
	for _, check := range d.Checks[open+1:] {
		if check.Stratum == 0 {
			later++
		}
	}
	if c.Ahead != later || c.Checked != 20-2-later || c.By[checking.Ambiguous] != 0 || later < 2 {
		t.Errorf("%d ahead and %d checked, want %d and %d; %v", c.Ahead, c.Checked, later, 18-later, c.By)
	}
}

// The model's own number is compared with the checks, in all and by stratum.
func TestMisfit(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	for _, tt := range []struct {
		of     population
		fits   bool
		checks int
		want   float64 // share of misfits, at least or at most
	}{{populations[1], false, 200, .8}, {populations[2], false, 100, .8}, {populations[1], true, 200, .1}, {populations[2], true, 100, .1}} {
		l := tt.of.labels(examples, rng)
		if tt.fits {
			for x := range l.wrong { // as the model says
				l.wrong[x] = rng.Float64() < l.w[x]
			}
		}
		const audits = 60
		share := 0.
		for range audits {
			d, err := checking.NewDraw(l.w, tt.checks, 0, rng)
			if err != nil {
				t.Fatal(err)
			}
			c, err := d.Count(l.w, l.answers(d, tt.checks))
			if err != nil {
				t.Fatal(err)
			}
			if c.Misfit() {
				share += 1. / audits
			}
			checked, size := 0, 0
			for _, s := range c.Strata {
				checked, size = checked+s.Checked, size+s.Size
				if s.Expected > float64(s.Checked) {
					t.Errorf("%+v", s)
				}
			}
			if checked != tt.checks || size != examples {
				t.Errorf("%d checks of %d labels", checked, size)
			}
		}
		if !tt.fits && share < tt.want || tt.fits && share > tt.want {
			t.Errorf("%s: the model misfits in %.2f of the audits, want %v", tt.of.name, share, tt.want)
		}
	}
}

// As many more checks as More says make the interval about as narrow as was asked for.
func TestMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := populations[1]
	l := p.labels(examples, rng)
	const audits, share = 30, .12
	reached := 0.
	for range audits {
		d, err := checking.NewDraw(l.w, 100, examples, rng)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Count(l.w, l.answers(d, 100))
		if err != nil {
			t.Fatal(err)
		}
		more := c.More(share)
		if wide := c.More(1); wide != 0 {
			t.Errorf("%d more checks for an interval that is wide enough", wide)
		}
		c, err = d.Count(l.w, l.answers(d, min(examples, 100+more)))
		if err != nil {
			t.Fatal(err)
		}
		reached += (c.High - c.Low) / 2 / c.Wrong / audits
	}
	if math.Abs(reached-share) > .02 {
		t.Errorf("the interval reaches %.3f of the count to each side, want %.2f", reached, share)
	}
}

func TestByClassSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	l := populations[2].labels(1000, rng)
	d, err := checking.NewDraw(l.w, 50, 0, rng)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Count(l.w, l.answers(d, 50))
	if err != nil {
		t.Fatal(err)
	}
	by, err := c.ByClass(l.given, 4)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.
	for _, k := range by {
		sum += k.Wrong
		if k.Low > k.Wrong || k.Wrong > k.High {
			t.Errorf("%+v", k)
		}
	}
	if math.Abs(sum-c.Wrong) > .01 {
		t.Errorf("classes sum to %v, want %v", sum, c.Wrong)
	}
	if _, err := c.ByClass(l.given, 3); err == nil {
		t.Error("a label of no class, and no error")
	}
	if _, err := c.ByClass(l.given[1:], 4); err == nil {
		t.Error("a label is missing, and no error")
	}
}

func TestCountErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	d, err := checking.NewDraw([]float64{.1, .2, .3}, 3, 0, rng)
	if err != nil {
		t.Fatal(err)
	}
	right := []checking.Answer{checking.Right, checking.Right, checking.Right, checking.Right}
	for name, try := range map[string]func() error{
		"other labels":   func() error { _, err := d.Count([]float64{.1}, right[:3]); return err },
		"many answers":   func() error { _, err := d.Count([]float64{.1, .2, .3}, right); return err },
		"one answer":     func() error { _, err := d.Count([]float64{.1, .2, .3}, right[:1]); return err },
		"no labels":      func() error { _, err := checking.NewDraw(nil, 3, 0, rng); return err },
		"no checks":      func() error { _, err := checking.NewDraw([]float64{.1}, 0, 0, rng); return err },
		"no probability": func() error { _, err := checking.NewDraw([]float64{math.NaN()}, 1, 0, rng); return err },
	} {
		if try() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
