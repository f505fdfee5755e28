package config

import (
	"fmt"
	"strings"
)

// Suggest returns `, did you mean "x"?` for the candidate nearest to a
// misspelt word, and an empty string where none is near: at most a third of
// the letters, and two in a short word, may differ. The last part of a dotted
// candidate stands for the whole.
func Suggest(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, nearest := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		d := editDistance(word, strings.ToLower(c))
		if strings.HasSuffix(c, "."+word) {
			d = 0
		}
		if d < nearest {
			best, nearest = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment).
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}
