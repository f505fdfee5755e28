package correction

// CircularFlips returns flips of each class to the next one of its group, and of
// the last to the first, as the paper does within CIFAR-100's super-classes. groups
// holds the group of each class. A class alone in its group is not flipped.
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

// Blocks returns the groups of n classes in blocks of size consecutive class numbers.
// The published code uses them as CIFAR-100's super-classes, which in fact are other
// groups.
func Blocks(n, size int) []int {
	groups := make([]int, n)
	for i := range groups {
		groups[i] = i / size
	}
	return groups
}
