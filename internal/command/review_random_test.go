package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
)

// Random checks by a spreadsheet, from the draw to the count.
func TestRandomChecksBySpreadsheet(t *testing.T) {
	folder, err := audittest.Texts(t.TempDir(), 500)
	if err != nil {
		t.Fatal(err)
	}
	sheet := filepath.Join(t.TempDir(), "checks.csv")
	p := start(t, "", nil, "review", folder.Dir(), "--random", "40", "--write", sheet)
	p.ends(t, 0)
	contains(t, "stdout", p.out.String(), sheet+": 40 labels", "--checked "+sheet)
	if lines := strings.Split(strings.TrimSpace(string(read(t, sheet))), "\n"); len(lines) != 41 {
		t.Errorf("%d lines", len(lines))
	}
	p = start(t, "", nil, "review", folder.Dir(), "--random", "40", "--write", sheet)
	p.ends(t, 65)
	contains(t, "stderr", p.err.String(), "exists")
	for _, args := range [][]string{{"--blind"}, {"--write", "x.csv"}, {"--random", "3"}} {
		start(t, "", nil, append([]string{"review", folder.Dir()}, args...)...).ends(t, 2)
	}
	if _, err := os.Stat(folder.Path(audit.RandomFile)); err != nil {
		t.Error(err)
	}
}

// The page of random checks shows the count and how it narrows, by keyboard, and its end.
func TestRandomChecksInBrowser(t *testing.T) {
	b := newBrowser(t)
	folder, err := audittest.Texts(t.TempDir(), 500)
	if err != nil {
		t.Fatal(err)
	}
	r := startReview(t, folder, "--random", "30", "--blind")
	b.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.address))
	for place, keys := range []string{"k", "k", "a", "n", "k", "k", " ", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k", "k"} {
		b.ready(place)
		if place == 0 {
			b.until(`document.getElementById("take").hidden + " " + document.getElementById("near").children.length`, "true 0")
		}
		b.press(keys)
	}
	b.until(`document.getElementById("done-title").textContent`, "All 30 random checks are made.")
	b.until(`document.getElementById("done").hidden + " " + (document.getElementById("rounds").children.length > 3)`, "false true")
	contains(t, "the count", b.text(`document.getElementById("count").textContent`), "of 500 labels are wrong, between ", "by 29 random checks", "1 fit several classes and count as right", "1 fit no class and count as wrong")
}
