package correction

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// flips lists the asymmetric noise of the paper, Section 5, by data set.
var flips = map[string][]Flip{
	"mnist": {
		{From: "2", To: "7"},
		{From: "3", To: "8"},
		{From: "5", To: "6"},
		{From: "6", To: "5"},
		{From: "7", To: "1"},
	},
	"cifar10": {
		{From: "truck", To: "automobile"},
		{From: "bird", To: "airplane"},
		{From: "deer", To: "horse"},
		{From: "cat", To: "dog"},
		{From: "dog", To: "cat"},
	},
	// Only negative reviews that turn positive are constant, at 5 %.
	"imdb": {
		{From: "neg", To: "pos", Fixed: 0.05},
		{From: "pos", To: "neg"},
	},
}

// Flips returns the flips of the paper's asymmetric noise on a data set, to
// be passed to Asymmetric. It is an error if the paper has none for it.
func Flips(dataset string) ([]Flip, error) {
	f, ok := flips[dataset]
	if !ok {
		known := slices.Sorted(maps.Keys(flips))
		return nil, fmt.Errorf("correction: no asymmetric noise is known for data set %q (known: %s): "+
			"give a transition matrix as CSV instead", dataset, strings.Join(known, ", "))
	}
	return slices.Clone(f), nil
}

// CircularFlips returns flips of each class to the next one of its group, and of
// the last to the first, as the paper has them within CIFAR-100's super-classes.
// groups holds the group of each class. A class alone in its group stays.
func CircularFlips(classes []string, groups []int) []Flip {
	var flips []Flip
	for i, from := range classes {
		for step := 1; step < len(classes); step++ {
			if j := (i + step) % len(classes); groups[j] == groups[i] {
				flips = append(flips, Flip{From: from, To: classes[j]})
				break
			}
		}
	}
	return flips
}

// Blocks are groups of size consecutive classes, n classes in all: what the
// published code takes for CIFAR-100's super-classes, which are ordered otherwise.
func Blocks(n, size int) []int {
	groups := make([]int, n)
	for i := range groups {
		groups[i] = i / size
	}
	return groups
}
