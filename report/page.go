package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/runner"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// PageOptions says what a page tells beside its runs.
type PageOptions struct {
	Program string // version of the program that writes the page
	// Command is the one that makes the page.
	Command string
}

// WritePage writes the study as one HTML document that needs nothing else: no
// scripts, no fonts, no pictures from elsewhere. The same study gives the same
// bytes.
func WritePage(w io.Writer, s *Study, o PageOptions) error {
	p := newPage(s, o)
	return p.write(w, "page")
}

func (p *page) write(w io.Writer, name string) error {
	var b bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&b, name, p); err != nil {
		return fmt.Errorf("report: write the page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

// page is what the template shows.
type page struct {
	CSS      template.CSS
	Lead     string
	Facts    []fact
	Blocks   []*blockView
	Sheets   []*Sheet // of the paper's tables as a whole
	Troubles []trouble
	Command  string
	Live     *live // of a live page
	Script   template.JS
	Report   template.HTML
	Revision string
}

type fact struct{ Name, Value string }

// trouble is a run that failed, diverged or has not finished.
type trouble struct {
	State, ID, Name, Progress, Error, Command string
}

func newPage(s *Study, o PageOptions) *page {
	s.prefetch()
	results := s.Results()
	tables := Tables(results)
	slices.SortStableFunc(tables, func(a, b *Table) int { return rank(a.Quick) - rank(b.Quick) })
	p := &page{CSS: template.CSS(pageCSS), Lead: lead(tables), Facts: facts(s, o), Troubles: troubles(s), Command: o.Command} //nolint:gosec // our own
	records := make(map[string][]*Record)
	for _, r := range s.Records {
		if r.Result != nil {
			key := groupKey(*r.Result)
			records[key] = append(records[key], r)
		}
	}
	for k, t := range tables {
		p.Blocks = append(p.Blocks, newBlockView(k+1, t, records[t.key]))
	}
	if slices.ContainsFunc(tables, func(t *Table) bool { return len(t.published()) > 0 && !t.Quick }) {
		p.Sheets = append(p.Sheets, coverageSheet(tables))
	}
	if slices.ContainsFunc(results, func(r runner.Result) bool { return clothingRow(r.Config) > 0 }) {
		p.Sheets = append(p.Sheets, Table3(results))
	}
	return p
}

// prefetch reads the metrics of all runs, as many at a time as there are cores.
func (s *Study) prefetch() {
	next := make(chan *Record)
	var workers sync.WaitGroup
	for range max(1, min(len(s.Records), 8)) {
		workers.Go(func() {
			for r := range next {
				_, _ = r.Epochs() // an error shows where they are used
			}
		})
	}
	for _, r := range s.Records {
		next <- r
	}
	close(next)
	workers.Wait()
}

// lead says in a line what was run.
func lead(tables []*Table) string {
	var parts []string
	for _, t := range tables {
		if name := t.Dataset + " " + t.Model; !slices.Contains(parts, name) {
			parts = append(parts, name)
		}
	}
	switch {
	case len(parts) == 0:
		return "No run has finished yet."
	case len(parts) > 6:
		parts = append(parts[:6], fmt.Sprintf("and %d more", len(parts)-6))
	}
	return "Test accuracy under label noise: " + strings.Join(parts, ", ") + "."
}

func facts(s *Study, o PageOptions) []fact {
	states := make(map[string]int)
	seconds := 0.0
	programs, libtorchs, machines := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var first, last string
	for _, r := range s.Records {
		states[r.State()]++
		seconds += r.Seconds()
		if e := r.Environment; e.Program != "" {
			programs[e.Program+short(e.Revision, e.Modified)] = true
			libtorchs[e.Libtorch["version"]] = true
			machines[machine(r)] = true
		}
		if r.Result != nil && len(r.Result.Finished) >= len("2006-01-02") {
			day := r.Result.Finished[:len("2006-01-02")]
			if first == "" || day < first {
				first = day
			}
			last = max(last, day)
		}
	}
	days := first
	if last != first {
		days += " to " + last
	}
	list := []fact{{"runs", fmt.Sprint(len(s.Records))}}
	for _, state := range []string{runner.Done, runner.Diverged, runner.Failed, runner.Stopped, runner.Running} {
		if n := states[state]; n > 0 || state == runner.Done {
			list = append(list, fact{stateNames[state], fmt.Sprint(n)})
		}
	}
	list = append(list, fact{"device-hours", hours(seconds)})
	for _, f := range []fact{
		{"finished", days}, {"program", names1(programs)}, {"libtorch", names1(libtorchs)}, {"machine", names1(machines)}, {"page by", o.Program},
	} {
		if f.Value != "" {
			list = append(list, f)
		}
	}
	return list
}

// stateNames are for readers; a run said to be running may have been killed.
var stateNames = map[string]string{
	runner.Done: "done", runner.Diverged: "diverged", runner.Failed: "failed", runner.Stopped: "stopped", runner.Running: "unfinished",
}

func short(revision string, modified bool) string {
	if revision == "" {
		return ""
	}
	text := " " + revision[:min(len(revision), 10)]
	if modified {
		text += "+"
	}
	return text
}

func machine(r *Record) string {
	e := r.Environment
	text := e.CPU.Model
	if e.CPU.Cores > 0 {
		text += fmt.Sprintf(", %d cores", e.CPU.Cores)
	}
	if gpu := e.Libtorch["gpu"]; gpu != "" {
		text += ", " + gpu
	}
	return text
}

// names1 lists what a set holds, at most four of it.
func names1(set map[string]bool) string {
	delete(set, "")
	names := slices.Sorted(maps.Keys(set))
	if len(names) > 4 {
		names = append(names[:4], fmt.Sprintf("and %d more", len(names)-4))
	}
	return strings.Join(names, "; ")
}

func hours(seconds float64) string {
	switch h := seconds / 3600; {
	case h >= 100:
		return fmt.Sprintf("%.0f", h)
	case h >= 1:
		return fmt.Sprintf("%.1f", h)
	default:
		return fmt.Sprintf("%.2f", h)
	}
}

func troubles(s *Study) []trouble {
	var list []trouble
	for _, state := range []string{runner.Failed, runner.Diverged, runner.Stopped, runner.Running, ""} {
		for _, r := range s.Records {
			if r.State() != state || r.Result != nil && state == runner.Done {
				continue
			}
			t := trouble{State: stateNames[state], ID: r.ID, Error: r.Status.Error, Command: "losscorr train " + r.Dir + "/" + runner.ConfigFile}
			if t.State == "" {
				t.State = "unknown"
			}
			if r.Config.Dataset != "" {
				t.Name = r.Config.Name()
			}
			switch {
			case r.Result != nil:
				t.Progress = fmt.Sprintf("epoch %d of %d", r.Result.Last.Epoch, r.Config.Epochs)
				t.Error = "its loss became no number; it counts with the accuracy it had"
			case r.Status.Epochs > 0:
				t.Progress = fmt.Sprintf("epoch %d of %d", r.Status.Epoch, r.Status.Epochs)
			}
			list = append(list, t)
		}
	}
	return list
}
