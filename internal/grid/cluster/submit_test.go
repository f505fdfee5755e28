package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// fakeScheduler submits all runs as one job; some of its tasks are queued.
type fakeScheduler struct {
	queued []int // tasks
	err    error // returned by Queued
	gpu    bool
	runs   []int // last submitted
}

func (f *fakeScheduler) Names() Names {
	return Names{Scheduler: "fake", Usage: "as nothing", Index: "FAKE_INDEX", Cancel: "fakecancel"}
}
func (f *fakeScheduler) Options() []Option             { return nil }
func (f *fakeScheduler) Validate() error               { return nil }
func (f *fakeScheduler) UsesGPU() bool                 { return f.gpu }
func (f *fakeScheduler) Requeue(context.Context) error { return nil }

func (f *fakeScheduler) Queued(_ context.Context, jobs []Job) ([]Queued, error) {
	if len(jobs) == 0 || f.err != nil {
		return nil, f.err
	}
	job := jobs[0]
	out := []Queued{{Job: job, Task: -1, State: "waiting"}}
	for _, task := range f.queued {
		out = append(out, Queued{Job: job, Task: task, State: "running"})
	}
	return out, nil
}

func (f *fakeScheduler) Submit(_ context.Context, s *Submission) error {
	if f.runs = s.Runs; s.DryRun {
		return nil
	}
	return s.Add(Job{ID: "j" + humanize.Ranges(s.Runs), What: Rest, Tasks: humanize.Ranges(s.Runs)})
}

// Finished and queued runs are not submitted again without --force; a dry run needs no cluster.
func TestSubmit(t *testing.T) {
	p, dir := plan(t), t.TempDir()
	finish(t, dir, p.Runs[6].Config)
	down := errors.New("no controller")
	two, rest := fakeScheduler{queued: []int{4, 5}}, Submission{Rest: true}
	submit := func(f *fakeScheduler, s Submission) string {
		var printed strings.Builder
		s.Plan, s.Dir, s.Pack, s.Stdout, s.Stderr = p, dir, max(1, s.Pack), &printed, &printed
		if err := Submit(t.Context(), f, &s); err != nil {
			return err.Error()
		}
		return printed.String()
	}
	for _, tt := range []struct {
		name       string
		scheduler  fakeScheduler
		submission Submission
		runs, want string // submitted runs, and the start of the output or error
	}{
		{"a dry run without a cluster", fakeScheduler{err: down}, Submission{DryRun: true}, "0-5", ""},
		{"no cluster", fakeScheduler{err: down}, Submission{}, "", "no controller"},
		{"all", fakeScheduler{}, Submission{}, "0-5", "job j0-5: tasks 0-5\n6 runs of 7; watch with losscorr grid status "},
		{"queued", two, Submission{}, "", "2 tasks of " + dir +
			" are queued (jobs j0-5): wait, submit the others with --rest, or end them with fakecancel j0-5"},
		{"the rest", two, rest, "0-3", "job j0-3: tasks 0-3\n4 runs of 7"},
		{"packs", fakeScheduler{queued: []int{0}}, Submission{Rest: true, Pack: 3}, "1-5", "job j1-5: tasks 1-5\n5 runs of"},
		{"no rest", fakeScheduler{queued: []int{0, 1, 2, 3, 4, 5}}, rest, "",
			"nothing to submit: all unfinished runs of " + dir + " are queued (6 tasks)"},
		{"by force", two, Submission{Force: true}, "0-5", "job j0-5: tasks 0-5\n6 runs of 7"},
		{"on the CPU", fakeScheduler{gpu: true}, Submission{OnCPU: true}, "0-5", "note: the tasks get GPUs"},
		{"on a GPU", fakeScheduler{gpu: true}, Submission{}, "0-5", "job j0-5: tasks 0-5\n6 runs of 7"},
	} {
		got := submit(&tt.scheduler, tt.submission)
		if humanize.Ranges(tt.scheduler.runs) != tt.runs || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: submitted %v, printed %q; want %s and %q", tt.name, tt.scheduler.runs, got, tt.runs, tt.want)
		}
	}

	for want, f := range map[string]fakeScheduler{
		"fake  job j0-5, tasks 0-5: 1 waiting, 2 running\n":                                   two,
		"fake  submitted jobs j0-5, j0-3, j1-5, j0-5, j0-5, j0-5; their state is unknown: no": {err: down},
	} {
		var printed strings.Builder
		err := WriteStatus(t.Context(), &printed, dir, []Scheduler{&f})
		if err != nil || !strings.HasPrefix(printed.String(), want) {
			t.Errorf("%q, %v; want %q", printed.String(), err, want)
		}
	}
	for _, r := range p.Runs[:6] {
		finish(t, dir, r.Config)
	}
	if got := submit(new(fakeScheduler), Submission{}); !strings.HasPrefix(got, "nothing to submit: all 7 runs") {
		t.Errorf("all finished: %q", got)
	}
}

// A missing scheduler program gives ErrUnavailable, exit code 69.
func TestRun(t *testing.T) {
	if _, err := Run(t.Context(), nil, "no-such-program", "x"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("no program: %v", err)
	}
	for want, args := range map[string][]string{
		"sh: a; b": {"-c", "echo a >&2; echo b >&2; exit 1"}, "sh: exit status 3": {"-c", "exit 3"},
		"sh nowhere: ": {"nowhere"},
	} {
		_, err := Run(t.Context(), nil, "sh", args...)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	if got, err := Run(t.Context(), []byte(" a\n\n"), "cat", "-"); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
}
