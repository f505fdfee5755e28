package cluster

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// fakeScheduler submits all that it is given as one job, of which some tasks are queued.
type fakeScheduler struct {
	queued []int // tasks
	err    error // of Queued
	gpu    bool
	runs   []int // that were submitted last
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

func TestSubmit(t *testing.T) {
	p, dir := plan(t), t.TempDir()
	finish(t, dir, p.Runs[6].Config)
	down := errors.New("no controller")
	for _, tt := range []struct {
		name      string
		scheduler fakeScheduler
		change    func(*Submission)
		runs      string // submitted
		want      string // of what is printed, or of the error
	}{
		{"a dry run without a cluster", fakeScheduler{err: down}, func(s *Submission) { s.DryRun = true }, "0-5", ""},
		{"no cluster", fakeScheduler{err: down}, nil, "", "no controller"},
		{"all", fakeScheduler{}, nil, "0-5", "job j0-5: tasks 0-5\n6 runs of 7; watch with losscorr grid status "},
		{"queued", fakeScheduler{queued: []int{4, 5}}, nil, "", "2 tasks of " + dir + " are queued (jobs j0-5): wait, or submit with --rest what is not queued, or end them with fakecancel j0-5"},
		{"the rest", fakeScheduler{queued: []int{4, 5}}, func(s *Submission) { s.Rest = true }, "0-3", "4 runs of 7"},
		{"packs", fakeScheduler{queued: []int{0}}, func(s *Submission) { s.Rest, s.Pack = true, 3 }, "1-5", "5 runs of 7"}, // job j0-5 has packs of one
		{"no rest", fakeScheduler{queued: []int{0, 1, 2, 3, 4, 5}}, func(s *Submission) { s.Rest = true }, "", "nothing to submit: what is unfinished in " + dir + " is queued (6 tasks)"},
		{"by force", fakeScheduler{queued: []int{4, 5}}, func(s *Submission) { s.Force = true }, "0-5", "6 runs of 7"},
		{"on the CPU", fakeScheduler{gpu: true}, func(s *Submission) { s.OnCPU = true }, "0-5", "note: GPUs are asked for"},
		{"on a GPU", fakeScheduler{gpu: true}, nil, "0-5", "6 runs of 7"},
	} {
		var printed bytes.Buffer
		s := Submission{Plan: p, Dir: dir, Pack: 1, Stdout: &printed, Stderr: &printed}
		if tt.change != nil {
			tt.change(&s)
		}
		err := Submit(context.Background(), &tt.scheduler, &s)
		got := printed.String()
		if err != nil {
			got += err.Error()
		}
		if humanize.Ranges(tt.scheduler.runs) != tt.runs || !strings.Contains(got, tt.want) || tt.name == "on a GPU" && strings.Contains(got, "note") {
			t.Errorf("%s: submitted %v, printed %q; want %s and %q", tt.name, tt.scheduler.runs, got, tt.runs, tt.want)
		}
	}

	for want, f := range map[string]fakeScheduler{
		"fake  job j0-5, tasks 0-5: 1 waiting, 2 running\n":                                        {queued: []int{4, 5}},
		"fake  submitted jobs j0-5, j0-3, j1-5, j0-5, j0-5, j0-5; what is queued is not known: no": {err: down},
	} {
		var printed bytes.Buffer
		if err := WriteStatus(context.Background(), &printed, dir, []Scheduler{&f}); err != nil || !strings.HasPrefix(printed.String(), want) {
			t.Errorf("%q, %v; want %q", printed.String(), err, want)
		}
	}
	for _, r := range p.Runs[:6] {
		finish(t, dir, r.Config)
	}
	var printed bytes.Buffer
	s := Submission{Plan: p, Dir: dir, Pack: 1, Stdout: &printed}
	if err := Submit(context.Background(), new(fakeScheduler), &s); err != nil || !strings.HasPrefix(printed.String(), "nothing to submit: all 7 runs") {
		t.Errorf("all finished: %q, %v", printed.String(), err)
	}
}

// A program of a scheduler that is not there is what the exit code 69 is for.
func TestRun(t *testing.T) {
	if _, err := Run(context.Background(), nil, "no-such-program", "x"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("no program: %v", err)
	}
	for want, args := range map[string][]string{
		"sh: a; b": {"-c", "echo a >&2; echo b >&2; exit 1"}, "sh: exit status 3": {"-c", "exit 3"}, "sh nowhere: ": {"nowhere"},
	} {
		if _, err := Run(context.Background(), nil, "sh", args...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	if got, err := Run(context.Background(), []byte(" a\n\n"), "cat", "-"); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
}
