package judging

import (
	"testing"

	"github.com/losscorr/losscorr/correction"
)

// One ranking is better than another if it has the labels that are known to be wrong before those that are known to be
// right far oftener, and enough of both are known.
func TestBetter(t *testing.T) {
	const n = 20
	given := make([]int, n)
	var up, down []float32
	var known []correction.Trusted
	for x := range n {
		p := .3 + .02*float32(x)
		up, down = append(up, p, 1-p), append(down, 1-p, p)
		known = append(known, correction.Trusted{Index: x, Label: 0})
		if x < n/2 {
			known[x].Label = 1
		}
	}
	symmetric, err := correction.Symmetric([]string{"a", "b"}, .2)
	if err != nil {
		t.Fatal(err)
	}
	good, bad := mustAudit(t, up, given, symmetric), mustAudit(t, down, given, symmetric)
	if !good.Better(bad, known) || bad.Better(good, known) || good.Better(good, known) {
		t.Error("the ranking with all wrong labels first is not the better one")
	}
	if good.Better(bad, known[6:]) || good.Better(bad, known[:14]) || !good.Better(bad, known[5:15]) {
		t.Error("fewer than five right or wrong labels decide")
	}
}
