package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/losscorr/losscorr/store"
)

//go:embed live.js
var liveJS string

// LivePolicy is the Content-Security-Policy of a live page: its own style and
// script, and nothing from elsewhere.
var LivePolicy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	policyHash("\n"+pageCSS), policyHash("\n"+liveJS))

func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// WriteLivePage writes a page that shows the runs as they are now, the report
// that WriteLiveReport has written, and a script that asks for "live" and
// "report" beside the page every few seconds: what WriteLive and WriteLiveReport
// write.
func WriteLivePage(w io.Writer, s *Study, now time.Time, report []byte) error {
	p := &page{
		CSS: template.CSS(pageCSS), Live: newLive(s, now), Script: template.JS(liveJS), Report: template.HTML(report), //nolint:gosec // our own
	}
	return p.write(w, "livepage")
}

// WriteLive writes the part of a live page that is about the runs under way.
func WriteLive(w io.Writer, s *Study, now time.Time) error {
	p := &page{Live: newLive(s, now)}
	return p.write(w, "livepart")
}

// WriteLiveReport writes the part of a live page that is about the runs that
// have ended. It changes only if Revision does.
func WriteLiveReport(w io.Writer, s *Study, o PageOptions) error {
	p := newPage(s.ended(), o)
	p.Revision = s.Revision()
	return p.write(w, "livereport")
}

// Revision changes when a run ends in any way, or goes on.
func (s *Study) Revision() string {
	sum := sha256.New()
	for _, r := range s.ended().Records {
		fmt.Fprintf(sum, "%s\n%s", r.Dir, r.stamps)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// ended are the runs that are not said to be running.
func (s *Study) ended() *Study {
	out := &Study{Dirs: s.Dirs}
	for _, r := range s.Records {
		if !r.underWay() {
			out.Records = append(out.Records, r)
		}
	}
	return out
}

// live is what the template shows of the runs under way.
type live struct {
	Time, Revision string
	Ended, Total   int
	States         []fact
	Left           string
	Active         []activeRun
}

type activeRun struct {
	ID, Name      string
	Epoch, Epochs int
	Speed, Left   string
	Accuracy      string
	State, Owner  string
	Ago           string // since its last sign of life; empty where there is none
}

func newLive(s *Study, now time.Time) *live {
	l := &live{Time: now.UTC().Format("2006-01-02 15:04:05"), Revision: s.Revision(), Total: len(s.Records)}
	counts := make(map[string]int)
	var rest, spent float64 // seconds
	alive, done := 0, 0
	for _, r := range s.Records {
		counts[r.State()]++
		if r.Result != nil {
			spent += r.Result.Seconds
			done++
		}
		if r.Result != nil || r.Status.State == store.Failed {
			l.Ended++
		}
		if !r.underWay() {
			continue
		}
		run, left := active(r, now)
		if run.State == store.Running {
			alive++
			rest += left
		} else {
			run.Left = ""
		}
		l.Active = append(l.Active, run)
	}
	waiting := s.waiting()
	l.Total += waiting
	counts["not begun"] = waiting
	for _, name := range append(slices.Clone(States), "not begun") {
		if counts[name] > 0 {
			l.States = append(l.States, fact{name, fmt.Sprint(counts[name])})
		}
	}
	if done > 0 {
		rest += float64(waiting) * spent / float64(done)
	}
	if alive > 0 && rest > 0 && (waiting == 0 || done > 0) {
		l.Left = "about " + duration(rest/float64(alive))
	}
	return l
}

// active describes a run under way, and returns the seconds that it has to go.
func active(r *Record, now time.Time) (activeRun, float64) {
	run := activeRun{ID: r.ID, Epoch: r.Status.Epoch, Epochs: r.Status.Epochs, State: r.Life.State, Owner: r.Life.Owner}
	if r.Config.Dataset != "" {
		run.Name = r.Config.Name()
	}
	epochs, _ := r.Epochs() // what cannot be read is left out
	seconds, count := 0.0, 0
	for _, e := range slices.Backward(epochs) {
		if count == 3 {
			break
		}
		seconds += e.Seconds
		count++
	}
	var left float64
	if count > 0 {
		seconds /= float64(count)
		left = seconds * float64(max(0, run.Epochs-run.Epoch))
		run.Speed, run.Left = fmt.Sprintf("%.2f s", seconds), duration(left)
		run.Accuracy = fmt.Sprintf("%.2f %%", epochs[len(epochs)-1].TestAccuracy)
	}
	if !r.Life.Seen.IsZero() {
		run.Ago = r.Life.Ago(now).Round(time.Second).String()
	}
	return run, left
}

// waiting counts the runs of plans that have no folder yet.
func (s *Study) waiting() int {
	known := make(map[string]bool)
	for _, r := range s.Records {
		known[r.ID] = true
	}
	n := 0
	for _, id := range s.planned {
		if !known[id] {
			known[id] = true
			n++
		}
	}
	return n
}
