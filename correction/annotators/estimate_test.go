package annotators_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/expect"
)

// For people who err independently Estimate finds each T, beats the votes, predicts its number of wrong labels, and
// leaves the exponents near 1.
func TestEstimateFindsT(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{2, 4} {
		c := newCrowd(t, rng, drawn{tasks: 4000, workers: 12, classes: classes, each: 4, clear: 1.5})
		votes := c.wrong(estimate(t, c.Answers, annotators.Options{Method: "majority"}))
		alone := estimate(t, c.Answers, annotators.Options{})
		with := estimate(t, c.Answers, annotators.Options{Posteriors: c.g})
		if a, w := c.wrong(alone), c.wrong(with); a > .85*votes || w > .75*a {
			t.Errorf("%d classes: %v wrong labels by votes, %v by T, %v with the network", classes, votes, a, w)
		}
		for name, found := range map[string]*annotators.Consensus{"alone": alone, "with the network": with} {
			if d := c.distance(t, found); d > .08 {
				t.Errorf("%d classes, %s: rows of T are %.3f away", classes, name, d)
			}
			if ratio := expectedWrong(c.Answers, found) / c.wrong(found); ratio < .8 || ratio > 1.25 {
				t.Errorf("%d classes, %s: expected number is %.2f of the true one", classes, name, ratio)
			}
			if found.People < .8 || found.People > 1.2 {
				t.Errorf("%d classes, %s: exponent of the people %.2f, want about 1", classes, name, found.People)
			}
		}
		if with.LeftOut < alone.LeftOut+.02 {
			t.Errorf("%d classes: answers have a mean log-probability of %.3f with the network, %.3f without", classes,
				with.LeftOut, alone.LeftOut)
		}
		if with.Network < .8 || with.Network > 1.2 {
			t.Errorf("%d classes: exponent of a calibrated network %.2f, want about 1", classes, with.Network)
		}
	}
}

// expectedWrong is the expected number of wrong consensus labels among the examples that have an answer.
func expectedWrong(a *annotators.Answers, c *annotators.Consensus) (sum float64) {
	for i := range a.Tasks {
		if len(a.Of(i)) > 0 {
			sum += 1 - c.Sure(i)
		}
	}
	return sum
}

// Answers weigh less if people err together on some examples, and an overconfident network weighs less.
func TestExponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	c := newCrowd(t, rng, drawn{tasks: 3000, workers: 10, classes: 3, each: 5, hard: .2, clear: 1.5})
	found := estimate(t, c.Answers, annotators.Options{Posteriors: c.g})
	if found.People > .85 {
		t.Errorf("exponent of the people %.2f, want less than .85: a fifth of the examples misleads all", found.People)
	}
	sure := slices.Clone(c.g)
	for n, v := range sure {
		sure[n] = v * v * v
	}
	again := estimate(t, c.Answers, annotators.Options{Posteriors: sure})
	if math.Abs(3*again.Network-found.Network) > .05 {
		t.Errorf("exponent of the network %.3f, of its cube %.3f, want a third", found.Network, again.Network)
	}
	ds := estimate(t, c.Answers, annotators.Options{Method: "dawid-skene"})
	mine := estimate(t, c.Answers, annotators.Options{})
	gap := func(e *annotators.Consensus) float64 {
		return math.Abs(math.Log(expectedWrong(c.Answers, e) / c.wrong(e)))
	}
	if gap(mine) >= gap(ds) {
		t.Errorf("expected number of wrong labels: off by %.2f (logarithm), with Dawid-Skene by %.2f", gap(mine), gap(ds))
	}
}

// An example without answers has the network's posterior; an answer against the network moves the consensus.
func TestNetworkAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	c := newCrowd(t, rng, drawn{tasks: 500, workers: 5, classes: 2, each: 3, clear: 1})
	list := slices.DeleteFunc(slices.Clone(c.List), func(x annotators.Answer) bool { return x.Task == 7 })
	c.Answers, _ = annotators.New(c.Tasks, c.Workers, c.Classes, list)
	found := estimate(t, c.Answers, annotators.Options{Posteriors: c.g})
	a, b := math.Pow(float64(c.g[14]), found.Network), math.Pow(float64(c.g[15]), found.Network)
	if want := a / (a + b); math.Abs(found.Of(7)[0]-want) > 1e-6 {
		t.Errorf("an example without an answer: %v, want %v", found.Of(7)[0], want)
	}
	alone := estimate(t, c.Answers, annotators.Options{})
	mean := 0.
	for i := range c.Tasks {
		if i != 7 {
			mean += alone.Of(i)[0] / float64(c.Tasks-1)
		}
	}
	if math.Abs(alone.Of(7)[0]-mean) > 5e-3 {
		t.Errorf("without a network: %v, want the share of the class %v", alone.Of(7)[0], mean)
	}
}

