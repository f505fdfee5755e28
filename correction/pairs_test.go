package correction_test

import (
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

// FromPairs counts pairs; a class without pairs and a number out of range are errors.
func TestFromPairs(t *testing.T) {
	classes := []string{"a", "b"}
	m := expect.Got(correction.FromPairs(classes, [][2]int{{0, 0}, {0, 0}, {0, 0}, {0, 1}, {1, 1}}))(t)
	expect.Same(t, [][]float64{{.75, .25}, {0, 1}}, m.Rows())
	for want, pairs := range map[string][][2]int{
		"class b has no example with both labels": {{0, 0}},
		"pair 1 of labels is [0 2]":               {{0, 0}, {0, 2}},
	} {
		expect.Fails(t, expect.Err(correction.FromPairs(classes, pairs)), want)
	}
}

// Groups may be scattered, as CIFAR-100's super-classes are, or blocks.
func TestCircularFlips(t *testing.T) {
	classes := []string{"a", "b", "c", "d", "e"}
	got := correction.CircularFlips(classes, []int{0, 1, 0, 1, 2})
	want := []correction.Flip{{From: "a", To: "c"}, {From: "b", To: "d"}, {From: "c", To: "a"}, {From: "d", To: "b"}}
	expect.Same(t, want, got)
	got = correction.CircularFlips(classes[:4], correction.Blocks(4, 2))
	want = []correction.Flip{{From: "a", To: "b"}, {From: "b", To: "a"}, {From: "c", To: "d"}, {From: "d", To: "c"}}
	expect.Same(t, want, got)
}
