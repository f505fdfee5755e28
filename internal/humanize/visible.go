package humanize

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible makes text from data safe to print: it writes control characters, characters that
// change the direction of writing, and line ends as \u001b and the like, so that a terminal
// does not obey them. See also VisibleLines.
func Visible(text string) string { return visible(text, "") }

// VisibleLines is Visible for text of several lines: it keeps line ends and tabs.
func VisibleLines(text string) string { return visible(text, "\n\t") }

func visible(text, keep string) string {
	shown := func(r rune) bool {
		return strings.ContainsRune(keep, r) || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) &&
			r != '\u2028' && r != '\u2029'
	}
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !shown(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case shown(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}
