package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
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
	each      time.Duration                                // forecast of a run
	err       error                                        // of Forecast
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

func (f fakePipeline) Forecast(left []config.Config) (time.Duration, error) {
	return time.Duration(len(left)) * f.each, f.err
}

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
