package humanize

import (
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"chat noir, 猫, é":             "chat noir, 猫, é",
		"a\x1b]0;title\a\x1b[31mred":  `a\u001b]0;title\u0007\u001b[31mred`,
		"a\nlosscorr: all is well\rb": `a\u000alosscorr: all is well\u000db`,
		"c1 \u009b31m, \x9b":          `c1 \u009b31m, \x9b`,
		"cat\u202egnp.exe":            `cat\u202egnp.exe`,
		"del\x7f line\u2028":          `del\u007f line\u2028`,
	} {
		expect.Same(t, want, Visible(text), text)
	}
	expect.Same(t, "a\n\tb\\u001b\\u000d\n", VisibleLines("a\n\tb\x1b\r\n"))
}
