package run

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
)

// manyLabels returns labels of 3 classes of unequal size, in random order.
func manyLabels(n int) []int {
	labels := make([]int, n)
	for i := range labels {
		labels[i] = min(i*7%11/3, 2)
	}
	return labels
}

// Each example is judged exactly once, by the network that leaves its fold out, and each fold has its share of every
// class.
func TestFoldsJudgeEachExampleOnce(t *testing.T) {
	labels := manyLabels(1001)
	c := config.Config{Seed: 1}
	c.Folds.Count = 4
	judged := make([]int, len(labels))
	for out := 1; out <= 4; out++ {
		c.Folds.Out = out
		rows := OutOfFold(c, labels, nil)
		if !slices.IsSorted(rows) {
			t.Errorf("part %d is not in order", out)
		}
		for class := range 3 {
			here := 0
			for _, row := range rows {
				if labels[row] == class {
					here++
				}
			}
			all := 0
			for _, y := range labels {
				if y == class {
					all++
				}
			}
			if here < all/4 || here > all/4+1 {
				t.Errorf("part %d has %d of %d examples of class %d", out, here, all, class)
			}
		}
		for _, row := range rows {
			judged[row]++
		}
	}
	for i, n := range judged {
		if n != 1 {
			t.Fatalf("example %d is judged %d times", i, n)
		}
	}
	c.Seed = 2
	if again := OutOfFold(c, labels, nil); slices.Equal(again, OutOfFold(config.Config{Seed: 1, Folds: c.Folds}, labels,
		nil)) {
		t.Error("two seeds give the same folds")
	}
}

// Examples of one group are in one fold, and the folds are about equal.
func TestFoldsKeepGroups(t *testing.T) {
	labels := manyLabels(1000)
	groups := make([]int32, len(labels))
	for i := range groups {
		groups[i] = int32(i * 13 % 97) // of 10 or 11 scattered examples
		if i%10 == 0 {
			groups[i] = 200 // and one of 100
		}
	}
	c := config.Config{Seed: 3}
	c.Folds.Count = 4
	parts := Folds(c, labels, groups)
	of := map[int32]int{}
	size := make([]int, 4)
	for i, part := range parts {
		if part < 1 || part > 4 {
			t.Fatalf("example %d is in part %d", i, part)
		}
		size[part-1]++
		if at, seen := of[groups[i]]; seen && at != part {
			t.Fatalf("group %d is in parts %d and %d", groups[i], at, part)
		}
		of[groups[i]] = part
	}
	if slices.Max(size)-slices.Min(size) > 12 {
		t.Errorf("parts of %v examples", size)
	}
}
