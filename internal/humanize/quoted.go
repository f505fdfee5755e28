package humanize

import (
	"fmt"
	"strconv"
	"strings"
)

// Listed lists up to most names, and counts the rest.
func Listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Quoted is Listed with the names in quotation marks.
func Quoted(names []string, most int) string {
	quoted := make([]string, len(names))
	for k, name := range names {
		quoted[k] = strconv.Quote(name)
	}
	return Listed(quoted, most)
}
