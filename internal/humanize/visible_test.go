package humanize

import "testing"

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
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) is %q, want %q", text, got, want)
		}
	}
	if got, want := VisibleLines("a\n\tb\x1b\r\n"), "a\n\tb\\u001b\\u000d\n"; got != want {
		t.Errorf("VisibleLines: %q, want %q", got, want)
	}
}
