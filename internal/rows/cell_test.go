package rows

import (
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "cat": "cat", "'90s": "'90s", "'": "'", "it's": "it's", "a=b": "a=b", "photos/-1.png": "photos/-1.png",
		"-0.5": "-0.5", "+1e3": "+1e3", "-1": "-1", "-": "'-", "-x": "'-x", "+inf": "'+inf", "-0x1p-2": "'-0x1p-2",
		`=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`, "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"'=1": "''=1", "''=1": "'''=1", "'-1": "''-1",
		"-1_0": "'-1_0", "-1e999": "'-1e999", "-.": "'-.", "-٣": "'-٣",
	} {
		expect.Same(t, want, Cell(text), text)
		expect.Same(t, text, Original(want))
	}
	// What others wrote stays as it is.
	for _, text := range []string{"=1", "'90s", "-0.5", "'"} {
		expect.Same(t, text, Original(text))
	}
}

func FuzzCell(f *testing.F) {
	for _, seed := range []string{"=1", "'=1", "-1", "'-1", "''", "+", "-inf", "@\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := Cell(text)
		expect.Same(t, text, Original(cell), cell)
	})
}
