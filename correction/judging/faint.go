package judging

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/correction"
)

// mixingSteps bound the search for a clean posterior by likelihood.
const mixingSteps = 100

// Faint returns posteriors by which [SelfConfidence] ranks labels where networks are too weak to judge
// by ([Weak]) and similar examples are known: those, of three kinds, by which the given labels are the
// likeliest. They are
//
//   - noisy, the noisy posteriors p(ỹ|x) with what similar examples say ([Neighbours], [Blend]) by T = I;
//   - P(y|x, ỹ) by T from the clean posteriors that are the likeliest ones for these;
//   - P(y|x, ỹ) by T from clean, where it is not nil, the clean posteriors of a second stage with what similar
//     examples say.
//
// So T is used where it helps to say what the given labels are, and not where it is made of what the networks do
// not know. kind counts from 0. It is an error if posteriors do not fit the labels.
func Faint(noisy, clean []float32, labels []int, t *correction.Matrix) (p []float32, kind int, err error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(noisy) != n*c || clean != nil && len(clean) != n*c {
		return nil, 0, fmt.Errorf("correction: faint: %d and %d posteriors of %d labels of %d classes", len(noisy), len(clean), n, c)
	}
	identity, err := correction.Identity(t.Classes())
	if err != nil {
		return nil, 0, err
	}
	p = noisy
	least := loss(p, labels, identity)
	likeliest, share := make([]float32, len(p)), make([]float64, c)
	for at := 0; at < len(p); at += c {
		for k, v := range p[at : at+c] {
			share[k] = float64(v)
		}
		for k, v := range t.TrueShares(share, mixingSteps) {
			likeliest[at+k] = float32(v)
		}
	}
	candidates := [][]float32{likeliest}
	if clean != nil {
		candidates = append(candidates, clean)
	}
	for k, g := range candidates {
		if now := loss(g, labels, t); now < least {
			least, kind, p = now, k+1, TrueLabels(g, labels, t)
		}
	}
	return p, kind, nil
}

// loss returns the mean forward loss of clean posteriors.
func loss(g []float32, labels []int, t *correction.Matrix) float64 {
	c, sum := t.Dim(), 0.
	columns := t.Dense().T()
	for x, y := range labels {
		q := 0.
		for k, v := range g[x*c : (x+1)*c] {
			q += columns.At(y, k) * float64(v)
		}
		sum -= math.Log(max(q, math.SmallestNonzeroFloat32))
	}
	return sum / float64(len(labels))
}

// TrueLabels returns P(y|x, ỹ) by T from clean posteriors g, N x c row by row: g where both rule the label
// out.
func TrueLabels(g []float32, labels []int, t *correction.Matrix) []float32 {
	c := t.Dim()
	out := make([]float32, len(g))
	for x, y := range labels {
		sum := 0.
		for k, v := range g[x*c : (x+1)*c] {
			sum += t.At(k, y) * float64(v)
		}
		for k, v := range g[x*c : (x+1)*c] {
			if sum > 0 {
				out[x*c+k] = float32(t.At(k, y) * float64(v) / sum)
			} else {
				out[x*c+k] = v
			}
		}
	}
	return out
}
