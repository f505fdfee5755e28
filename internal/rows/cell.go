package rows

import (
	"strconv"
	"strings"
)

// Cell returns text for a cell of a CSV file that a spreadsheet must not evaluate as a formula. Text that begins with
// =, +, -, @, a tab or a carriage return gets an apostrophe in front, and so does text that has an apostrophe before
// one of these. Numbers, such as -0.5 and +1e3, stay.
func Cell(text string) string {
	rest := strings.TrimLeft(text, "'")
	if rest == "" || !strings.ContainsRune("=+-@\t\r", rune(rest[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "iInNxX_") {
		return text
	}
	return "'" + text
}

// Original reverses Cell. Text that Cell would not have changed stays.
func Original(text string) string {
	if rest, quoted := strings.CutPrefix(text, "'"); quoted && Cell(rest) == text {
		return rest
	}
	return text
}
