package estimators

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// clouds returns posteriors of different shapes: near corners, spread, all alike, with ties, and with negative
// entries as residual directions have.
func clouds(rng *rand.Rand, n, c int) map[string][][]float64 {
	draw := func(entry func(x, j int) float64) [][]float64 {
		rows := make([][]float64, n)
		for x := range rows {
			rows[x] = make([]float64, c)
			for j := range rows[x] {
				rows[x][j] = entry(x, j)
			}
		}
		return rows
	}
	return map[string][][]float64{
		"corners": draw(func(x, j int) float64 {
			if x%c == j {
				return .9
			}
			return .1 / float64(c) * rng.Float64()
		}),
		"spread": draw(func(int, int) float64 { return rng.Float64() }),
		"alike":  draw(func(int, int) float64 { return 1 / float64(c) }),
		"ties":   draw(func(int, int) float64 { return float64(rng.IntN(2)) }),
		"signs":  draw(func(int, int) float64 { return rng.NormFloat64() }),
	}
}

// byDistance returns the k rows nearest to v by brute force, nearest first.
func byDistance(rows [][]float64, v []float64, k int) []int {
	order := make([]int, len(rows))
	for x := range order {
		order[x] = x
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(floats.Distance(rows[a], v, 2), floats.Distance(rows[b], v, 2)), cmp.Compare(a, b))
	})
	return order[:k]
}

// An index finds the same rows as brute force, ties included.
func TestNearestIsThatOfAllDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, c := range []int{2, 10, 40} {
		const n = 1500 // shared among cores
		for name, rows := range clouds(rng, n, c) {
			ix := newIndex(rows)
			for _, k := range []int{1, 7, n / 4, n} {
				v := slices.Clone(rows[rng.IntN(n)])
				for step := range 6 {
					want := byDistance(rows, v, k)
					if got := ix.inOrder(v, k); !slices.Equal(got, want) {
						t.Fatalf("%s, c = %d, k = %d: the index finds %v, want %v", name, c, k, got[:min(k, 5)], want[:min(k, 5)])
					}
					for j := range v { // from small to large steps
						v[j] += rng.NormFloat64() * []float64{1e-6, 1e-3, .01, .1, 1, 10}[step] / float64(c)
					}
				}
			}
		}
	}
}

// The oracle projects the rows in full.
func TestLargestResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	const n, c, k = 600, 12, 9
	for name, rows := range clouds(rng, n, c) {
		if name == "alike" || name == "ties" { // only rounding is left after some directions
			continue
		}
		left := newResiduals(newIndex(rows))
		residual := make([][]float64, n)
		for x := range residual {
			residual[x] = slices.Clone(rows[x])
		}
		out := make([]bool, n)
		for range c - 2 {
			for range 2 {
				size := make([]float64, n)
				for x, r := range residual {
					if !out[x] {
						size[x] = floats.Dot(r, r)
					}
				}
				want := make([]int, n)
				for x := range want {
					want[x] = x
				}
				slices.SortFunc(want, func(a, b int) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
				got := left.largest(k, out)
				if !slices.Equal(got, want[:k]) {
					t.Fatalf("%s after %d directions: %v, want %v", name, len(left.directions), got, want[:k])
				}
				out[got[1]] = true
			}
			u := slices.Clone(rows[left.largest(k, out)[k/2]])
			left.project(u)
			d := left.directions[len(left.directions)-1]
			for _, r := range residual {
				floats.AddScaled(r, -floats.Dot(r, d), d)
			}
			clear(out)
		}
	}
}
