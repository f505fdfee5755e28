package checking_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/expect"
)

// uniform returns checks of the first n of a hundred examples.
func uniform(n int) []checking.Check {
	checks := make([]checking.Check, n)
	for k := range checks {
		checks[k] = checking.Check{Index: k, Chance: .01}
	}
	return checks
}

func constant(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

// answersOf returns n answers; the first of them are wrong.
func answersOf(wrong, n int) []checking.Answer {
	right := slices.Repeat([]checking.Answer{checking.Right}, n-wrong)
	return append(slices.Repeat([]checking.Answer{checking.Wrong}, wrong), right...)
}

// Answers count up to the first unanswered check; skipped checks do not count.
func TestAnswers(t *testing.T) {
	answers := []checking.Answer{checking.Wrong, checking.Skipped, checking.None, checking.Ambiguous, checking.Right,
		checking.Unanswered, checking.Wrong, checking.Skipped, checking.Right}
	c := count(t, constant(.1, 100), uniform(12), answers)
	expect.Same(t, 4, c.Checked, "checked")
	if math.Abs(c.Wrong-50) > 1e-9 { // two of four in a uniform draw
		t.Errorf("%v wrong", c.Wrong)
	}
}

// An example drawn twice counts twice in the mean but is one label.
func TestReplacement(t *testing.T) {
	w, chance := []float64{.5, .5, .5, .5}, .25
	checks := []checking.Check{{0, chance}, {0, chance}, {0, chance}, {1, chance}}
	c := count(t, w, checks, []checking.Answer{checking.Wrong, checking.Wrong, checking.Wrong, checking.Right})
	if math.Abs(c.Wrong-3) > 1e-9 || c.Low != 1 || c.High != 3 {
		t.Errorf("%v wrong, from %v to %v; want 3 from 1 to 3", c.Wrong, c.Low, c.High)
	}
}

// If none or all of the checked labels are wrong, a uniform draw gives the interval of Clopper and Pearson. It is
// twice as long if the smallest chance is 1/(2N).
func TestExact(t *testing.T) {
	right, wrong := answersOf(0, 20), answersOf(20, 20)
	const bound = .1391083 // scipy.stats.beta.ppf(.95, 1, 20)
	w := constant(.3, 100)
	c := count(t, w, uniform(20), right)
	if c.Wrong != 0 || c.Low != 0 || math.Abs(c.High-100*bound) > 1e-4 {
		t.Errorf("none is wrong: %v from %v to %v", c.Wrong, c.Low, c.High)
	}
	expect.Same(t, 80, c.More(.1), "more checks if none is wrong")
	c = count(t, w, uniform(20), wrong)
	if c.Wrong != 100 || c.High != 100 || math.Abs(c.Low-100*(1-bound)) > 1e-4 {
		t.Errorf("all are wrong: %v from %v to %v", c.Wrong, c.Low, c.High)
	}
	checks := uniform(20)
	checks[7].Chance = .005
	if c = count(t, w, checks, right); math.Abs(c.High-200*bound) > 1e-4 {
		t.Errorf("none is wrong of half uniform checks: up to %v", c.High)
	}
	classes, err := c.ByClass(make([]int, 100), 2)
	if err != nil || classes[0].High != c.High || classes[1] != (checking.ClassCount{}) {
		t.Errorf("%v, %v", classes, err)
	}
}

// The interval of skewed terms, and for an underconfident model.
func TestInterval(t *testing.T) {
	checks := uniform(20)
	for k := range checks {
		checks[k].Chance = .001
	}
	for _, c := range []struct {
		w               float64
		wrong           int
		want, low, high float64 // numpy and scipy.stats.t, by the formulas of interval
	}{
		{.1, 2, 100, 2, 263.212485},
		{.5, 19, 950, 783.675677, 999},
	} {
		got := count(t, constant(c.w, 1000), checks, answersOf(c.wrong, 20))
		if math.Abs(got.Wrong-c.want) > 1e-6 || math.Abs(got.Low-c.low) > 1e-5 || math.Abs(got.High-c.high) > 1e-5 {
			t.Errorf("%d wrong: %v from %v to %v, want %v from %v to %v", c.wrong, got.Wrong, got.Low, got.High, c.want, c.low,
				c.high)
		}
	}
}

// After about More checks the interval is as short as requested.
func TestMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	l := populations[1].labels(rng)
	first := l.review(t, 100, rng)
	more := first.More(.06)
	c := l.review(t, 100+more, rng)
	if reach := max(c.High-c.Wrong, c.Wrong-c.Low) / c.Wrong; reach < .045 || reach > .075 {
		t.Errorf("after %d more checks the interval reaches %.3f, want .06", more, reach)
	}
	expect.Same(t, 0, c.More(.5), "more checks for what is reached")
}

// Checks, answers and labels have to match.
func TestNewCountErrors(t *testing.T) {
	two := []checking.Answer{checking.Right, checking.Wrong}
	w := constant(.1, 100)
	for name, c := range map[string]struct {
		w       []float64
		checks  []checking.Check
		answers []checking.Answer
	}{
		"few":         {w, uniform(2), two[:1]},
		"answers":     {w, uniform(1), two},
		"probability": {constant(-.1, 100), uniform(2), two},
		"example":     {w[:1], uniform(2), two},
		"chance":      {w, make([]checking.Check, 2), two},
	} {
		expect.Fails(t, expect.Err(checking.NewCount(c.w, c.checks, c.answers)), "checking: ", name)
	}
	c := count(t, w, uniform(2), two)
	expect.Fails(t, expect.Err(c.ByClass(make([]int, 99), 1)), "99 labels")
	expect.Fails(t, expect.Err(c.ByClass(make([]int, 100), 0)), "not one of 0 classes")
}
