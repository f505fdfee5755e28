package command

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
)

// Two people in two browsers: each is asked for a name once, one gives second opinions, a conflict is
// settled on the page, and the program says at its end how they agree.
func TestTwoReviewersInBrowsers(t *testing.T) {
	ann, bob := newBrowser(t), newBrowser(t)
	folder, err := audittest.Texts(t.TempDir(), 300)
	if err != nil {
		t.Fatal(err)
	}
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
			t.Fatalf("bob is told what Ann has decided: %s", got)
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
	for _, part := range []string{`document.getElementById("together")`, `document.documentElement`} { // on a telephone nothing is cut off
		if got := ann.text(part + ".scrollWidth <= " + part + ".clientWidth"); got != "true" {
			t.Errorf("%s is wider than the screen", part)
		}
	}
	ann.do(chromedp.Click(chromedp.CSS("#settle")))
	ann.until(`document.getElementById("total").textContent`, "2 examples")
	ann.do(chromedp.Click(chromedp.CSS("#window .line")))
	ann.ready(2)
	issues, err := folder.Issues()
	if err != nil {
		t.Fatal(err)
	}
	ann.until(`document.getElementById("said").textContent`, "Ann: "+issues[2].Given+"bob: "+issues[2].Suggested)
	ann.press("s")
	ann.ready(8)
	if list := string(read(t, folder.Path(audit.ConflictsFile))); strings.Count(list, "\n") != 3 || !strings.Contains(list, issues[8].ID) {
		t.Errorf("conflicts.csv:\n%s", list)
	}
	ann.press("u")
	ann.ready(2)
	ann.until(`document.getElementById("people").textContent`, "Ann · 2 conflicts")
	ann.press("s")
	ann.ready(8)
	ann.press("n")
	ann.ready(12)
	ann.until(`document.getElementById("people").textContent`, "Ann")
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()
	contains(t, "stderr", r.err.String(), "Ann and bob agree on 10 of 12 labels that both decided, Cohen's kappa", "decided: 11 labels")
	for name, b := range map[string]browser{"Ann": ann, "bob": bob} {
		if got := b.text(`document.cookie`); got != "losscorr-reviewer="+name {
			t.Errorf("%s: cookie %q", name, got)
		}
	}
	list, err := audit.ReadDecisions(folder.Path(audit.DecisionsFile))
	if d := audit.Last(list); err != nil || d[issues[2].ID].Label != issues[2].Suggested || d[issues[8].ID].Action != audit.None {
		t.Errorf("%+v, %+v, %v", d[issues[2].ID], d[issues[8].ID], err)
	}
}

// Keyboards of other scripts have the keys where Latin ones have them; other Latin layouts by their letters.
func TestReviewByOtherKeyboards(t *testing.T) {
	b := newBrowser(t)
	folder, err := audittest.Texts(t.TempDir(), 50)
	if err != nil {
		t.Fatal(err)
	}
	r := startReview(t, folder)
	b.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(r.address))
	b.ready(0)
	for place, key := range []input.DispatchKeyEventParams{
		{Key: "л", Code: "KeyK", Text: "л"},          // Russian
		{Key: "ν", Code: "KeyN", Text: "ν"},          // Greek
		{Key: "Process", Code: "KeyA"},               // an input method
		{Key: "k", Code: "KeyV", Text: "k"},          // Dvorak
		{Key: "q", Code: "KeyA", Text: "q"},          // AZERTY: no key of the page
		{Key: "Dead", Code: "BracketLeft", Text: ""}, // nor is this one
	} {
		key.Type = input.DispatchKeyEventTypeKeyDown
		b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchKeyEvent, key)
			return err
		}))
		b.ready(min(place+1, 4))
	}
	list, err := audit.ReadDecisions(folder.Path(audit.DecisionsFile))
	if err != nil || len(list) != 4 || list[0].Action != audit.Accept || list[1].Action != audit.None || list[2].Action != audit.Ambiguous || list[3].Action != audit.Accept {
		t.Errorf("%+v, %v", list, err)
	}
}

