package report

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/store"
)

// States are those that a run's folder tells of, in the order in which people
// want to read of them.
var States = []string{store.Done, store.Diverged, store.Failed, store.Stopped, store.Running, store.Silent, store.Killed}

type fact struct{ Name, Value string }

// trouble is a run that failed, diverged or has not finished.
type trouble struct {
	State, ID, Name, Progress, Error, Command string
	Log                                       []string // its last lines
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
	var list []fact
	if n := keptRuns(s.Kept); n > 0 {
		list = append(list, fact{"runs kept as tables", fmt.Sprint(n)})
	}
	if len(s.Records) > 0 || len(s.Kept) == 0 {
		list = append(list, fact{"runs", fmt.Sprint(len(s.Records))})
		for _, state := range States {
			if n := states[state]; n > 0 || state == store.Done {
				list = append(list, fact{state, fmt.Sprint(n)})
			}
		}
		list = append(list, fact{"device-hours", hours(seconds)})
	}
	for _, f := range []fact{
		{"finished", days}, {"program", atMostFour(programs)}, {"libtorch", atMostFour(libtorchs)}, {"machine", atMostFour(machines)}, {"page by", o.Program},
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

// keptRuns is how many runs tables sum up.
func keptRuns(tables []*Table) int {
	n := 0
	for _, t := range tables {
		for _, c := range t.all() {
			n += len(c.Seeds)
		}
	}
	return n
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

// again is the command that does a run again, or goes on with it.
func again(r *Record) string {
	return fmt.Sprintf("losscorr train %s --out %s", shell.Word(filepath.Join(r.Dir, store.ConfigFile)), shell.Word(filepath.Dir(r.Dir)))
}

func troubles(s *Study) []trouble {
	var list []trouble
	for _, state := range []string{store.Failed, store.Diverged, store.Killed, store.Silent, store.Stopped, store.Running, ""} {
		for _, r := range s.Records {
			if r.State() != state {
				continue
			}
			t := trouble{State: state, ID: r.ID, Error: r.Status.Error, Log: r.Status.Log, Command: again(r)}
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
