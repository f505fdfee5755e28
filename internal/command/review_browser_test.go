package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
)

func itoa(n int) string { return strconv.Itoa(n) }

// browser is a page of a headless Chromium.
type browser struct {
	*testing.T
	ctx context.Context
}

// newBrowser starts a Chromium, or skips the test if it is not installed; with
// LOSSCORR_REQUIRE_BROWSER set it has to be there.
func newBrowser(t *testing.T) browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("LOSSCORR_REQUIRE_BROWSER") != "" {
			t.Fatal("no Chromium on the PATH")
		}
		t.Skip("no Chromium on the PATH")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	return browser{t, ctx}
}

func (b browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// press presses keys one after the other, as a keyboard does: the text of a key goes
// where the focus is unless the page has handled it.
func (b browser) press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key}
		switch key {
		case "Enter":
			p.Text, p.WindowsVirtualKeyCode = "\r", 13
		case "ArrowLeft", "ArrowRight", "ArrowDown", "Escape":
			p.Text = ""
		}
		b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchKeyEvent, p)
			if err == nil {
				p.Type, p.Text = input.DispatchKeyEventTypeKeyUp, ""
				_, err = chromedp.Call(ctx, input.DispatchKeyEvent, p)
			}
			return err
		}))
	}
}

// text evaluates an expression that is a text.
func (b browser) text(expression string) string {
	b.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.Fatal(err)
	}
	return got
}

// until waits until an expression has a value.
func (b browser) until(expression, want string) {
	b.Helper()
	got := ""
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if got = b.text(expression); got == want {
			return
		}
	}
	b.Fatalf("%s is %q after 30 s, want %q; problem: %s", expression, got, want, b.text(`document.getElementById("problem").textContent`))
}

// ready waits until an example is seen and the page takes keys.
func (b browser) ready(place int) {
	b.Helper()
	b.until(`document.getElementById("example").dataset.place + " " + state.busy`, itoa(place)+" false")
}

// Fifty decisions by keyboard on 100,000 examples; between two of them the program is
// killed and started again.
func TestReviewInBrowser(t *testing.T) {
	const n = 100_000
	b := newBrowser(t)
	folder, err := audittest.Texts(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	issues, err := folder.Issues()
	if err != nil {
		t.Fatal(err)
	}
	r := startReview(t, folder)
	b.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.address))
	b.ready(0)

	var want []audit.Decision
	note := func(place int, a audit.Action, label string) {
		i := issues[place]
		want = append(want, audit.Decision{ID: i.ID, Given: i.Given, Label: label, Action: a})
	}
	for place := range 50 {
		if place == 25 {
			r.kill(t)
			b.press("k") // nobody is there to save it
			b.until(`document.getElementById("problem").hidden`, "false")
			r = startReview(t, folder)
			b.do(chromedp.Navigate(r.address))
			b.ready(place)
		}
		i := issues[place]
		if got := b.text(`document.getElementById("id").textContent`); got != i.ID {
			t.Fatalf("place %d shows %s, want %s", place, got, i.ID)
		}
		switch place % 5 {
		case 0:
			b.press("k")
			note(place, audit.Accept, i.Given)
		case 1:
			b.press("s")
			note(place, audit.Suggested, i.Suggested)
		case 2: // the class by a part of its name, in another case
			b.press("o")
			b.until(`document.getElementById("choose").open`, "true")
			b.press("N", "E", "G", "Enter")
			action := audit.Suggested
			if i.Given == "negative" {
				action = audit.Accept
			}
			note(place, action, "negative")
		case 3:
			b.press(" ")
			note(place, audit.Skip, "")
		case 4: // taken back, and decided in another way
			b.press("k")
			b.ready(place + 1)
			b.press("u")
			b.ready(place)
			b.press("s")
			note(place, audit.Accept, i.Given)
			note(place, audit.Undo, "")
			note(place, audit.Suggested, i.Suggested)
		}
		b.ready(place + 1)
	}
	got, err := audit.ReadDecisions(folder.Path(audit.DecisionsFile))
	if err != nil {
		t.Fatal(err)
	}
	for k := range got {
		got[k].Time = time.Time{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decisions.csv (-want +got):\n%s", diff)
	}
	changed := 0
	labels := audit.Outcomes(want)
	for _, i := range issues[:50] {
		if d, ok := labels[i.ID]; ok && d.Label != i.Given {
			changed++
		}
	}
	b.until(`document.getElementById("counts").textContent.split(" · ").slice(0, 3).join()`, fmt.Sprintf("40 checked,%d changed,10 skipped", changed))

	// Looking elsewhere decides nothing.
	b.press("ArrowLeft", "ArrowLeft")
	b.until(`document.getElementById("was").textContent`, "You decided: "+issues[49].Suggested+".")

	// The list draws what is seen, from the first line to the last.
	b.press("l")
	b.until(`document.getElementById("total").textContent`, "100,000 examples")
	b.until(`document.querySelector("[data-place='0'] .id")?.textContent`, issues[0].ID)
	b.press("ArrowDown", "ArrowDown")
	b.until(`document.querySelector("#window [aria-selected=true]").dataset.place`, "2")
	b.press("Enter")
	b.ready(2)
	b.press("l")
	for _, at := range []float64{.25, .5, .9999, 1} {
		b.text(fmt.Sprintf(`(() => { const r = document.getElementById("rows"); r.scrollTop = %v * (r.scrollHeight - r.clientHeight) })()`, at))
		b.until(`[...document.querySelectorAll("#window .line")].every((l) => l.dataset.place === l.dataset.line)`, "true")
	}
	b.until(`document.querySelector("#window").lastElementChild.dataset.line`, itoa(n-1))
	b.until(`document.querySelector("#window").lastElementChild.querySelector(".id")?.textContent`, issues[n-1].ID)
	b.until(`(() => { // the last line ends where the list does
		const end = (e) => e.getBoundingClientRect().bottom;
		return Math.abs(end(document.getElementById("window").lastElementChild) - end(document.getElementById("rows"))) < 3;
	})()`, "true")
	if lines := b.text(`document.querySelectorAll("#window .line").length`); len(lines) > 2 {
		t.Errorf("%s lines are drawn", lines)
	}
	last := slices.IndexFunc(issues, func(i audit.Issue) bool { return i.ID == "review-099999" })
	b.do(chromedp.SendKeys(chromedp.CSS("#filters [name=text]"), "review-099999"))
	b.until(`document.getElementById("total").textContent`, "1 example")
	b.do(chromedp.Click(chromedp.CSS("#window .line")))
	b.ready(last)
	if got := b.text(`document.getElementById("problem").hidden`); got != "true" {
		t.Errorf("a problem: %s", b.text(`document.getElementById("problem").textContent`))
	}
}

