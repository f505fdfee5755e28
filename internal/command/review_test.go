package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/audit/review"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

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
