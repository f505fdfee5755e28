package annotations

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/humanize"
)

// numberOf returns the number of a class, as its place has it. Of several with its name it is the only
// one that labels have.
func (s *Set) numberOf(class string, names map[int]string) (string, error) {
	var all []int
	for number, name := range names {
		if Key(name) == class {
			all = append(all, number)
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("there is no class %q", class)
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

// has reports whether a label has the number of a class.
func (s *Set) has(number int) bool {
	return slices.ContainsFunc(s.Labels, func(l Label) bool {
		n, err := strconv.Atoi(string(s.texts[l.place.file][l.place.from:l.place.to]))
		return err == nil && n == number
	})
}