// Decisions without a label and the likeliest other class have keys; the list has pictures
// and orders.
func TestReviewOfImagesInBrowser(t *testing.T) {
	b := newBrowser(t)
	folder, err := audittest.Images(t.TempDir(), 300)
	if err != nil {
		t.Fatal(err)
	}
	issues, err := folder.Issues()
	if err != nil {
		t.Fatal(err)
	}
	r := startReview(t, folder)
	b.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.address))
	b.ready(0)
	b.press("a")
	b.ready(1)
	b.press("n")
	b.ready(2)
	b.until(`document.getElementById("counts").textContent.split(" · ").slice(2, 4).join()`, "1 several fit,1 none fits")
	b.press("ArrowLeft")
	b.until(`document.getElementById("was").textContent`, "You decided: no class fits.")

	b.press("l")
	b.until(`document.querySelectorAll("#window .line img").length > 5 && [...document.querySelectorAll("#window .line img")].every((i) => i.complete && i.naturalWidth > 0)`, "true")
	b.text(`(() => { const s = document.querySelector("#filters [name=sort]"); s.value = "p_wrong"; s.dispatchEvent(new Event("input", { bubbles: true })) })()`)
	surest := issues[len(issues)-1]
	b.until(`document.querySelector("#window .id")?.textContent`, surest.ID)
	b.do(chromedp.Click(chromedp.CSS("#window .line")))
	b.until(`document.getElementById("id").textContent`, surest.ID)
	if got := b.text(`document.getElementById("take").hidden + " " + document.getElementById("runner").hidden`); got != "true false" {
		t.Errorf("take and runner-up are hidden: %s", got)
	}
	other := b.text(`document.getElementById("runner-up").textContent`)
	b.press("r")
	b.until(`document.getElementById("counts").textContent.split(" · ").slice(0, 2).join()`, "1 checked,1 changed")
	list, err := audit.ReadDecisions(folder.Path(audit.DecisionsFile))
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	if d := list[2]; d.ID != surest.ID || d.Label != other || other == surest.Given || d.Action != audit.Other {
		t.Errorf("%+v, want %s", d, other)
	}
	if list[0].Action != audit.Ambiguous || list[1].Action != audit.None {
		t.Errorf("%+v", list[:2])
	}
}
