package slurm

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
)

// defaultMaxArraySize is Slurm's default.
const defaultMaxArraySize = 1001

// call is one call of sbatch, with an array of tasks.
type call struct {
	what   string // cluster.First or Rest
	after  []int  // places of calls whose jobs must end first, whether they succeed or not
	tasks  []int
	offset int // task minus index in the array
	limit  int // of tasks at a time; 0: none
}

// calls returns the sbatch calls that submit tasks, in order: the tasks that others need, then the others. If a needed
// run is missing because its task failed, the tasks that need it execute it.
//
// A limit of parallel tasks applies to one array, so with a limit the arrays of a phase run one after the other.
func (s *Site) calls(tasks cluster.Tasks, maxArraySize int) []call {
	var calls []call
	phase := func(what string, list []int, after []int) []int {
		var places []int
		for _, c := range chunks(list, maxArraySize) {
			c.what, c.after, c.limit = what, after, s.MaxParallel
			if s.MaxParallel > 0 && len(places) > 0 {
				c.after = places[len(places)-1:]
			}
			places = append(places, len(calls))
			calls = append(calls, c)
		}
		return places
	}
	phase(cluster.Rest, tasks.Rest, phase(cluster.First, tasks.First, nil))
	return calls
}

// chunks divides ascending tasks into arrays so that no index reaches size, Slurm's MaxArraySize. If all fit, the
// offset is 0 and indices are tasks.
func chunks(tasks []int, size int) []call {
	var out []call
	for i := 0; i < len(tasks); {
		c := call{}
		if tasks[len(tasks)-1] >= size {
			c.offset = tasks[i]
		}
		j := i
		for j < len(tasks) && tasks[j]-c.offset < size {
			j++
		}
		c.tasks = tasks[i:j]
		out = append(out, c)
		i = j
	}
	return out
}

// indices returns the array's indices in Slurm's notation.
func (c call) indices() string {
	out := make([]int, len(c.tasks))
	for i, t := range c.tasks {
		out[i] = t - c.offset
	}
	return humanize.Ranges(out)
}

// command returns the command line of the call of a script, with its dependency on the given job IDs.
func (c call) command(script string, ids []string) []string {
	array := "--array=" + c.indices()
	if c.limit > 0 {
		array += fmt.Sprintf("%%%d", c.limit)
	}
	out := []string{"sbatch", "--parsable", array}
	if len(c.after) > 0 {
		after := make([]string, len(c.after))
		for i, place := range c.after {
			after[i] = ids[place]
		}
		out = append(out, "--dependency=afterany:"+strings.Join(after, ":"))
	}
	return append(out, script, "--offset", fmt.Sprint(c.offset))
}

// show prints the script and the calls as shell commands.
func show(w io.Writer, path, text string, calls []call) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# --- %s\n%s\n", path, text)
	ids := make([]string, len(calls))
	for i, c := range calls {
		ids[i] = fmt.Sprintf("$job%d", i+1)
		words := c.command(shell.Word(path), ids)
		fmt.Fprintf(&b, "job%d=$(%s)\n", i+1, strings.Join(words, " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// parsable matches the output of sbatch --parsable: the job, and the cluster if there are several.
var parsable = regexp.MustCompile(`^(\d+)(;\S+)?$`)

// Submit implements cluster.Scheduler. It writes the script, creates the folder of the logs, without which jobs fail
// silently, and calls sbatch.
func (s *Site) Submit(ctx context.Context, sub *cluster.Submission) (err error) {
	path, text, err := s.script(sub)
	if err != nil {
		return err
	}
	size := s.MaxArraySize
	if size == 0 {
		size, err = maxArraySize(ctx)
		if err != nil && sub.DryRun {
			fmt.Fprintf(sub.Stderr, "note: assuming a MaxArraySize of %d: %v\n", defaultMaxArraySize, err)
			size, err = defaultMaxArraySize, nil
		}
		if err != nil {
			return err
		}
	}
	calls := s.calls(cluster.Phases(sub.Plan, sub.Runs, sub.Pack), size)
	if sub.DryRun {
		return show(sub.Stdout, path, text, calls)
	}
	for _, dir := range []string{logsDir, scriptsDir} {
		if err := os.MkdirAll(filepath.Join(sub.Dir, dir), 0o755); err != nil {
			return fmt.Errorf("make a folder for the jobs: %w", err)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		return fmt.Errorf("write a job script: %w", err)
	}
	ids := make([]string, len(calls))
	for i, c := range calls {
		words := c.command(path, ids)
		out, err := cluster.Run(ctx, nil, words[0], words[1:]...)
		if err != nil {
			return err
		}
		m := parsable.FindStringSubmatch(out)
		if m == nil {
			return fmt.Errorf("sbatch printed %q, not a job number", out)
		}
		ids[i] = m[1]
		if err := sub.Add(cluster.Job{ID: m[1], What: c.what, Tasks: humanize.Ranges(c.tasks), Offset: c.offset,
			Command: words}); err != nil {
			return err
		}
	}
	return nil
}
