package html

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/report"

	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
)

// fact is a line at the top of the page.
type fact struct{ Name, Value string }

// lead summarises the runs in one line.
func lead(blocks []*report.Block) string {
	if len(blocks) == 0 {
		return "No run has finished yet."
	}
	var names []string
	for _, b := range blocks {
		names = append(names, b.Dataset+" "+b.Network())
	}
	return "Test accuracy under label noise: " + atMost(6, names, ", ") + "."
}

func facts(s *report.Study, o Options) (list []fact) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, fact{name, value})
		}
	}
	states := make(map[string]int)
	seconds := 0.0
	var days, programs, libtorchs, machines []string
	for _, r := range s.Runs {
		states[r.State]++
		seconds += r.Seconds()
		if e := r.Environment; e.Program != "" {
			programs = append(programs, e.Program+short(e.Revision, e.Modified))
			libtorchs = append(libtorchs, e.Libtorch["version"])
			machines = append(machines, machine(r))
		}
		if r.Result != nil && len(r.Result.Finished) >= len("2006-01-02") {
			days = append(days, r.Result.Finished[:len("2006-01-02")])
		}
	}
	if n := keptRuns(s.Kept); n > 0 {
		add("runs kept as results", fmt.Sprint(n))
	}
	if len(s.Runs) > 0 || len(s.Kept) == 0 {
		add("runs", fmt.Sprint(len(s.Runs)))
		for _, state := range append(slices.Clone(report.States), store.Pending) {
			if n := states[state]; n > 0 || state == store.Done {
				add(state, fmt.Sprint(n))
			}
		}
		add("device-hours", hours(seconds))
	}
	if len(days) > 0 {
		finished := slices.Min(days)
		if last := slices.Max(days); last != finished {
			finished += " to " + last
		}
		add("finished", finished)
	}
	add("program", atMost(4, programs, "; "))
	add("libtorch", atMost(4, libtorchs, "; "))
	add("machine", atMost(4, machines, "; "))
	add("page made by", o.Program)
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

// keptRuns returns how many runs the kept blocks summarise.
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

// atMost lists up to n distinct texts, and counts the rest.
func atMost(n int, texts []string, separator string) string {
	slices.Sort(texts)
	texts = slices.DeleteFunc(slices.Compact(texts), func(s string) bool { return s == "" })
	if more := len(texts) - n; more > 0 {
		texts = append(texts[:n], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, separator)
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

// troubles returns the runs that failed, diverged or have not finished.
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

// name returns the name of a run, empty if its configuration could not be read.
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

// again returns the command that resumes a run, or repeats it if it has ended.
func again(r *report.Run) string {
	command := fmt.Sprintf("losscorr train %s --out %s", shell.Word(filepath.Join(r.Dir, store.ConfigFile)),
		shell.Word(filepath.Dir(r.Dir)))
	if r.Finished() {
		command += " --resume force"
	}
	return command
}
