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
	contains(t, "stderr", r.err.String(), "Ctrl-C", "ending the review", "1 label decided; to use the answers, repeat "+
		"the audit", "1 of 12 random checks done: too few for an estimate")
}
