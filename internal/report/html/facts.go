package html

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/report"

	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
)

// fact is a line at the head of the page.
type fact struct{ Name, Value string }

// lead says in a line what was run.
func lead(blocks []*report.Block) string {
	var parts []string
	for _, b := range blocks {
		if name := b.Dataset + " " + b.Network(); !slices.Contains(parts, name) {
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

func facts(s *report.Study, o Options) []fact {
	states := make(map[string]int)
	seconds := 0.0
	programs, libtorchs, machines := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var first, last string
	for _, r := range s.Runs {
		states[r.State]++
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
	var list []fact
	if n := keptRuns(s.Kept); n > 0 {
		list = append(list, fact{"runs kept as results", fmt.Sprint(n)})
	}
	if len(s.Runs) > 0 || len(s.Kept) == 0 {
		list = append(list, fact{"runs", fmt.Sprint(len(s.Runs))})
		for _, state := range append(slices.Clone(report.States), store.Pending) {
			if n := states[state]; n > 0 || state == store.Done {
				list = append(list, fact{state, fmt.Sprint(n)})
			}
		}
		list = append(list, fact{"device-hours", hours(seconds)})
	}
	for _, f := range []fact{
		{"finished", days}, {"program", atMostFour(programs)}, {"libtorch", atMostFour(libtorchs)},
		{"machine", atMostFour(machines)}, {"page by", o.Program},
	} {
		if f.Value != "" {
			list = append(list, f)
		}
	}
	return list
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

// keptRuns is how many runs blocks sum up.
func keptRuns(blocks []*report.Block) int {
	n := 0
	for _, b := range blocks {
		for _, c := range b.Filled() {
			n += len(c.Seeds)
		}
	}
	return n
}

func machine(r *report.Run) string {
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

// atMostFour lists what a set holds.
func atMostFour(set map[string]bool) string {
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

// troubles are the runs that failed, diverged or have not finished.
func troubles(s *report.Study) []*report.Run {
	var list []*report.Run
	for _, state := range []string{store.Failed, store.Diverged, store.Killed, store.Silent, store.Stopped, store.Running,
		store.Pending} {
		for _, r := range s.Runs {
			if r.State == state {
				list = append(list, r)
			}
		}
	}
	return list
}

// name is what a run is called, empty where its configuration could not be read.
func name(r *report.Run) string {
	if r.Config.Dataset == "" {
		return ""
	}
	return r.Config.Name()
}

func progress(r *report.Run) string {
	epochs := r.Status.Epochs
	if r.Finished() {
		epochs = r.Config.Epochs
	}
	if epochs == 0 {
		return ""
	}
	return fmt.Sprintf("epoch %d of %d", r.Epoch(), epochs)
}

// again is the command that resumes a run, or does one again that has ended.
func again(r *report.Run) string {
	command := fmt.Sprintf("losscorr train %s --out %s", shell.Word(filepath.Join(r.Dir, store.ConfigFile)),
		shell.Word(filepath.Dir(r.Dir)))
	if r.Finished() {
		command += " --resume force"
	}
	return command
}
