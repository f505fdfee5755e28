package command

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
)

// Many alike are decided at once on 100,000 examples: those that are left out stay undecided, one undo takes
// back all, and no key decides before the last tile was on the screen.
func TestGridInBrowser(t *testing.T) {
	b := newBrowser(t)
	folder, err := audittest.Texts(t.TempDir(), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	issues, err := folder.Issues()
	if err != nil {
		t.Fatal(err)
	}
	kind := slices.DeleteFunc(issues, func(i audit.Issue) bool { return i.Given != "positive" || i.Suggested != "negative" || i.PWrong < .9 })
	r := startReview(t, folder)
	b.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.address))
	b.ready(0)
	b.press("g")
	b.until(`document.getElementById("total").textContent`, "100,000 examples")
	set := func(filter, value string) {
		b.Helper()
		b.text(`(() => { const s = document.querySelector("#filters [name=` + filter + `]"); s.value = "` + value + `"; s.dispatchEvent(new Event("input", { bubbles: true })) })()`)
	}
	set("given", "positive")
	set("suggested", "negative")
	set("low", "90")
	set("sort", "rank")
	b.until(`document.getElementById("take-all").textContent`, "Change 60 to negative S")
	b.until(`document.querySelector(".pick").dataset.place`, itoa(kind[0].Rank-1))
	b.press("s") // the last tile is not seen
	if list, err := audit.ReadDecisions(folder.Path(audit.DecisionsFile)); err != nil || len(list) != 0 {
		t.Fatalf("%d decisions on what nobody has seen, %v", len(list), err)
	}
	b.do(chromedp.Click(chromedp.CSS(`[data-place="` + itoa(kind[1].Rank-1) + `"]`)))
	b.do(chromedp.Click(chromedp.CSS(`[data-place="` + itoa(kind[2].Rank-1) + `"]`)))
	b.until(`document.getElementById("take-all").textContent`, "Change 58 to negative S")
	b.do(chromedp.Click(chromedp.CSS(`[data-place="` + itoa(kind[2].Rank-1) + `"]`)))
	b.until(`document.getElementById("keep-all").textContent`, "Keep positive for 59 K")
	b.text(`window.scrollTo(0, document.body.scrollHeight)`)
	b.until(`document.getElementById("rest").hidden`, "true")
	b.press("s")
	b.until(`document.getElementById("counts").textContent.split(" · ").slice(0, 2).join()`, "59 checked,59 changed")
	b.until(`[...document.querySelectorAll(".pick")].slice(0, 2).map((p) => p.dataset.place).join()`, itoa(kind[1].Rank-1)+","+itoa(kind[60].Rank-1))
	b.text(`window.scrollTo(0, document.body.scrollHeight)`)
	b.until(`document.getElementById("rest").hidden`, "true")
	b.press("u")
	b.until(`document.getElementById("counts").textContent.split(" · ").slice(0, 2).join()`, "0 checked,0 changed")
	b.until(`document.querySelector(".pick").dataset.place + " " + document.querySelectorAll(".pick[aria-pressed=true]").length`, itoa(kind[0].Rank-1)+" 60")
	b.press("ArrowRight")
	b.until(`document.querySelector(".pick").dataset.place`, itoa(kind[60].Rank-1))
	b.text(`window.scrollTo(0, document.body.scrollHeight)`)
	b.until(`document.getElementById("rest").hidden`, "true")
	b.press("o")
	b.until(`document.getElementById("choose").open`, "true")
	b.press("n", "e", "g", "Enter")
	b.until(`document.getElementById("counts").textContent.split(" · ").slice(0, 2).join()`, "60 checked,60 changed")
	b.until(`document.querySelector(".pick").dataset.place`, itoa(kind[0].Rank-1)) // the tiles come after the counts
	b.do(chromedp.Click(chromedp.CSS(".tile .open")))
	b.ready(kind[0].Rank - 1)
	for _, key := range []string{"g", "l"} { // on a telephone nothing is cut off
		b.do(chromedp.EmulateViewport(390, 844))
		b.press(key)
		b.text(`document.querySelector("#filters details").open = true`)
		if got := b.text(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`); got != "true" {
			t.Errorf("view %s is wider than the screen", key)
		}
	}
	list, err := audit.ReadDecisions(folder.Path(audit.DecisionsFile))
	if err != nil || len(list) != 59+59+60 {
		t.Fatalf("%d lines, %v", len(list), err)
	}
	for k, d := range list[118:] {
		if d.ID != kind[60+k].ID || d.Label != "negative" || d.Action != audit.Suggested {
			t.Errorf("%+v, want %s", d, kind[60+k].ID)
		}
	}
	if got := b.text(`document.getElementById("problem").hidden`); got != "true" {
		t.Errorf("a problem: %s", b.text(`document.getElementById("problem").textContent`))
	}
}
