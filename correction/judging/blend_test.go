package judging_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/judging"
)

// Other evidence of the classes improves the ranking, the best of several kinds is taken, and one that
// says nothing does not move the posterior.
func TestBlend(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	c := newCrowd(t, rng, flips, 4000)
	truth := make([]int, len(c.given))
	for x := range truth { // newCrowd gives the true class of an unsure example a little more
		for k := range 3 {
			if c.g[3*x+k] > c.g[3*x+truth[x]] {
				truth[x] = k
			}
		}
		if rng.IntN(2) == 0 && c.g[3*x+truth[x]] < .9 { // and the networks are often wrong
			k, other := 3*x+truth[x], 3*x+(truth[x]+1)%3
			c.g[k], c.g[other] = c.g[other], c.g[k]
		}
	}
	evidence := func(strength float64) []float32 {
		z := make([]float32, len(c.g))
		for k := range z {
			z[k] = float32(rng.NormFloat64())
			if k%3 == truth[k/3] {
				z[k] += float32(strength)
			}
		}
		return z
	}
	strong, weak, nothing := evidence(3), evidence(.5), evidence(0)
	b, err := judging.Blend(c.g, c.given, [][]float32{nothing, strong, weak}, c.t)
	if err != nil {
		t.Fatal(err)
	}
	// The log odds of a normal variable whose mean differs by 3 are 3 times its value.
	if before, after := c.precision(t, c.g, false), c.precision(t, b.G, false); after < before+.01 || b.Other < 2 || b.Other > 4 || b.Used != 1 {
		t.Errorf("average precision %.3f, before %.3f; weights %.2f and %.2f of %d", after, before, b.Own, b.Other, b.Used)
	}
	for x := range c.given {
		sum := 0.
		for k, p := range b.G[3*x : 3*x+3] {
			sum += float64(p)
			if p < 0 {
				t.Fatalf("example %d, class %d: %v", x, k, p)
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Fatalf("example %d: the posterior sums to %v", x, sum)
		}
	}
	same, err := judging.Blend(c.g, c.given, [][]float32{nothing}, c.t)
	if err != nil || same.Own != 1 || same.Other != 0 || same.Used != -1 || &same.G[0] != &c.g[0] {
		t.Errorf("what says nothing has the weight %v; %v", same.Other, err)
	}
}

func TestBlendErrors(t *testing.T) {
	c := newCrowd(t, rand.New(rand.NewPCG(3, 1)), flips, 10)
	z := make([]float32, len(c.g))
	endless := append([]float32{float32(math.Inf(1))}, z[1:]...)
	for name, try := range map[string]func() error{
		"nothing else":      func() error { _, err := judging.Blend(c.g, c.given, nil, c.t); return err },
		"a label too few":   func() error { _, err := judging.Blend(c.g, c.given[1:], [][]float32{z}, c.t); return err },
		"a number too few":  func() error { _, err := judging.Blend(c.g, c.given, [][]float32{z[1:]}, c.t); return err },
		"an endless number": func() error { _, err := judging.Blend(c.g, c.given, [][]float32{endless}, c.t); return err },
		"a label too large": func() error {
			_, err := judging.Blend(c.g, append([]int{9}, c.given[1:]...), [][]float32{z}, c.t)
			return err
		},
	} {
		if try() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
