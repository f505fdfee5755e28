package command

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

func itoa(n int) string { return strconv.Itoa(n) }

// browser is a page of a headless Chromium.
type browser struct {
	*testing.T
	ctx context.Context
}

// newBrowser starts a Chromium, or skips the test if it is not installed; with
// LOSSCORR_REQUIRE_BROWSER set it must be installed.
func newBrowser(t *testing.T) browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"headless-shell"} {
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

// text evaluates an expression to a string.
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
	b.Fatalf("%s is %q after 30 s, want %q; problem: %s", expression, got, want,
		b.text(`document.getElementById("problem").textContent`))
}

// ready waits until an example is seen and the page takes keys.
func (b browser) ready(place int) {
	b.Helper()
	b.until(`document.getElementById("example").dataset.place + " " + state.busy`, itoa(place)+" false")
}

// openReview starts a review of a folder and opens its page.
func openReview(t *testing.T, folder *audit.Folder, flags ...string) (browser, *reviewing) {
	t.Helper()
	b, r := newBrowser(t), startReview(t, folder, flags...)
	b.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.address))
	return b, r
}

// decisionsOf returns the answers in a folder's log.
func decisionsOf(t *testing.T, folder *audit.Folder) []audit.Decision {
	t.Helper()
	return expect.Got(folder.Said(own.Source{}))(t)
}

// counted waits for the first counts of the page.
func (b browser) counted(want string) {
	b.Helper()
	n := strings.Count(want, ",") + 1
	b.until(fmt.Sprintf(`document.getElementById("counts").textContent.split(" · ").slice(0, %d).join()`, n), want)
}

// fits fails the test if a part of the page is cut off, for example on a telephone.
func (b browser) fits(part string) {
	b.Helper()
	if got := b.text(part + ".scrollWidth <= " + part + ".clientWidth"); got != "true" {
		b.Errorf("%s is wider than the screen", part)
	}
}

// noProblem fails the test if the page shows a problem.
func (b browser) noProblem() {
	b.Helper()
	if got := b.text(`document.getElementById("problem").hidden`); got != "true" {
		b.Errorf("a problem: %s", b.text(`document.getElementById("problem").textContent`))
	}
}