// If each person gives one answer and no two share an example, every T is the pooled one and nothing is NaN.
func TestOneAnswerEach(t *testing.T) {
	var list []annotators.Answer
	var names []string
	for i := range int32(20) {
		names = append(names, string(rune('a'+i)))
		list = append(list, annotators.Answer{Task: i, Worker: i, Label: i % 2})
	}
	a := newAnswers(t, 20, names, []string{"no", "yes"}, list)
	for _, method := range annotators.All.Names() {
		found := estimate(t, a, annotators.Options{Method: method})
		for i, label := range found.Label {
			if q := found.Sure(i); math.IsNaN(q) || q < .5 || method != "dawid-skene" && label != i%2 {
				t.Errorf("%s: example %d is %d with probability %v", method, i, label, q)
			}
		}
		if method == "transition" && (math.Abs(found.T[0].At(0, 0)-found.Pooled.At(0, 0)) > .35 || found.People != 1) {
			t.Errorf("T\n%v of all\n%v exponent %v", found.T[0], found.Pooled, found.People)
		}
	}
}

// Answers and posteriors out of range are refused.
func TestRefused(t *testing.T) {
	two := []string{"a", "b"}
	for want, list := range map[string][]annotators.Answer{
		"no answers":            {},
		"example 3":             {{Task: 3}},
		"person 2":              {{Worker: 2}},
		"label -1":              {{Label: -1}},
		"example 1 twice":       {{Task: 1, Worker: 1}, {}, {Task: 1, Worker: 1, Label: 1}},
		"answer 1: example -1,": {{}, {Task: -1}},
	} {
		expect.Fails(t, expect.Err(annotators.New(3, two, two, list)), want)
	}
	expect.Fails(t, expect.Err(annotators.New(1, two, two[:1], []annotators.Answer{{}})), "1 class names")
	a := newAnswers(t, 1, two, two, []annotators.Answer{{}})
	for want, o := range map[string]annotators.Options{
		"unknown method":    {Method: "mean"},
		"cannot use":        {Method: "majority", Posteriors: []float32{1, 0}},
		"3 posteriors":      {Posteriors: []float32{1, 0, 0}},
		"example 0 for":     {Posteriors: []float32{1, -1}},
		"class b is NaN":    {Posteriors: []float32{1, float32(math.NaN())}},
		"class a is +Inf":   {Posteriors: []float32{float32(math.Inf(1)), 0}},
		"1 examples x 2 cl": {Posteriors: []float32{}},
	} {
		expect.Fails(t, expect.Err(annotators.Estimate(a, o)), want)
	}
}

// The pooled matrix, which Ask takes for a person without answers, counts each answer once: people who have only seen
// one class do not change the row of another.
func TestPooledCountsAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const tasks, busy, people = 600, 3, 12
	var list []annotators.Answer
	for i := range tasks {
		truth := i % 2
		for r := range people {
			if r >= busy && (truth == 1 || i >= 40) {
				continue
			}
			label := truth
			if rng.Float64() < .1 {
				label = 1 - truth
			}
			list = append(list, annotators.Answer{Task: int32(i), Worker: int32(r), Label: int32(label)})
		}
	}
	a := newAnswers(t, tasks, strings.Split("abcdefghijkl", ""), []string{"x", "y"}, list)
	for _, method := range annotators.All {
		found := estimate(t, a, annotators.Options{Method: method.Name})
		if found.T == nil {
			continue
		}
		for k := range 2 {
			row := []float64{.5, .5} // plus one answer, spread evenly
			for _, x := range a.List {
				row[x.Label] += found.Of(int(x.Task))[k]
			}
			if want := row[k] / (row[0] + row[1]); math.Abs(found.Pooled.At(k, k)-want) > .005 || math.Abs(want-.9) > .03 {
				t.Errorf("%s: pooled T[%d][%d] = %.3f, %.3f by counting", method.Name, k, k, found.Pooled.At(k, k), want)
			}
		}
	}
}
