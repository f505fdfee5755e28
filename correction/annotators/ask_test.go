package annotators_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/expect"
)

// information is the mutual information of the class and an answer, by the definition: the
// expected fall of the entropy of q.
func information(q []float64, t func(k, l int) float64, exponent float64) (gain float64) {
	gain = stat.Entropy(q)
	for l := range q {
		joint, sum := make([]float64, len(q)), 0.
		for k := range q {
			norm := 0.
			for m := range q {
				norm += math.Pow(t(k, m), exponent)
			}
			joint[k] = q[k] * math.Pow(t(k, l), exponent) / norm
			sum += joint[k]
		}
		floats.Scale(1/sum, joint)
		gain -= sum * stat.Entropy(joint)
	}
	return gain
}

// The oracle computes the information of every pair of example and person and takes the best person of each example.
func TestAsk(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	c := newCrowd(t, rng, drawn{tasks: 120, workers: 7, classes: 3, each: 3, hard: .2, clear: 1})
	found := estimate(t, c.Answers, annotators.Options{Posteriors: c.g})
	var want []annotators.Question
	for i := range c.Tasks {
		best := annotators.Question{Task: i, Anyone: information(found.Of(i), found.Pooled.At, found.People)}
		for r, m := range found.T {
			if slices.ContainsFunc(c.Of(i), func(x annotators.Answer) bool { return int(x.Worker) == r }) {
				continue
			}
			if gain := information(found.Of(i), m.At, found.People); gain > best.Gain {
				best.Worker, best.Gain = r, gain
			}
		}
		want = append(want, best)
	}
	slices.SortStableFunc(want, func(x, y annotators.Question) int { return cmp.Compare(y.Gain, x.Gain) })
	for _, n := range []int{0, 1, 20, 500} {
		got, err := annotators.Ask(c.Answers, found, annotators.AskOptions{Count: n})
		if err != nil || len(got) != min(n, 120) {
			t.Fatalf("%d questions, %v", len(got), err)
		}
		for k, q := range got {
			if w := want[k]; q.Task != w.Task || q.Worker != w.Worker || math.Abs(q.Gain-w.Gain) > 1e-9 ||
				math.Abs(q.Anyone-w.Anyone) > 1e-9 {
				t.Fatalf("question %d of %d is %+v, want %+v", k, n, q, w)
			}
		}
	}
}

// Nobody is asked more than Each questions or about an example that May excludes. If the best person is full, the
// gain is the next person's.
func TestAskEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	c := newCrowd(t, rng, drawn{tasks: 600, workers: 8, classes: 2, each: 4})
	found := estimate(t, c.Answers, annotators.Options{})
	got, err := annotators.Ask(c.Answers, found, annotators.AskOptions{
		Count: 60, Each: 10, May: func(task, worker int) bool { return task%2 == 0 && worker != 7 },
	})
	if err != nil || len(got) != 60 {
		t.Fatalf("%d questions, %v", len(got), err)
	}
	asked := make([]int, 8)
	for k, q := range got {
		asked[q.Worker]++
		if q.Task%2 != 0 || q.Worker == 7 {
			t.Errorf("%+v may not be asked", q)
		}
		if k > 0 && q.Gain > got[k-1].Gain+1e-12 {
			t.Errorf("question %d gains %v, the one before %v", k, q.Gain, got[k-1].Gain)
		}
		if want := information(found.Of(q.Task), found.T[q.Worker].At, found.People); math.Abs(q.Gain-want) > 1e-9 {
			t.Errorf("question %d gains %v, want %v", k, q.Gain, want)
		}
	}
	expect.Same(t, 10, slices.Max(asked), "most questions of a person")
	if asked[6] != 10 || asked[0] == 10 {
		t.Errorf("questions of each person: %v, want more of the good ones", asked)
	}
	votes := estimate(t, c.Answers, annotators.Options{Method: "majority"})
	_, err = annotators.Ask(c.Answers, votes, annotators.AskOptions{Count: 1})
	expect.Fails(t, err, "matrices of 0 people")
}
