package cluster

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
)

// Submission is the unfinished runs of a plan on their way to a scheduler.
type Submission struct {
	Plan   store.PlanFile
	Dir    string   // folder of the plan
	Pack   int      // runs of a task
	Args   []string // more for grid exec, such as --device cuda
	OnCPU  bool     // whether a run would be done on the CPU
	Rest   bool     // submit what is neither finished nor queued
	Force  bool     // submit what is not finished, even if it is queued
	DryRun bool

	Stdout, Stderr io.Writer

	// Set by Submit, for the Scheduler.

	Runs    []int // places in the plan of the runs to submit
	Earlier []Job // of the scheduler and this plan, in the order in which they were submitted
	Queued  []int // places in the plan of the runs of earlier jobs' tasks that have not ended

	name   string // of the scheduler
	record Record
	added  []string // ids of jobs
}

// Submit submits the runs of a plan that are not finished, and prints the jobs. Where
// tasks of the plan are queued, it submits the other tasks with s.Rest, all with
// s.Force, and otherwise returns an error.
func Submit(ctx context.Context, scheduler Scheduler, s *Submission) (err error) {
	names := scheduler.Names()
	given, name := s.Dir, names.Scheduler
	if s.Dir, err = filepath.Abs(given); err != nil {
		return err
	}
	if s.record, err = Load(s.Dir); err != nil {
		return err
	}
	s.name, s.Earlier, s.Runs = name, s.record.Of(name), Left(s.Plan, given)
	queued, err := scheduler.Queued(ctx, s.Earlier)
	if err != nil && !s.DryRun { // which works where there is no cluster, too
		return err
	}
	queued = slices.DeleteFunc(queued, func(q Queued) bool { return q.Task < 0 })
	for _, q := range queued {
		s.Queued = append(s.Queued, Places(q.Task, q.Job.Pack, len(s.Plan.Runs))...)
	}
	if len(queued) > 0 && !s.Force {
		if !s.Rest {
			ids := jobIDs(queued)
			return fmt.Errorf("%d tasks of %s are queued (jobs %s): wait, or submit with --rest what is not queued, or end "+
				"them with %s %s",
				len(queued), given, strings.Join(ids, ", "), names.Cancel, strings.Join(ids, " "))
		}
		for _, q := range queued {
			places := Places(q.Task, q.Job.Pack, len(s.Plan.Runs))
			s.Runs = slices.DeleteFunc(s.Runs, func(i int) bool { return slices.Contains(places, i) })
		}
		if len(s.Runs) == 0 {
			_, err := fmt.Fprintf(s.Stdout, "nothing to submit: what is unfinished in %s is queued (%s)\n", given,
				humanize.Count(len(queued), "task"))
			return err
		}
	}
	total := len(s.Plan.Runs)
	if len(s.Runs) == 0 {
		_, err := fmt.Fprintf(s.Stdout, "nothing to submit: all %s of %s are finished; losscorr report %s\n",
			humanize.Runs(total), given, shell.Word(given))
		return err
	}
	if s.OnCPU && scheduler.UsesGPU() {
		fmt.Fprintln(s.Stderr, "note: GPUs are asked for and the runs are on the CPU; --device cuda puts them on the GPUs")
	}
	if err := scheduler.Submit(ctx, s); err != nil {
		if len(s.added) > 0 {
			err = fmt.Errorf("%w; submitted before: %s; grid submit %s --rest submits the rest", err,
				strings.Join(s.added, ", "), name)
		}
		return err
	}
	if !s.DryRun {
		_, err = fmt.Fprintf(s.Stdout, "%s of %d; watch with losscorr grid status %s\n", humanize.Runs(len(s.Runs)), total,
			shell.Word(given))
	}
	return err
}

// Add records and prints a job as soon as it has an id, so that a later submission
// knows of it even if an error follows.
func (s *Submission) Add(j Job) error {
	j.Cluster = s.name
	if j.Tasks != "" {
		j.Pack = s.Pack
	}
	s.added = append(s.added, j.ID)
	if err := s.record.Add(s.Dir, j); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.Stdout, "job %s: %s\n", j.ID, j.describe())
	return err
}

// WriteStatus writes a line for each job of a plan that has not ended: how many of
// its tasks are in which state. Where a cluster does not answer, it names the jobs
// that were submitted.
func WriteStatus(ctx context.Context, out io.Writer, dir string, schedulers []Scheduler) error {
	record, err := Load(dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range schedulers {
		name := s.Names().Scheduler
		jobs := record.Of(name)
		if len(jobs) == 0 {
			continue
		}
		queued, err := s.Queued(ctx, jobs)
		if err != nil {
			all := make([]string, len(jobs))
			for i, j := range jobs {
				all[i] = j.ID
			}
			fmt.Fprintf(w, "%s\tsubmitted jobs %s; what is queued is not known: %v\n", name, strings.Join(all, ", "), err)
		}
		for _, j := range jobs {
			if states := countStates(j, queued); states != "" {
				fmt.Fprintf(w, "%s\tjob %s, %s: %s\n", name, j.ID, j.describe(), states)
			}
		}
	}
	return w.Flush()
}

// countStates lists how many tasks of a job are in which state, empty where it has ended.
func countStates(j Job, queued []Queued) string {
	counts := map[string]int{}
	for _, q := range queued {
		if q.Job.ID == j.ID {
			counts[q.State]++
		}
	}
	var states []string
	for state, n := range counts {
		states = append(states, fmt.Sprintf("%d %s", n, state))
	}
	slices.Sort(states)
	return strings.Join(states, ", ")
}

// jobIDs are the jobs of tasks, each once.
func jobIDs(queued []Queued) []string {
	var out []string
	for _, q := range queued {
		if !slices.Contains(out, q.Job.ID) {
			out = append(out, q.Job.ID)
		}
	}
	return out
}
