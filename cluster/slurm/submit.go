package slurm

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/losscorr/losscorr/cluster"
)

// Call is one call of sbatch.
type Call struct {
	What    string // cluster.First, Rest or Report
	Script  Script
	Options []string // of sbatch, without the dependency
	After   []int    // places of the calls whose jobs must have ended, well or not
	Args    []string // of the script
	Tasks   []int
	Offset  int
}

// Calls returns the calls of sbatch that submit tasks, in order: the tasks that
// others need, the others when those have ended, then the report. Tasks that need
// a run that is missing nevertheless, since its own task failed, do it themselves.
//
// A limit of parallel tasks holds for one array, so with a limit the arrays of one
// phase come one after the other.
func (s Submission) Calls(tasks cluster.Tasks, maxArraySize int) []Call {
	script, report := s.Scripts()
	var calls []Call
	phase := func(what string, list []int, after []int) []int {
		var places []int
		for _, c := range chunks(list, maxArraySize) {
			array := "--array=" + cluster.Ranges(c.indices())
			if s.Site.MaxParallel > 0 {
				array += fmt.Sprintf("%%%d", s.Site.MaxParallel)
			}
			call := Call{What: what, Script: script, Options: []string{array}, After: after, Tasks: c.tasks, Offset: c.offset}
			call.Args = []string{"--offset", fmt.Sprint(c.offset)}
			if s.Site.MaxParallel > 0 && len(places) > 0 {
				call.After = places[len(places)-1:]
			}
			places = append(places, len(calls))
			calls = append(calls, call)
		}
		return places
	}
	first := phase(cluster.First, tasks.First, nil)
	last := append(first, phase(cluster.Rest, tasks.Rest, first)...)
	if s.Report && len(last) > 0 {
		calls = append(calls, Call{What: cluster.Report, Script: report, After: last})
	}
	return calls
}

// command is the call's command line, with the dependency on the given job ids.
func (c Call) command(ids []string) []string {
	out := append([]string{"sbatch", "--parsable"}, c.Options...)
	if len(c.After) > 0 {
		after := make([]string, len(c.After))
		for i, place := range c.After {
			after[i] = ids[place]
		}
		out = append(out, "--dependency=afterany:"+strings.Join(after, ":"))
	}
	return append(append(out, c.Script.Path), c.Args...)
}

// Print writes the scripts and the calls as a shell would make them.
func Print(w io.Writer, calls []Call) error {
	var b strings.Builder
	shown := map[string]bool{}
	for _, c := range calls {
		if !shown[c.Script.Path] {
			shown[c.Script.Path] = true
			fmt.Fprintf(&b, "# --- %s\n%s\n", c.Script.Path, c.Script.Text)
		}
	}
	ids := make([]string, len(calls))
	for i, c := range calls {
		ids[i] = fmt.Sprintf("$job%d", i+1)
		words := c.command(ids)
		for k, word := range words {
			if !strings.Contains(word, "$job") {
				words[k] = quote(word)
			}
		}
		fmt.Fprintf(&b, "job%d=$(%s)\n", i+1, strings.Join(words, " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// parsable is what sbatch --parsable prints: the job, and the cluster where there
// are several.
var parsable = regexp.MustCompile(`^(\d+)(;\S+)?$`)

// Submit writes the scripts, makes the folder of the logs (without it a job fails
// and says nothing) and calls sbatch. Each job is recorded as soon as it has an
// id, so that what follows an error knows of it.
func (s Submission) Submit(ctx context.Context, calls []Call, record *cluster.Record) ([]cluster.Job, error) {
	for what, path := range map[string]string{"the plan's folder": s.Dir, "the working folder": s.Work} {
		if err := checkPath(what, path); err != nil {
			return nil, &cluster.SiteError{Err: err}
		}
	}
	for _, dir := range []string{LogsDir, ScriptsDir} {
		if err := os.MkdirAll(filepath.Join(s.Dir, dir), 0o755); err != nil {
			return nil, fmt.Errorf("make a folder for the jobs: %w", err)
		}
	}
	var done []cluster.Job
	ids := make([]string, len(calls))
	for i, c := range calls {
		if err := os.WriteFile(c.Script.Path, []byte(c.Script.Text), 0o755); err != nil {
			return done, fmt.Errorf("write a job script: %w", err)
		}
		words := c.command(ids)
		out, err := run(ctx, words[0], words[1:]...)
		if err != nil {
			return done, fmt.Errorf("%w%s", err, submittedBefore(done))
		}
		m := parsable.FindStringSubmatch(strings.TrimSpace(out))
		if m == nil {
			return done, fmt.Errorf("sbatch printed %q, not the number of a job%s", strings.TrimSpace(out), submittedBefore(done))
		}
		ids[i] = m[1]
		job := cluster.Job{Cluster: cluster.Slurm, ID: m[1], What: c.What, Tasks: cluster.Ranges(c.Tasks), Offset: c.Offset, Command: words}
		if c.Tasks != nil {
			job.Pack = s.Pack
		}
		done = append(done, job)
		if err := record.Add(s.Dir, job); err != nil {
			return done, err
		}
	}
	return done, nil
}

func submittedBefore(done []cluster.Job) string {
	if len(done) == 0 {
		return ""
	}
	ids := make([]string, len(done))
	for i, j := range done {
		ids[i] = j.ID
	}
	return fmt.Sprintf("; submitted before: %s; grid submit slurm --resume submits the rest", strings.Join(ids, ", "))
}
