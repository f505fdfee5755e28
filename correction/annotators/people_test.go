package annotators_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/expect"
)

// Intervals of people's accuracy hold the true share of right answers about as often as they claim.
func TestPeopleIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	held, all := 0, 0
	for range 20 {
		c := newCrowd(t, rng, drawn{tasks: 600, workers: 10, classes: 3, each: 5, clear: 1})
		right, count := make([]float64, 10), make([]float64, 10)
		for _, x := range c.List {
			count[x.Worker]++
			if int(x.Label) == c.truth[x.Task] {
				right[x.Worker]++
			}
		}
		for r, p := range annotators.People(c.Answers, estimate(t, c.Answers, annotators.Options{}), nil) {
			all++
			if truth := right[r] / count[r]; p.Interval.Low <= truth && truth <= p.Interval.High {
				held++
			}
			if p.Interval.Low > p.Accuracy || p.Interval.High < p.Accuracy || p.Name != c.Workers[r] ||
				float64(p.Answers) != count[r] {
				t.Errorf("%+v", p)
			}
		}
	}
	if share := float64(held) / float64(all); share < .9 {
		t.Errorf("%.2f of the intervals hold the truth, want .9 at least", share)
	}
}

// Verdicts, confusions and agreement of a hand-made crowd.
func TestPeopleCounts(t *testing.T) {
	var list []annotators.Answer
	for i := range int32(40) {
		y := i % 2
		for r, label := range []int32{y, y, y, 1 - y, 1, 1} {
			if r < 5 || i < 4 {
				list = append(list, annotators.Answer{Task: i, Worker: int32(r), Label: label})
			}
		}
	}
	a := newAnswers(t, 40, []string{"a", "b", "c", "liar", "lazy", "new"}, []string{"no", "yes"}, list)
	c := estimate(t, a, annotators.Options{Method: "majority"})
	for i := range c.Posterior { // the truth
		c.Posterior[i] = float64(1 - (i/2+i)%2)
	}
	predicted := make([]int, 40)
	predicted[1] = -1
	people := annotators.People(a, c, predicted)
	for r, want := range []annotators.Verdict{annotators.Helpful, annotators.Helpful, annotators.Helpful,
		annotators.Harmful, annotators.Useless, annotators.Unknown} {
		expect.Same(t, want, people[r].Verdict(), people[r])
	}
	liar, lazy := people[3], people[4]
	expect.Same(t, []float64{0, .5, .5, .5}, []float64{liar.Accuracy, liar.Chance, lazy.Accuracy, lazy.Chance})
	confused := [][]annotators.Confusion{{{0, 1, 20}, {1, 0, 20}}, {{0, 1, 20}}}
	expect.Same(t, confused, [][]annotators.Confusion{liar.Confused, lazy.Confused}, "confused")
	if want := 20. / 39; math.Abs(people[0].Network-want) > 1e-12 { // it predicts no, nothing for example 1
		t.Errorf("agreement with the network %v, want %v", people[0].Network, want)
	}
	if want := 102. / 164; math.Abs(people[0].Others-want) > 1e-12 { // b and c 40 each, lazy 20, new 2 of 4
		t.Errorf("agreement with others %v, want %v", people[0].Others, want)
	}
}

// Copies finds a person who takes most answers from another, and nobody among people who err independently or
// together on hard examples.
func TestCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, hard := range []float64{0, .4} {
		for range 10 {
			c := newCrowd(t, rng, drawn{tasks: 1500, workers: 8, classes: 3, each: 5, hard: hard, clear: 1})
			if copies := annotators.Copies(c.Answers, estimate(t, c.Answers, annotators.Options{})); len(copies) > 0 {
				t.Errorf("hard %v: %+v", hard, copies)
			}
		}
		c := newCrowd(t, rng, drawn{tasks: 1500, workers: 12, classes: 3, each: 6, hard: hard, clear: 1})
		list := slices.Clone(c.List)
		of := map[int32]int32{}
		for _, x := range list {
			if x.Worker == 2 {
				of[x.Task] = x.Label
			}
		}
		shared, same := 0, 0
		for n, x := range list {
			if label, both := of[x.Task]; both && x.Worker == 5 {
				if rng.IntN(10) > 0 {
					list[n].Label = label
				}
				shared++
				if list[n].Label == label {
					same++
				}
			}
		}
		c.Answers = newAnswers(t, c.Tasks, c.Workers, c.Classes, list)
		found := estimate(t, c.Answers, annotators.Options{})
		got := annotators.Copies(c.Answers, found)
		if len(got) != 1 || got[0].First != 2 || got[0].Second != 5 || got[0].Shared != shared || got[0].Same != same ||
			got[0].Expected > .9*float64(same) {
			t.Errorf("hard %v: %+v, want a copy of 2 and 5 with %d of %d", hard, got, same, shared)
		}
	}
	c := newCrowd(t, rng, drawn{tasks: 50, workers: 4, classes: 2, each: 3, clear: 1})
	if got := annotators.Copies(c.Answers, estimate(t, c.Answers, annotators.Options{Method: "majority"})); got != nil {
		t.Errorf("without matrices: %v", got)
	}
}
