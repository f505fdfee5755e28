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

// Submission describes the unfinished runs of a plan to be submitted.
type Submission struct {
	Plan   store.PlanFile
	Dir    string   // folder of the plan
	Pack   int      // runs per task
	Args   []string // further arguments of grid exec, such as --device cuda
	OnCPU  bool     // whether a run would use the CPU
	Rest   bool     // submit runs that are neither finished nor queued
	Force  bool     // submit unfinished runs even if they are queued
	DryRun bool

	Stdout, Stderr io.Writer

	// Submit sets these for the Scheduler.

	Runs    []int // places in the plan of the runs to submit
	Earlier []Job // the scheduler's earlier jobs of this plan, in order

	name   string // the scheduler's
	record Record
	added  []string // job IDs
}

// Submit submits the unfinished runs of a plan and prints the jobs. If some are queued already, it submits only the
// others with s.Rest, all with s.Force, and otherwise returns an error.
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
	if err != nil && !s.DryRun { // a dry run needs no cluster
		return err
	}
	queued = slices.DeleteFunc(queued, func(q Queued) bool { return q.Task < 0 })
	if len(queued) > 0 && !s.Force {
		if !s.Rest {
			ids := jobIDs(queued)
			return fmt.Errorf("%d tasks of %s are queued (jobs %s): wait, submit the others with --rest, or end them with "+
				"%s %s",
				len(queued), given, strings.Join(ids, ", "), names.Cancel, strings.Join(ids, " "))
		}
		for _, q := range queued {
			places := Places(q.Task, q.Job.Pack, len(s.Plan.Runs))
			s.Runs = slices.DeleteFunc(s.Runs, func(i int) bool { return slices.Contains(places, i) })
		}
		if len(s.Runs) == 0 {
			_, err := fmt.Fprintf(s.Stdout, "nothing to submit: all unfinished runs of %s are queued (%s)\n", given,
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
		fmt.Fprintln(s.Stderr, "note: the tasks get GPUs, but the runs use the CPU; add --device cuda")
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

// Add records and prints a job as soon as it has an ID, so that later submissions see it even if an error follows.
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

// WriteStatus writes a line for each job of a plan that has not ended, with the number of tasks in each state. If a
// cluster does not answer, it lists the submitted jobs.
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
			fmt.Fprintf(w, "%s\tsubmitted jobs %s; their state is unknown: %v\n", name, strings.Join(all, ", "), err)
		}
		for _, j := range jobs {
			if states := countStates(j, queued); states != "" {
				fmt.Fprintf(w, "%s\tjob %s, %s: %s\n", name, j.ID, j.describe(), states)
			}
		}
	}
	return w.Flush()
}

// countStates lists the number of a job's tasks in each state, "" if the job has ended.
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

// jobIDs returns the distinct jobs of tasks.
func jobIDs(queued []Queued) []string {
	var out []string
	for _, q := range queued {
		if !slices.Contains(out, q.Job.ID) {
			out = append(out, q.Job.ID)
		}
	}
	return out
}
