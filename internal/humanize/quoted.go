package humanize

import (
	"fmt"
	"strings"
)

// Quoted lists the first names, at most so many, and how many more there are.
func Quoted(names []string, most int) string {
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	var b strings.Builder
	for k, name := range names {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", name)
	}
	return b.String() + more
}
