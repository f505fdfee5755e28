package annotators

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Of people who err on their own, as many pairs agree as are expected to, without any excess.
func TestPairsOfIndependentPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "c", "d", "e", "f"}
	var list []Answer
	for i := range int32(3000) {
		y := int32(rng.IntN(3))
		for _, r := range rng.Perm(len(names))[:2] {
			label := y
			if rng.Float64() > .4+.05*float64(r) {
				label = int32(rng.IntN(3))
			}
			list = append(list, Answer{i, int32(r), label})
		}
	}
	a, err := New(3000, names, []string{"x", "y", "z"}, list)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Estimate(a, Options{})
	if err != nil {
		t.Fatal(err)
	}
	pairs, same, expected := 0, 0., 0.
	eachPair(a, c, func(r, s int, odds []float64, agree []bool) {
		if r >= s {
			t.Errorf("pair %d and %d", r, s)
		}
		pairs++
		for n, v := range odds {
			expected += logistic(v)
			same += float64(one(agree[n]))
		}
	})
	if pairs != 15 || math.Abs(expected/same-1) > .02 {
		t.Errorf("%d pairs, %.0f agreements expected, %.0f found", pairs, expected, same)
	}
	all := agreements{}
	for n := range 1000 {
		all.add(0, n < 800)
	}
	if got, want := all.excess(), math.Log(4); math.Abs(got-want) > .2 {
		t.Errorf("excess %.3f where 80 %% agree and 50 %% should, want %.3f", got, want)
	}
}
