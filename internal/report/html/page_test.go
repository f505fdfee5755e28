package html

import (
	"encoding/xml"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

func pageOf(t *testing.T, root string) string {
	t.Helper()
	study, err := report.Load(root)
	expect.OK(t, err)
	options := Options{Program: "losscorr test", Command: "losscorr report"}
	return reporttest.Written(t, func(w io.Writer) error { return Write(w, study, options) })
}

// A page has the facts of a study, its tables, notes, warnings, failures and figures, and is self-contained. The same
// runs give the same page.
func TestPage(t *testing.T) {
	root := reporttest.Folders(t, func(r *store.Result) { r.Config.Note = "seed 1 is stuck." })
	page := pageOf(t, root)
	const marks = `<span class="sign" title="best or tied without the true T">b</span>` +
		`<span class="sign" title="with the true T, and better">★</span></td>`
	expect.Says(t, page,
		"<dt>runs</dt><dd>17</dd>", "<dt>done</dt><dd>14</dd>", "<dt>diverged</dt><dd>1</dd>",
		"<dt>failed</dt><dd>1</dd>", "<dt>stopped</dt><dd>1</dd>",
		"Made by losscorr test", `<td class="selected">97.3 ± 0.1`+marks, `<td class="paper">97.3`+marks,
		`<td class="diff far">&#43;5.1</td>`, // forward-estimated, 70 of 64.9 at the selected epoch
		"seed 0-2: the diagonal of the estimate is below 0.5 for 5 (0.20)",
		"1 of 3 runs diverged",
		"Accuracy against N, asymmetric noise", ">test accuracy (%)<", ">transition matrix T<", "note: seed 1 is stuck.")
	expect.Same(t, 1, strings.Count(page, "seed 1 is stuck."), "notes")
	path := filepath.Join(t.TempDir(), "page.html")
	reporttest.Put(t, path, page)
	if !IsPage(path) || IsPage("doc.go") || IsPage("none") {
		t.Error("a page is not told from other files")
	}
	expect.Same(t, page, pageOf(t, root), "the page of the same runs")
	for _, no := range []string{"<script", "<link rel=\"stylesheet", "@import", "url(", "src="} {
		if strings.Contains(page, no) {
			t.Errorf("%q, where the page has to stand alone", no)
		}
	}
	expect.Same(t, "", regexp.MustCompile(`href="[^#d][^"]*"`).FindString(page), "ways out of the page")
	drawings := regexp.MustCompile(`(?s)<svg class="chart.*?</svg>(?:\n</g></svg>)?`).FindAllString(page, -1)
	if len(drawings) != 3 {
		t.Fatalf("%d drawings", len(drawings))
	}
	for _, d := range drawings {
		expect.OK(t, xml.Unmarshal([]byte(d), new(struct{})))
		if strings.Contains(d, "NaN") || strings.Contains(d, "Inf") {
			t.Errorf("no number in %.300s", d)
		}
	}
	// The states add up to the runs, including those with an unreadable status.
	reporttest.Put(t, filepath.Join(root, "f00000000003", "status.json"), "{")
	expect.Says(t, pageOf(t, root),
		"<dt>runs</dt><dd>18</dd>", "<dt>done</dt><dd>14</dd>", "<dt>pending</dt><dd>1</dd>")
}

// Values of a user's configuration are escaped.
func TestPageEscapes(t *testing.T) {
	evil := `<script>alert("x")</script>`
	page := pageOf(t, reporttest.Folders(t, func(r *store.Result) {
		r.Config.Dataset, r.Config.Noise.File, r.DataVariant = evil, evil, evil
		if r.Config.Noise.Kind != "none" {
			r.Config.Noise.Kind = "matrix"
		}
		r.Warnings = []string{evil}
		if r.Transition != nil {
			r.Transition.Classes[0] = evil
		}
	}))
	if strings.Contains(page, "<script") {
		t.Error("a name became a part of the page")
	}
	expect.Says(t, page, "&lt;script&gt;")
}

// A folder of kept tables makes a page, and so does a folder without runs.
func TestPageWithoutRuns(t *testing.T) {
	expect.Says(t, pageOf(t, "../../../results"), "65.5 ± 4.6")
	expect.Says(t, pageOf(t, t.TempDir()), "<dt>runs</dt><dd>0</dd>")
}
