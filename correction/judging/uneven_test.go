package judging_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
)

// newHard makes examples of which some are hard: they look like two classes, and more often like the wrong one, which
// mostly shows by the neighbours. Labels go wrong to any class at the easiest ones and mostly to the one that the
// example looks like at the hardest: a share of low to high of them.
func newHard(t *testing.T, rng *rand.Rand, low, high float64) crowd {
	t.Helper()
	const n, classes = 3000, 5
	m, err := correction.Symmetric([]string{"a", "b", "c", "d", "e"}, (low+high)/2)
	if err != nil {
		t.Fatal(err)
	}
	other := func(k int) int { return (k + 1 + rng.IntN(classes-1)) % classes }
	c, members, says := crowd{t: m}, make([][]int32, classes), []int{}
	for x := range n {
		truth, hard := x%classes, rng.Float64()
		rival, doubt := other(truth), .01+.5*hard*hard // of the first class or of the other one
		first, vote := truth, truth
		if rng.Float64() < doubt {
			first, rival = rival, truth
			if rng.IntN(6) == 0 {
				vote = first
			}
		}
		row := slices.Repeat([]float32{.001}, classes)
		row[first], row[rival] = float32(1-doubt), float32(doubt)
		given := truth
		if rng.Float64() < low+(high-low)*hard {
			if given = other(truth); high > low && rng.Float64() < .8 {
				given = first + rival - truth
			}
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
	const draws = 6
	for _, tt := range []struct {
		low, high   float64
		least, most int // of the draws in which it is noticed
	}{{.2, .2, 0, 1}, {0, 0, 0, 1}, {.4, .4, 0, 1}, {.05, .4, 5, draws}, {.2, .7, 5, draws}} {
		count, z := 0, 0.
		for seed := range uint64(draws) {
			c := newHard(t, rand.New(rand.NewPCG(seed, 7)), tt.low, tt.high)
			u, err := judging.NewUneven(c.g, nil, c.given, c.near, c.t)
			if err != nil {
				t.Fatal(err)
			}
			if u.Noticed {
				count++
			}
			if tt.low == tt.high && u.Supposed > .1 { // of the harder half, it is .3
				t.Errorf("%+v", u)
			}
			z += u.Z / draws
		}
		if count < tt.least || count > tt.most {
			t.Errorf("%v to %v of the labels wrong: noticed in %d of %d draws, want %d to %d; the mean of both signs is %.1f", tt.low, tt.high, count, draws, tt.least, tt.most, z)
		}
	}
	if _, err := judging.NewUneven([]float32{1}, nil, []int{0}, nil, newHard(t, rand.New(rand.NewPCG(1, 1)), 0, 0).t); err == nil {
		t.Error("no error without neighbours")
	}
}

// Evidence beside the networks says how sure an example is of its class, too.
func TestUnevenByOtherEvidence(t *testing.T) {
	c := newHard(t, rand.New(rand.NewPCG(1, 7)), .2, .7)
	z := make([]float32, len(c.g))
	for k, p := range c.g {
		z[k] = float32(math.Log(float64(p)))
	}
	even := slices.Repeat([]float32{.2}, len(c.g))
	for _, parts := range [][2][]float32{{c.g, z}, {even, z}} {
		u, err := judging.NewUneven(parts[0], parts[1], c.given, c.near, c.t)
		if err != nil || !u.Noticed {
			t.Errorf("%+v, %v", u, err)
		}
	}
}
