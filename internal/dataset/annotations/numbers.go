package annotations

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/humanize"
)

// numberOf returns the number of a class as text. If several numbers have the name, it is the only one
// that labels use.
func (s *Set) numberOf(class string, names map[int]string) (string, error) {
	var all []int
	for number, name := range names {
		if Key(name) == class {
			all = append(all, number)
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("unknown class %q", class)
	}
	used := all
	if len(all) > 1 {
		used = slices.DeleteFunc(slices.Clone(all), func(n int) bool { return !s.has(n) })
	}
	if len(used) != 1 {
		slices.Sort(all)
		return "", fmt.Errorf("the class numbers %s share the name %q: rename one", humanize.Ranges(all), class)
	}
	return strconv.Itoa(used[0]), nil
}

// has reports whether a label uses a class number.
func (s *Set) has(number int) bool {
	return slices.ContainsFunc(s.Labels, func(l Label) bool {
		n, err := strconv.Atoi(string(s.texts[l.place.file][l.place.from:l.place.to]))
		return err == nil && n == number
	})
}