// Others reach a review by an address of the machine, with the secret alone.
func TestReviewListens(t *testing.T) {
	folder, err := audittest.Texts(t.TempDir(), 50)
	if err != nil {
		t.Fatal(err)
	}
	r := &reviewing{Cmd: exec.Command("losscorr-real", "review", folder.Dir(), "--listen", "0.0.0.0")}
	r.begin(t)
	at, err := url.Parse(r.address)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(at.Hostname()); ip != nil && ip.IsUnspecified() {
		t.Errorf("nobody reaches %s", r.address)
	}
	for host, want := range map[string]int{at.Host: 200, "127.0.0.1:" + at.Port(): 200, "192.0.2.7:" + at.Port(): 200, "[2001:db8::1]:80": 200, "evil.example": 403, "192.0.2.7.evil.example": 403} {
		request, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+at.Port()+at.Path+"api/session", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("host %s: %d, want %d", host, answer.StatusCode, want)
		}
	}
	for _, path := range []string{"/", "/api/session", at.Path[:len(at.Path)-2] + "/api/session", strings.ToLower(at.Path) + "api/session", "/../" + at.Path[2:]} {
		answer, err := http.Get("http://127.0.0.1:" + at.Port() + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	r.kill(t)
	contains(t, "stderr", r.err.String(), "is not encrypted")
	alone := startReview(t, folder)
	local, err := url.Parse(alone.address)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", net.JoinHostPort(at.Hostname(), local.Port())); err == nil && at.Hostname() != "127.0.0.1" {
		_ = c.Close()
		t.Errorf("%s listens beyond this machine", alone.address)
	}
	for _, args := range [][]string{{"--second", "0"}, {"--second", "101"}, {"--reviewer", " "}, {"--reviewer", "a", "--listen", "::1"}, {"--listen", "host:80"}} {
		start(t, "", nil, append([]string{"review", folder.Dir()}, args...)...).ends(t, 2)
	}
}

// What reviewers decided are answers of annotators, from the review to the audit of them.
func TestReviewersAsAnnotators(t *testing.T) {
	folder, err := audittest.Texts(t.TempDir(), 60)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "answers.csv")
	p := start(t, "", nil, "export", folder.Dir(), out, "--to", "answers")
	p.ends(t, 1)
	contains(t, "stderr", p.err.String(), "no reviewer has decided a label")
	issues, err := folder.Issues()
	if err != nil {
		t.Fatal(err)
	}
	log, _, err := folder.Decide()
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range issues {
		for who, label := range map[string]string{"ann": "positive", "bob": []string{"negative", "positive"}[k%2], "": "negative"} {
			d := audit.Decision{ID: i.ID, Given: i.Given, Label: label, Action: audit.Other, Reviewer: who}
			if label == i.Given {
				d.Action = audit.Accept
			}
			if who == "" && k > 0 { // decides the first alone
				d.Label, d.Action = "", audit.None
			}
			if err := log.Append(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	settled := audit.Decision{ID: issues[0].ID, Given: issues[0].Given, Action: audit.Ambiguous, Reviewer: "ann", Settles: true}
	if err := log.Append(settled); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	p = start(t, "", nil, "export", folder.Dir(), out, "--to", "answers")
	p.ends(t, 0)
	contains(t, "stdout", p.out.String(), out+": 121 answers to 60 examples", "59 more decisions name no class", "--answers "+out)
	text := string(read(t, out))
	if !strings.HasPrefix(text, "task,worker,label\n") || strings.Count(text, issues[0].ID+",") != 3 || !strings.Contains(text, issues[0].ID+",(no name),negative\n") {
		t.Errorf("%s", text)
	}
	people := filepath.Join(t.TempDir(), "people")
	p = start(t, "", nil, "audit", "--answers", out, "--out", people)
	p.ends(t, 0)
	s, err := audit.At(people).Summary()
	if err != nil || s.Crowd == nil || len(s.Crowd.Ranked) != 3 || s.Examples != 60 {
		t.Errorf("%+v, %v", s.Crowd, err)
	}
}
