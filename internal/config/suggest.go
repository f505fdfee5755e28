package config

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// Suggest returns `, did you mean "x"?` for the candidate nearest to a misspelt
// word, and an empty string where no candidate is near: at most a third of the
// letters, or two in a short word, may differ. A word that equals the last part of
// a dotted candidate matches it. No candidate is near a word of more than 64 letters.
func Suggest(word string, candidates []string) string {
	const longest = 64
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	best, nearest := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		d := smetrics.WagnerFischer(word, strings.ToLower(c), 1, 1, 1)
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
