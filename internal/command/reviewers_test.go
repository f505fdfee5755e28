package command

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Two people in two browsers: each is asked for a name once, one gives second opinions, a conflict is
// settled on the page, and the program prints at the end how well they agree.
func TestTwoReviewersInBrowsers(t *testing.T) {
	ann, bob := newBrowser(t), newBrowser(t)
	folder := expect.Got(audittest.Texts(t.TempDir(), 300))(t)
	r := startReview(t, folder, "--second", "100")
	begin := func(b browser, name string) {
		b.Helper()
		b.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.address))
		b.until(`document.getElementById("who").open`, "true")
		b.do(chromedp.SendKeys(chromedp.CSS("#name"), name))
		b.press("Enter")
	}
	begin(ann, "Ann")
	for place := range 12 {
		ann.ready(place)
		ann.press("k")
	}
	ann.ready(12)
	begin(bob, "bob")
	for place := range 12 {
		bob.ready(place)
		if got := bob.text(`document.getElementById("was").hidden + " " + document.getElementById("said").hidden`); got != "true true" {
			t.Fatalf("the page shows Bob Ann's decision: %s", got)
		}
		if place%6 == 2 {
			bob.press("s")
		} else {
			bob.press("k")
		}
	}
	bob.ready(14) // Ann looks at 12, and her page has loaded 13
	ann.do(chromedp.Navigate(r.address))
	ann.ready(12) // the name is not asked again
	ann.until(`document.getElementById("people").textContent`, "Ann · 2 conflicts")
	ann.do(chromedp.EmulateViewport(390, 844), chromedp.Click(chromedp.CSS("#people")))
	ann.until(`document.getElementById("pairs").tBodies[0].textContent`, "Ann, bob12100.00")
	ann.fits(`document.getElementById("together")`)
	ann.fits(`document.documentElement`)
	ann.do(chromedp.Click(chromedp.CSS("#settle")))
	ann.until(`document.getElementById("total").textContent`, "2 examples")
	ann.do(chromedp.Click(chromedp.CSS("#window .line")))
	ann.ready(2)
	issues := expect.Got(folder.Issues())(t)
	ann.until(`document.getElementById("said").textContent`, "Ann: "+issues[2].Given+"bob: "+issues[2].Suggested)
	ann.press("s")
	ann.ready(8)
	if list := string(read(t, folder.Path(audit.ConflictsFile))); strings.Count(list, "\n") != 3 ||
		!strings.Contains(list, issues[8].ID) {
		t.Errorf("conflicts.csv:\n%s", list)
	}
	ann.press("n")
	ann.ready(12)
	ann.until(`document.getElementById("people").textContent`, "Ann")
	expect.OK(t, r.Process.Signal(os.Interrupt))
	_ = r.Wait()
	contains(t, "stderr", r.err.String(), "Ann and bob agree on 10 of 12 labels that both decided, Cohen's kappa",
		"11 labels decided;")
	for name, b := range map[string]browser{"Ann": ann, "bob": bob} {
		if got := b.text(`document.cookie`); got != "losscorr-reviewer="+name {
			t.Errorf("%s: cookie %q", name, got)
		}
	}
	d := audit.Last(decisionsOf(t, folder))
	if d[issues[2].ID].Label != issues[2].Suggested || d[issues[8].ID].Action != audit.None {
		t.Errorf("%+v, %+v", d[issues[2].ID], d[issues[8].ID])
	}
}
