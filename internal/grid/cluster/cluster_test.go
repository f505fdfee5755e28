package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// Ranges come back as written; other text is refused.
func TestRanges(t *testing.T) {
	for _, list := range [][]int{nil, {5}, {0, 1}, {0, 2, 4}, {3, 4, 5, 9, 11, 12}} {
		if got, err := ParseRanges(humanize.Ranges(list)); err != nil || !slices.Equal(list, got) {
			t.Errorf("%v: %v, %v", list, got, err)
		}
	}
	for _, text := range []string{"x", "1-", "-1", "3-1", "1,,2", "0-99999999999"} {
		if got, err := ParseRanges(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// plan has two cross-entropy runs, four that estimate T from them, and an independent one.
func plan(t *testing.T) store.PlanFile {
	t.Helper()
	runs := configtest.Load(t, "dataset: mnist\nnoise: {kind: asymmetric, level: .6}\n"+
		"grid: {loss: [forward-estimated, backward-estimated], seed: [1, 2], include: [{loss: forward, seed: 3}]}\n")
	return store.Freeze(store.NewPlan(runs), "1")
}

// finish gives a run its result.
func finish(t *testing.T, root string, c config.Config) {
	t.Helper()
	f, err := store.Claim(root, c, &store.Watch{}, store.DefaultLeaseTime)
	expect.OK(t, err)
	defer f.Close()
	expect.OK(t, f.WriteResult(store.Result{Schema: 1, ID: c.ID(), Config: c, State: store.Done}))
}

// An implied run counts as left until the runs that need it are finished.
func TestLeft(t *testing.T) {
	p, root := plan(t), t.TempDir()
	expect.Same(t, []int{0, 1, 2, 3, 4, 5, 6}, Left(p, root), "before")
	var want []int
	for i, r := range p.Runs {
		if r.Needs == p.Runs[0].ID {
			finish(t, root, r.Config)
		} else if i > 0 {
			want = append(want, i)
		}
	}
	expect.Same(t, want, Left(p, root), "when the readers of the first are finished")
}

// Tasks with runs that others need come first, and each task appears once.
func TestPhases(t *testing.T) {
	p := plan(t)
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for _, test := range []struct {
		places []int
		pack   int
		want   Tasks
	}{
		{all, 1, Tasks{First: []int{0, 1}, Rest: []int{2, 3, 4, 5, 6}}},
		{all, 2, Tasks{First: []int{0}, Rest: []int{1, 2, 3}}},
		{all, 3, Tasks{First: []int{0}, Rest: []int{1, 2}}}, // the first task also holds a reader
		{all, 9, Tasks{First: []int{0}}},
		{[]int{0, 6}, 1, Tasks{Rest: []int{0, 6}}}, // without its readers, nothing waits for a cross-entropy run
	} {
		expect.Same(t, test.want, Phases(p, test.places, test.pack), "tasks")
	}
	var covered []int
	for task := range 3 {
		covered = append(covered, Places(task, 3, len(p.Runs))...)
	}
	expect.Same(t, all, covered, "places of tasks of 3")
}

// The record has what was submitted; a record that is damaged or cannot be written is an error.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	r, err := Load(dir)
	if err != nil || len(r.Jobs) != 0 {
		t.Fatalf("%v, %v of an empty folder", r, err)
	}
	for _, j := range []Job{
		{Cluster: "slurm", ID: "7", What: First, Tasks: "0-3", Pack: 1}, {Cluster: "kubernetes", ID: "losscorr-x", What: All},
	} {
		expect.OK(t, r.Add(dir, j))
	}
	again, err := Load(dir)
	expect.OK(t, err)
	expect.Same(t, r, again, "record")
	if got := again.Of("slurm"); len(got) != 1 || got[0].ID != "7" || got[0].Submitted == "" {
		t.Errorf("Slurm's jobs: %+v", got)
	}
	for text, want := range map[string]string{`{"schema": 1, "jo`: "is damaged", `{"schema": 2}`: "schema 2"} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, RecordName), []byte(text), 0o644))
		expect.Fails(t, expect.Err(Load(dir)), want, text)
	}
	err = r.Add(filepath.Join(dir, "gone"), Job{ID: "9"})
	expect.Fails(t, err, "job 9 was submitted but cannot be recorded", "a missing folder")
}

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
	expect.Fails(t, expect.Err(Run(t.Context(), nil, "no-such-program", "x")), "", store.ErrUnavailable, "no program")
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
