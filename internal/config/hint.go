package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Suggest returns `, did you mean "x"?` for the candidate closest to a misspelt word, or "" if none is close: at most a
// third of the letters, or two in a short word, may differ. The last part of a dotted candidate matches as well. Words
// of more than 64 letters get no suggestion.
func Suggest(word string, candidates []string) string {
	if best := nearest(word, candidates); best != "" {
		return fmt.Sprintf(", did you mean %q?", best)
	}
	return ""
}

func nearest(word string, candidates []string) (best string) {
	const longest = 64
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	least := max(2, len(word)/3) + 1
	for _, c := range candidates {
		d := smetrics.WagnerFischer(word, strings.ToLower(c), 1, 1, 1)
		if strings.HasSuffix(c, "."+word) {
			d = 0
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// fileKeys are the keys of a file that are not settings.
var fileKeys = []string{"blocks", "extends", "grid"}

// hint suggests a known key for an unknown dotted one: first of the same group, then any. also lists further keys that
// are allowed here.
func hint(key string, also ...string) string {
	group, name := "", key
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		group, name = key[:i+1], key[i+1:]
	}
	var names []string // in the group
	for _, k := range below(group) {
		first, _, _ := strings.Cut(strings.TrimPrefix(k, group), ".")
		names = append(names, first)
	}
	if group == "" {
		names = slices.Concat(names, also, fileKeys)
	}
	if best := nearest(name, names); best != "" {
		return fmt.Sprintf(", did you mean %q?", group+best)
	}
	return Suggest(name, Keys())
}