// Decisions by keyboard, and the list of all examples.
func TestReviewInBrowser(t *testing.T) {
	const n = 20_000
	folder := expect.Got(audittest.Texts(t.TempDir(), n))(t)
	issues := expect.Got(folder.Issues())(t)
	b, _ := openReview(t, folder)
	b.ready(0)

	var want []audit.Decision
	note := func(place int, a audit.Action, label string) {
		i := issues[place]
		want = append(want, audit.Decision{ID: i.ID, Given: i.Given, Label: label, Action: a})
	}
	for place := range 5 {
		i := issues[place]
		switch place {
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
	got := decisionsOf(t, folder)
	for k := range got {
		got[k].Time, got[k].Why, got[k].Seconds = time.Time{}, "", 0
	}
	expect.Same(t, want, got)

	// Looking elsewhere decides nothing.
	b.press("ArrowLeft")
	b.until(`document.getElementById("was").textContent`, "You decided: "+issues[4].Suggested+".")

	// The list draws what is seen, from the first line to the last.
	b.press("l")
	b.until(`document.getElementById("total").textContent`, "20,000 examples")
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
	last := slices.IndexFunc(issues, func(i audit.Issue) bool { return i.ID == "review-019999" })
	b.do(chromedp.SendKeys(chromedp.CSS("#filters [name=text]"), "review-019999"))
	b.until(`document.getElementById("total").textContent`, "1 example")
	b.do(chromedp.Click(chromedp.CSS("#window .line")))
	b.ready(last)
	b.noProblem()
}

// Decisions without a label, and the most probable other class, have keys; the list has pictures
// and sort orders.
func TestReviewOfImagesInBrowser(t *testing.T) {
	folder := expect.Got(audittest.Images(t.TempDir(), 300))(t)
	issues := expect.Got(folder.Issues())(t)
	b, _ := openReview(t, folder)
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
	b.counted("1 checked,1 changed")
	list := decisionsOf(t, folder)
	if len(list) != 3 || list[0].Action != audit.Ambiguous || list[1].Action != audit.None {
		t.Fatal(list)
	}
	if d := list[2]; d.ID != surest.ID || d.Label != other || other == surest.Given || d.Action != audit.Other {
		t.Errorf("%+v, want %s", d, other)
	}
}

// Others can open a review by an address of the machine, but only with the secret.
func TestReviewListens(t *testing.T) {
	folder := expect.Got(audittest.Texts(t.TempDir(), 50))(t)
	r := &reviewing{Cmd: exec.Command("losscorr-real", "review", folder.Dir(), "--listen", "0.0.0.0")}
	r.begin(t)
	at := expect.Got(url.Parse(r.address))(t)
	if ip := net.ParseIP(at.Hostname()); ip != nil && ip.IsUnspecified() {
		t.Errorf("nobody reaches %s", r.address)
	}
	for host, want := range map[string]int{at.Host: 200, "127.0.0.1:" + at.Port(): 200, "192.0.2.7:" + at.Port(): 200,
		"[2001:db8::1]:80": 200, "evil.example": 403, "192.0.2.7.evil.example": 403} {
		request := expect.Got(http.NewRequest(http.MethodGet, "http://127.0.0.1:"+at.Port()+at.Path+"api/session", nil))(t)
		request.Host = host
		answer := expect.Got(http.DefaultClient.Do(request))(t)
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("host %s: %d, want %d", host, answer.StatusCode, want)
		}
	}
	for _, path := range []string{"/", "/api/session", at.Path[:len(at.Path)-2] + "/api/session",
		strings.ToLower(at.Path) + "api/session", "/../" + at.Path[2:]} {
		answer := expect.Got(http.Get("http://127.0.0.1:" + at.Port() + path))(t)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	r.kill(t)
	expect.Says(t, r.err.String(), "is not encrypted")
	alone := startReview(t, folder)
	local := expect.Got(url.Parse(alone.address))(t)
	if c, err := net.Dial("tcp", net.JoinHostPort(at.Hostname(), local.Port())); err == nil &&
		at.Hostname() != "127.0.0.1" {
		_ = c.Close()
		t.Errorf("%s listens beyond this machine", alone.address)
	}
}

// Similar examples are decided together: deselected ones stay undecided, one undo reverts
// all, and keys only decide once the last tile was on the screen.
func TestGridInBrowser(t *testing.T) {
	folder := expect.Got(audittest.Texts(t.TempDir(), 20_000))(t)
	issues := expect.Got(folder.Issues())(t)
	kind := slices.DeleteFunc(issues, func(i audit.Issue) bool {
		return i.Given != "positive" || i.Suggested != "negative" || i.PWrong < .9
	})
	b, _ := openReview(t, folder)
	b.ready(0)
	b.press("g")
	b.until(`document.getElementById("total").textContent`, "20,000 examples")
	set := func(filter, value string) {
		b.Helper()
		b.text(`(() => { const s = document.querySelector("#filters [name=` + filter + `]"); s.value = "` + value +
			`"; s.dispatchEvent(new Event("input", { bubbles: true })) })()`)
	}
	toEnd := func() {
		b.Helper()
		b.text(`window.scrollTo(0, document.body.scrollHeight)`)
		b.until(`document.getElementById("rest").hidden`, "true")
	}
	set("given", "positive")
	set("suggested", "negative")
	set("low", "90")
	set("sort", "rank")
	b.until(`document.getElementById("take-all").textContent`, "Change 60 to negative S")
	b.until(`document.querySelector(".pick").dataset.place`, itoa(kind[0].Rank-1))
	b.press("s") // the last tile is not seen
	if list := decisionsOf(t, folder); len(list) != 0 {
		t.Fatalf("%d decisions on what nobody has seen", len(list))
	}
	tile := func(k int) chromedp.Action[chromedp.Void] {
		return chromedp.Click(chromedp.CSS(`[data-place="` + itoa(kind[k].Rank-1) + `"]`))
	}
	b.do(tile(1))
	b.until(`document.getElementById("keep-all").textContent`, "Keep positive for 59 K")
	toEnd()
	b.press("s")
	b.counted("59 checked,59 changed")
	b.until(`[...document.querySelectorAll(".pick")].slice(0, 2).map((p) => p.dataset.place).join()`, itoa(kind[1].Rank-1)+
		","+itoa(kind[60].Rank-1))
	b.press("u")
	b.counted("0 checked,0 changed")
	b.until(`document.querySelector(".pick").dataset.place`, itoa(kind[0].Rank-1)) // the tiles come after the counts
	b.do(chromedp.Click(chromedp.CSS(".tile .open")))
	b.ready(kind[0].Rank - 1)
	for _, key := range []string{"g", "l"} { // everything fits on a telephone
		b.do(chromedp.EmulateViewport(390, 844))
		b.press(key)
		b.text(`document.querySelector("#filters details").open = true`)
		b.fits(`document.documentElement`)
	}
	list := decisionsOf(t, folder)
	if len(list) != 59+59 || list[0].ID != kind[0].ID || list[0].Label != "negative" || list[1].ID != kind[2].ID {
		t.Errorf("%d lines, %+v", len(list), list[:2])
	}
	b.noProblem()
}
