package correction_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

// The oracle of Assign is the least cost over all permutations, c up to 6.
func TestAssignIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for range 300 {
		c := 1 + rng.IntN(6)
		cost := make([][]float64, c)
		for i := range cost {
			cost[i] = make([]float64, c)
			for j := range cost[i] {
				cost[i][j] = float64(rng.IntN(10)) - 3 // ties and negatives
			}
		}
		got, seen := 0.0, make([]bool, c)
		for i, j := range correction.Assign(cost) {
			if seen[j] {
				t.Fatalf("column %d is assigned twice", j)
			}
			seen[j] = true
			got += cost[i][j]
		}
		expect.Same(t, bruteForce(cost, 0, make([]bool, c)), got, "cost of", cost)
	}
}

func bruteForce(cost [][]float64, row int, used []bool) float64 {
	if row == len(cost) {
		return 0
	}
	best := math.Inf(1)
	for j := range used {
		if !used[j] {
			used[j] = true
			best = min(best, cost[row][j]+bruteForce(cost, row+1, used))
			used[j] = false
		}
	}
	return best
}

// The error is the mean distance of the rows; swapped rows are seen, and matrices of two sizes are not compared.
func TestRowErrorAndPermutation(t *testing.T) {
	truth := correction.Normalized(abc, [][]float64{{.4, .6, 0}, {.6, .4, 0}, {0, 0, 1}})
	swapped := correction.Normalized(abc, [][]float64{{.6, .4, 0}, {.4, .6, 0}, {0, 0, 1}})
	expect.Same(t, 0, correction.RowError(truth, truth), "row error of T to itself")
	// Two rows at distance .2 + .2, one at 0.
	if got, want := correction.RowError(swapped, truth), .8/3; math.Abs(got-want) > 1e-15 {
		t.Errorf("row error = %v, want %v", got, want)
	}
	if !correction.RowsPermuted(swapped, truth) || correction.RowsPermuted(truth, truth) {
		t.Error("swapped rows were not seen, or T seems a permutation of itself")
	}
	defer func() {
		if recover() == nil {
			t.Error("matrices of 3 and 2 classes were compared")
		}
	}()
	correction.RowError(truth, symmetric(t, .2))
}
