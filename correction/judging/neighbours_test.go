package judging_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
)

// crowd are examples with posteriors that are unsure of a quarter of them, and neighbours of the
// same true class in eight of ten cases.
type crowd struct {
	t     *correction.Matrix
	g     []float32
	given []int
	wrong []bool
	near  []int32
}

func newCrowd(t *testing.T, rng *rand.Rand, rows [][]float64, n int) crowd {
	t.Helper()
	m, err := correction.NewMatrix([]string{"a", "b", "c"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	truth := make([]int, n)
	members := make([][]int32, 3)
	for x := range truth {
		truth[x] = rng.IntN(3)
		members[truth[x]] = append(members[truth[x]], int32(x))
	}
	given, err := m.Corrupt(truth, rng)
	if err != nil {
		t.Fatal(err)
	}
	c := crowd{t: m, given: given}
	for x, class := range truth {
		row := []float32{.005, .005, .005}
		row[class] = .99
		if rng.IntN(4) == 0 {
			row = []float32{.05, .05, .05}
			other := (class + 1 + rng.IntN(2)) % 3
			row[class], row[other] = .5, .45
		}
		c.g = append(c.g, row...)
		c.wrong = append(c.wrong, given[x] != class)
		for range 10 {
			of := class
			if rng.IntN(5) == 0 {
				of = rng.IntN(3)
			}
			c.near = append(c.near, members[of][rng.IntN(len(members[of]))])
		}
	}
	return c
}

// precision is the average precision of the order of an audit of g.
func (c crowd) precision(t *testing.T, g []float32, loosen bool) float64 {
	t.Helper()
	a, err := judging.Audit(g, c.given, c.t)
	if err != nil {
		t.Fatal(err)
	}
	if loosen {
		a.Loosen()
	}
	sum, hits := 0., 0.
	for k, x := range a.Order() {
		if c.wrong[x] {
			hits++
			sum += hits / float64(k+1)
		}
	}
	return sum / hits
}

var flips = [][]float64{{.7, .3, 0}, {0, 1, 0}, {.1, .1, .8}}

// Neighbours of the same class improve the ranking also where T is far from symmetric; neighbours
// that were drawn at random, and the example's own label, do not move it.
func TestNeighbours(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	c := newCrowd(t, rng, flips, 4000)
	g, own, others, err := judging.Neighbours(c.g, c.given, c.near, c.t)
	if err != nil {
		t.Fatal(err)
	}
	before, after := c.precision(t, c.g, false), c.precision(t, g, false)
	if after < before+.008 || others < 5 || others > 10 { // they are independent: 10
		t.Errorf("average precision %.3f, before %.3f; weights %.2f and %.2f", after, before, own, others)
	}
	for x := range c.given {
		sum := 0.
		for _, p := range g[3*x : 3*x+3] {
			sum += float64(p)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Fatalf("example %d: the posterior sums to %v", x, sum)
		}
	}
	for k := range c.near {
		c.near[k] = int32(rng.IntN(len(c.given)))
	}
	same, own, others, err := judging.Neighbours(c.g, c.given, c.near, c.t)
	if err != nil || own != 1 || others != 0 || &same[0] != &c.g[0] {
		t.Errorf("neighbours at random have the weight %v, and the posterior %v; %v", others, own, err)
	}
	for k := range c.near {
		c.near[k] = -1
	}
	if _, _, others, err := judging.Neighbours(c.g, c.given, c.near, c.t); err != nil || others != 0 {
		t.Errorf("no neighbours have the weight %v; %v", others, err)
	}
}

func TestNeighboursErrors(t *testing.T) {
	c := newCrowd(t, rand.New(rand.NewPCG(3, 1)), flips, 10)
	for name, try := range map[string]func() error{
		"no neighbours":   func() error { _, _, _, err := judging.Neighbours(c.g, c.given, nil, c.t); return err },
		"some neighbours": func() error { _, _, _, err := judging.Neighbours(c.g, c.given, c.near[1:], c.t); return err },
		"a label too few": func() error { _, _, _, err := judging.Neighbours(c.g, c.given[1:], c.near[10:], c.t); return err },
		"a label too large": func() error {
			_, _, _, err := judging.Neighbours(c.g, append([]int{9}, c.given[1:]...), c.near, c.t)
			return err
		},
		"a neighbour too large": func() error {
			_, _, _, err := judging.Neighbours(c.g, c.given, append([]int32{10}, c.near[1:]...), c.t)
			return err
		},
		"a neighbour below -1": func() error {
			_, _, _, err := judging.Neighbours(c.g, c.given, append([]int32{-2}, c.near[1:]...), c.t)
			return err
		},
	} {
		if try() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Where labels go wrong as T says the ranking by T stays; where a part of them goes wrong in
// any way, which T's impossible labels show, a looser T ranks better.
func TestLoosen(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	c := newCrowd(t, rng, flips, 4000)
	if judging.Loose(c.g, c.given, c.t) {
		t.Error("labels that T describes are ranked by a looser one")
	}
	for x := range c.given { // one of thirty, among those that are hard
		if c.g[3*x] > .04 && rng.IntN(8) == 0 && !c.wrong[x] {
			other := (c.given[x] + 1 + rng.IntN(2)) % 3
			c.given[x], c.wrong[x] = other, true
		}
	}
	if !judging.Loose(c.g, c.given, c.t) {
		t.Error("labels that T does not describe are ranked by it")
	}
	a, err := judging.Audit(c.g, c.given, c.t)
	if err != nil {
		t.Fatal(err)
	}
	wrong := slices.Clone(a.Wrong)
	a.Loosen()
	for x, w := range a.Wrong {
		if w != wrong[x] {
			t.Fatal("the probabilities changed")
		}
	}
	if before, after := c.precision(t, c.g, false), c.precision(t, c.g, true); after < before+.002 {
		t.Errorf("average precision %.4f, by T itself %.4f", after, before)
	}
}
