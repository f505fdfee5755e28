package judging_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
)

// newHard makes examples of which some are hard: networks are less sure of them, and wrong more often, which mostly
// shows by the neighbours. Labels go wrong at random: a share of low at the easiest ones, of high at the hardest.
func newHard(t *testing.T, rng *rand.Rand, low, high float64) crowd {
	t.Helper()
	const n, classes = 8000, 5
	m, err := correction.Symmetric([]string{"a", "b", "c", "d", "e"}, (low+high)/2)
	if err != nil {
		t.Fatal(err)
	}
	other := func(k int) int { return (k + 1 + rng.IntN(classes-1)) % classes }
	c, members, says := crowd{t: m}, make([][]int32, classes), []int{}
	for x := range n {
		truth, hard := x%classes, rng.Float64()
		predicted, vote := truth, truth
		if rng.Float64() < .4*hard*hard {
			if predicted = other(truth); rng.IntN(6) == 0 {
				vote = predicted
			}
		}
		row := make([]float32, classes)
		for k := range row {
			row[k] = float32(.1 * (hard + .01))
		}
		row[predicted] = float32(1 - .4*(hard+.01))
		given := truth
		if rng.Float64() < low+(high-low)*hard {
			given = other(truth)
		}
		c.g, c.given, says = append(c.g, row...), append(c.given, given), append(says, vote)
		members[truth] = append(members[truth], int32(x))
	}
	for _, k := range says {
		for range 10 {
			c.near = append(c.near, members[k][rng.IntN(len(members[k]))])
		}
	}
	return c
}

// Where hard examples have more wrong labels, it is noticed; where one T holds for all, it is not, however
// many there are.
func TestUneven(t *testing.T) {
	for _, tt := range []struct {
		low, high   float64
		least, most int // of 40 draws in which it is noticed
	}{{.2, .2, 0, 4}, {0, 0, 0, 4}, {.4, .4, 0, 4}, {.1, .3, 36, 40}, {.2, .5, 36, 40}} {
		count, excess := 0, 0.
		for seed := range uint64(40) {
			c := newHard(t, rand.New(rand.NewPCG(seed, 7)), tt.low, tt.high)
			u, err := judging.NewUneven(c.g, c.given, c.near, c.t)
			if err != nil {
				t.Fatal(err)
			}
			if u.Noticed {
				count++
			}
			excess += u.Excess / 40
		}
		if count < tt.least || count > tt.most {
			t.Errorf("%v to %v of the labels wrong: noticed in %d of 40 draws, want %d to %d; mean excess %.3f", tt.low, tt.high, count, tt.least, tt.most, excess)
		}
	}
	if _, err := judging.NewUneven([]float32{1}, []int{0}, nil, newHard(t, rand.New(rand.NewPCG(1, 1)), 0, 0).t); err == nil {
		t.Error("no error without neighbours")
	}
}
