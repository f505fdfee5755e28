package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
)

// Skipped is an unusable file or label, with the reason.
type Skipped struct{ Name, Why string }

// String returns a line for people.
func (s Skipped) String() string { return humanize.Visible(s.Name + ": " + s.Why) }

// SortSkipped sorts a list by name.
func SortSkipped(list []Skipped) {
	slices.SortFunc(list, func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Why, b.Why))
	})
}

// SkippedLines returns the lines of a list.
func SkippedLines(list []Skipped) []string {
	lines := make([]string, len(list))
	for k, s := range list {
		lines[k] = s.String()
	}
	return lines
}

// ListSkipped lists up to most files with their reasons, and counts the rest.
func ListSkipped(list []Skipped, most int) string {
	lines := SkippedLines(list[:min(most, len(list))])
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// SkippedNames returns the names of a list.
func SkippedNames(list []Skipped) []string {
	names := make([]string, len(list))
	for k, s := range list {
		names[k] = s.Name
	}
	return names
}
