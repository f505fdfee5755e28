package judging_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
)

// faintPrecision is the average precision by the posteriors of Faint.
func (c crowd) faintPrecision(t *testing.T, p []float32) float64 {
	t.Helper()
	a, err := judging.SelfConfidence(p, c.given, c.t.Dim())
	if err != nil {
		t.Fatal(err)
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

// Where T says how labels go wrong, weak networks rank by it and by the neighbours, better than by
// self-confidence. Where T is made of what they do not know, the ranking is by the noisy posterior and the neighbours.
func TestFaint(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	c := newCrowd(t, rng, flips, 4000)
	noisy := make([]float32, len(c.g)) // p(ỹ|x) of networks that are half as sure
	for x := range c.given {
		for j := range 3 {
			q := 0.
			for k := range 3 {
				q += c.t.At(k, j) * float64(c.g[3*x+k])
			}
			noisy[3*x+j] = float32(.5*q + .5/3)
		}
	}
	alone := c.faintPrecision(t, noisy)
	identity, err := correction.Identity(c.t.Classes())
	if err != nil {
		t.Fatal(err)
	}
	near := func(p []float32, m *correction.Matrix) []float32 {
		p, _, _, err := judging.Neighbours(p, c.given, c.near, m)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, clean := range [][]float32{nil, near(c.g, c.t)} {
		p, kind, err := judging.Faint(near(noisy, identity), clean, c.given, c.t)
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if clean != nil {
			want = 2
		}
		if got := c.faintPrecision(t, p); got < alone+.02 || kind != want {
			t.Errorf("kind %d, want %d; average precision %.3f, by self-confidence %.3f", kind, want, got, alone)
		}
	}
	far, err := correction.NewMatrix(c.t.Classes(), [][]float64{{.4, .3, .3}, {.3, .4, .3}, {.3, .3, .4}})
	if err != nil {
		t.Fatal(err)
	}
	p, kind, err := judging.Faint(near(noisy, identity), near(c.g, far), c.given, far)
	if got := c.faintPrecision(t, p); err != nil || kind != 0 || got < alone+.01 {
		t.Errorf("kind %d by a T that is far from the labels' own, want 0; average precision %.3f, by self-confidence %.3f; %v", kind, got, alone, err)
	}
}
