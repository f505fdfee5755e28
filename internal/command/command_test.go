package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// The scripts run the real command line over an executor that trains nothing.
// PRETEND makes its runs fail, find bad data and so on.
func TestMain(m *testing.M) {
	program := pretending(fakePipeline{})
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	files := fstest.MapFS{
		"mnist/mnist.yaml": {Data: []byte("dataset: mnist\nepochs: 2\ngrid: {loss: [cross-entropy, forward-estimated], " +
			"seed: [1, 2]}\n")},
		"mnist/demo.yaml": {Data: []byte("extends: mnist.yaml\nseed: 1\n")},
	}
	testscript.Main(withFolder{m}, map[string]func(){
		"losscorr": func() { os.Exit(program.Main(os.Args)) },
		"mnist":    func() { os.Exit(program.Experiment("mnist", files, os.Args)) },
		// The real program, with training.
		"losscorr-real": func() { os.Exit(interrupting(Default()).Main(os.Args)) },
	})
}

// fakePipeline trains nothing. It needs neither data nor libtorch.
type fakePipeline struct {
	preflight func(context.Context, dataset.Options) error // nil: no error
}

// pretending returns the command line over a pipeline, without libtorch.
func pretending(f fakePipeline) Program {
	open := func(string) (map[string]string, []string, error) { return nil, nil, nil }
	return Program{app.Program{Pipeline: f, Open: open, Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}}
}

func (f fakePipeline) Preflight(ctx context.Context, _ []config.Config, opt dataset.Options) error {
	if f.preflight == nil {
		return nil
	}
	return f.preflight(ctx, opt)
}

func (f fakePipeline) Hold(config.Config, *dataset.Dataset) {}

func (fakePipeline) Execute(ctx context.Context, job *store.Job) (store.Result, error) {
	switch os.Getenv("PRETEND") {
	case "failure":
		return store.Result{}, errors.New("disk full")
	case "panic":
		panic("a run breaks")
	case "data":
		return store.Result{}, fmt.Errorf("train-images-idx3-ubyte: %w: the file is truncated", dataset.ErrData)
	case "device":
		return store.Result{}, fmt.Errorf("cuda: %w", store.ErrUnavailable)
	case "stubborn":
		for range 2 { // it does not listen to the first
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return store.Result{}, err
			}
			<-ctx.Done()
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
	case "signal":
		number := syscall.SIGTERM
		if os.Getenv("SIGNAL") == "USR1" {
			number = syscall.SIGUSR1
		}
		if err := syscall.Kill(os.Getpid(), number); err != nil {
			return store.Result{}, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			return store.Result{}, errors.New("the signal did not arrive")
		}
		if os.Getenv("CHECKPOINT") == "" {
			return store.Result{}, store.ErrInterrupted
		}
		return store.Result{}, store.ErrStopped
	}
	last := metrics.Epoch{Epoch: job.Config.Epochs, TestAccuracy: 90 + float64(job.Config.Seed%10), ValAccuracy: 50}
	job.Progress.Epoch(last)
	if err := job.Folder.AppendEpoch(last); err != nil {
		return store.Result{}, err
	}
	return store.Result{Selected: last, Last: last}, nil
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": exitCode, "replace": replace,
		},
	})
}

func TestExit(t *testing.T) {
	failure := func(asked int, err error) error {
		return &grid.FailedError{Total: asked, Requested: asked, Failed: []grid.Outcome{{Err: err}}}
	}
	term := &app.SignalError{Signal: syscall.SIGTERM}
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"done", nil, 0},
		{"one run failed", failure(1, errors.New("disk full")), 1},
		{"anything else", errors.New("x"), 1},
		{"usage", &app.UsageError{Text: "x"}, 2},
		{"a grid with failures", failure(5, errors.New("x")), 3},
		{"a grid with a run of bad data", failure(5, dataset.ErrData), 3},
		{"one run of bad data", failure(1, dataset.ErrData), 65},
		{"bad data", fmt.Errorf("x: %w", dataset.ErrData), 65},
		{"no device", fmt.Errorf("x: %w", store.ErrUnavailable), 69},
		{"a panic", guard.Call(func() error { panic("x") }), 70},
		{"stopped", &grid.StoppedError{Err: store.ErrStopped, Cause: term}, 75},
		{"bad configuration", &config.ConfigError{}, 78},
		{"no configuration", &config.FileError{Err: os.ErrNotExist}, 78},
		{"interrupted", &grid.StoppedError{Err: store.ErrInterrupted, Cause: &app.SignalError{Signal: os.Interrupt}}, 130},
		{"page", fmt.Errorf("no page: %w", term), 143},
		{"terminated", &grid.StoppedError{Err: store.ErrInterrupted, Cause: term}, 143},
	} {
		if got := app.Exit(tt.err); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
	}
}

// The help of every command ends in an example whose flags exist.
func TestExamples(t *testing.T) {
	line := Default().line()
	seen := 0
	var walk func(name string, commands []*cli.Command)
	walk = func(name string, commands []*cli.Command) {
		for _, c := range commands {
			if c.Hidden {
				continue
			}
			if slices.ContainsFunc(c.Subcommands, func(c *cli.Command) bool { return !c.Hidden }) {
				walk(name+" "+c.Name, c.Subcommands)
				continue
			}
			_, example, ok := strings.Cut("\n\n"+c.Description, "\n\nexample: ")
			if !ok || !strings.HasPrefix(example+" ", name+" "+c.Name+" ") {
				t.Errorf("%s %s: the example in %q does not call it", name, c.Name, c.Description)
				continue
			}
			if _, err := app.Permute(line, strings.Fields(example)); err != nil {
				t.Errorf("%s: %v", example, err)
			}
			seen++
		}
	}
	walk("losscorr", line.Commands)
	if seen != len(app.Examples) {
		t.Errorf("%d commands have one of %d examples", seen, len(app.Examples))
	}
}

// The signal may come while data is read, long before the first run; the task is
// still requeued.
func TestRequeueBeforeRuns(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\n"))
	fakeSlurm(t, dir)
	p := pretending(fakePipeline{preflight: func(ctx context.Context, _ dataset.Options) error {
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Error("the signal did not arrive")
		}
		return ctx.Err()
	}})
	out := filepath.Join(dir, "runs")
	if code := p.Main([]string{"losscorr", "grid", "plan", filepath.Join(dir, "c.yaml"), "--out",
		out}); code != app.ExitDone {
		t.Fatalf("plan: exit code %d: %s", code, p.Stderr)
	}
	code := p.Main([]string{"losscorr", "grid", "exec", "--plan", out, "--index", "0"})
	requeued, _ := os.ReadFile(filepath.Join(dir, "requeued")) // absent: not once
	if code != app.ExitStopped || string(requeued) != "requeue 7_0\n" {
		t.Errorf("exit code %d, queued again %q; want %d, once\n%s", code, requeued, app.ExitStopped, p.Stderr)
	}
}

// fakeSlurm makes this process task 0 of job 7 of a fake Slurm, which ends it when it is
// requeued, and writes requeued jobs to the file requeued.
func fakeSlurm(t *testing.T, dir string) {
	t.Helper()
	body := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nkill -TERM $PPID\n", filepath.Join(dir, "requeued"))
	expect.OK(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte(body), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("SLURM_JOB_ID", "8")
	t.Setenv("SLURM_ARRAY_JOB_ID", "7")
	t.Setenv("SLURM_ARRAY_TASK_ID", "0")
}
