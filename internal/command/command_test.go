package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// The commands of the scripts: the real command line over an executor that
// trains nothing. Its runs fail, find bad data and so on as PRETEND says.
func TestMain(m *testing.M) {
	program := pretending(fakePipeline{})
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	files := fstest.MapFS{
		"mnist/mnist.yaml": {Data: []byte("dataset: mnist\nepochs: 2\ngrid: {loss: [cross-entropy, forward-estimated], seed: [1, 2]}\n")},
		"mnist/demo.yaml":  {Data: []byte("extends: mnist.yaml\nseed: 1\n")},
	}
	testscript.Main(m, map[string]func(){
		"losscorr": func() { os.Exit(program.Main(os.Args)) },
		"mnist":    func() { os.Exit(program.Experiment("mnist", files, os.Args)) },
		// The real program, which trains.
		"losscorr-real": func() { os.Exit(interrupting(Default()).Main(os.Args)) },
	})
}

// fakePipeline trains nothing. It needs neither data nor libtorch.
type fakePipeline struct {
	preflight func(context.Context, dataset.Options) error // nil: no error
	each      time.Duration                                // forecast of a run
	err       error                                        // of Forecast
}

// pretending is the command line over a pipeline, without libtorch.
func pretending(f fakePipeline) Program {
	open := func(string) (map[string]string, []string, error) { return nil, nil, nil }
	return Program{Pipeline: f, Open: open, Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
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

// Doctor prints what the machine says, and its failure ends with 69.
func TestDoctorPrint(t *testing.T) {
	found := Diagnosis{
		Program: "1", Go: "go1", CPU: store.CPU{Model: "EPYC", Cores: 2}, Vars: map[string]string{"OMP_NUM_THREADS": "1"},
		Machine: &Machine{Version: "2.11.0", Threads: 1, Cores: 2, Capability: "AVX2", BLAS: "MKL", GFLOPS: 221.4, Devices: []string{"cpu"}, WhyNot: "built without it"},
		Data:    []DataFound{{Name: "mnist", Train: 60000, Test: 10000}},
	}
	var out bytes.Buffer
	if err := found.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"EPYC, 2 cores", "221 GFLOP/s on one thread, AVX2, MKL", "no: built without it", "60000 training", "OMP_NUM_THREADS=1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := found.err(); err != nil {
		t.Errorf("a healthy machine: %v", err)
	}
	found.Problems = []Problem{{What: "no shim", Fatal: true}}
	if got := app.Exit(found.err()); got != app.ExitUnavailable {
		t.Errorf("exit code %d, want 69", got)
	}
}

func TestCheckBeforeRuns(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(file, []byte("dataset: mnist\ndevice: cuda\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var asked string
	p := pretending(fakePipeline{})
	p.Open = func(device string) (map[string]string, []string, error) {
		asked = device
		return nil, nil, fmt.Errorf("device %s: %w", device, store.ErrUnavailable)
	}
	out := filepath.Join(dir, "runs")
	if got := p.Main([]string{"losscorr", "train", file, "--out", out}); got != app.ExitUnavailable || asked != "cuda" {
		t.Errorf("exit code %d after asking for %q, want 69 for cuda", got, asked)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a run was begun: %v", err)
	}
}

// Help shows defaults that say something.
func TestHelpHasNoEmptyDefaults(t *testing.T) {
	for _, args := range [][]string{{"train"}, {"audit"}, {"report"}, {"grid", "submit", "kubernetes"}, {"grid", "run"}} {
		var out bytes.Buffer
		p := Program{Stdout: &out, Stderr: &out}
		if code := p.Main(append(append([]string{"losscorr"}, args...), "--help")); code != 0 {
			t.Errorf("%q: exit code %d", args, code)
		}
		if text := out.String(); strings.Contains(text, "(default: false)") || !strings.Contains(text, "OPTIONS") && !strings.Contains(text, "--") {
			t.Errorf("%q:\n%s", args, text)
		}
	}
}
