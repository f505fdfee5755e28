package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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
	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/audit/review"
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

// reviewing is a running losscorr review.
type reviewing struct {
	*exec.Cmd
	err     bytes.Buffer
	address string
}

func startReview(t *testing.T, folder *audit.Folder, flags ...string) *reviewing {
	t.Helper()
	r := &reviewing{Cmd: exec.Command("losscorr-real", append([]string{"review", folder.Dir()}, flags...)...)}
	r.begin(t)
	if !strings.HasPrefix(r.address, "http://127.0.0.1:") {
		t.Errorf("address %s", r.address)
	}
	return r
}

// begin starts a review and waits for its address.
func (r *reviewing) begin(t *testing.T) {
	t.Helper()
	r.Stderr = &r.err
	out := expect.Got(r.StdoutPipe())(t)
	expect.OK(t, r.Start())
	t.Cleanup(func() { r.kill(t) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://") {
		r.kill(t)
		t.Fatalf("address %q, %v\n%s", line, err, r.err.String())
	}
	r.address = strings.TrimSpace(line)
}

// kill ends the review with kill -9.
func (r *reviewing) kill(t *testing.T) {
	t.Helper()
	if r.ProcessState != nil {
		return
	}
	expect.OK(t, r.Process.Kill())
	_ = r.Wait() // killed
}

// get reads JSON from the address.
func (r *reviewing) get(t *testing.T, path string, into any) {
	t.Helper()
	answer := expect.Got(http.Get(r.address + path))(t)
	defer answer.Body.Close()
	expect.OK(t, json.NewDecoder(answer.Body).Decode(into))
}

// decide posts a decision as the page does, and reports whether it was acknowledged.
func (r *reviewing) decide(e review.Example, label string) bool {
	at, _ := url.Parse(r.address)
	body, _ := json.Marshal(map[string]any{"place": e.Place, "id": e.ID, "label": label})
	request, _ := http.NewRequest(http.MethodPost, r.address+"api/decide", bytes.NewReader(body))
	request.Header.Set("Origin", "http://"+at.Host)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err == nil && answer.StatusCode == http.StatusOK
}

// A review that is killed at any moment keeps every acknowledged decision, and resumes
// after them.
func TestReviewKilled(t *testing.T) {
	folder := expect.Got(audittest.Texts(t.TempDir(), 2000))(t)
	saved := map[string]string{}
	for round := range 8 {
		r := startReview(t, folder)
		var now struct {
			Next     int
			Progress review.Progress
		}
		r.get(t, "api/session", &now)
		// The unacknowledged one may also be there.
		if n := now.Progress.Decided; n < len(saved) || n > len(saved)+round {
			t.Fatalf("round %d: %d decisions, want %d", round, n, len(saved))
		}
		var list []review.Example
		for place := now.Next; len(list) < 60; place++ {
			var e review.Example
			r.get(t, "api/example?place="+itoa(place), &e)
			list = append(list, e)
		}
		killed := make(chan struct{})
		for k, e := range list {
			if k == 5*round+3 {
				go func() {
					defer close(killed)
					_ = r.Process.Kill()
				}()
			}
			if !r.decide(e, e.Suggested) {
				break
			}
			saved[e.ID] = e.Suggested
		}
		<-killed
		_ = r.Wait() // killed
	}
	list := expect.Got(folder.Said(own.Source{}))(t)
	got := map[string]string{}
	for id, d := range audit.Outcomes(list) {
		got[id] = d.Label
	}
	if n := len(got); n > len(saved)+8 {
		t.Errorf("%d decisions, of which %d were acknowledged", n, len(saved))
	}
	maps.DeleteFunc(got, func(id, _ string) bool { return saved[id] == "" })
	if diff := cmp.Diff(saved, got); diff != "" {
		t.Errorf("acknowledged, and not in the file (-want +got):\n%s", diff)
	}
	if len(saved) < 100 {
		t.Errorf("%d decisions only", len(saved))
	}
}

// Ctrl-C is the usual end of a review. A decision that cannot be saved is not acknowledged.
func TestReviewInterrupted(t *testing.T) {
	folder := expect.Got(audittest.Texts(t.TempDir(), 50))(t)
	path := folder.Path(audit.DecisionsFile)
	audittest.Decide(t, folder, audit.Decision{ID: "review-000003", Given: "positive", Action: audit.Skip})
	r := startReview(t, folder, "--random", "12")
	var e review.Example
	r.get(t, "api/example?place=0", &e)
	if !r.decide(e, e.Given) {
		t.Fatal("not saved")
	}
	write(t, path+".new", read(t, path))
	expect.OK(t, os.Rename(path+".new", path))
	if r.decide(e, e.Given) {
		t.Error("a decision in a file that is not there is acknowledged")
	}
	expect.OK(t, r.Process.Signal(os.Interrupt))
	_ = r.Wait()
	if code := r.ProcessState.ExitCode(); code != 0 || strings.Contains(r.err.String(), "checkpoint") {
		t.Errorf("exit code %d\n%s", code, r.err.String())
	}
	expect.Says(t, r.err.String(), "Ctrl-C", "ending the review", "1 label decided; to use the answers, repeat "+
		"the audit", "1 of 12 random checks done: too few for an estimate")
}

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
	expect.Says(t, r.err.String(), "Ann and bob agree on 10 of 12 labels that both decided, Cohen's kappa",
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
