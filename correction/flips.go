package correction

// CircularFlips flips each class to the next class of its group and the last one to the first, as the paper does
// within CIFAR-100's super-classes. groups[i] is the group of class i. A group of one class has no flip.
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

// Blocks groups n classes into blocks of size consecutive class numbers. The paper's code takes such blocks for
// CIFAR-100's super-classes, although the real ones are different groups.
func Blocks(n, size int) []int {
	groups := make([]int, n)
	for i := range groups {
		groups[i] = i / size
	}
	return groups
}
