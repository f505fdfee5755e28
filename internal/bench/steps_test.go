package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// quick measures one round of as few steps as possible.
func quick(python string) Options {
	return Options{Python: python, Rounds: .01, PythonTime: 30 * time.Second}
}

// mnistStep measures the cheapest network.
func mnistStep(t *testing.T, o Options) (report Report) {
	t.Helper()
	torchtest.NoLeak(t, func() {
		var got []Step
		var err error
		before := torch.Live()
		report, err = steps(t.Context(), o, []string{"mnist"}, func(s Step) { got = append(got, s) })
		if err != nil {
			t.Fatal(err)
		}
		if after := torch.Live(); after != before {
			t.Errorf("%d tensors before, %d after, in the same scope", before, after)
		}
		if len(report.Steps) != 1 || len(got) != 1 || got[0] != report.Steps[0] {
			t.Fatalf("got %+v one by one, and %+v in the report", got, report.Steps)
		}
		if s := got[0]; s.Name != "mnist" || s.BatchSize != 128 || s.Ours <= 0 {
			t.Fatalf("got %+v", s)
		}
	})
	return report
}

func TestStepsWithoutPython(t *testing.T) {
	report := mnistStep(t, quick(""))
	if report.PyTorch != "" || report.NoPyTorch == "" || report.Steps[0].PyTorch != 0 || report.Steps[0].Ratio() != 0 {
		t.Errorf("got %+v", report)
	}
}

// An exported network needs Python to export it.
func TestStepsLeaveOutWhatNeedsPython(t *testing.T) {
	torchtest.NoLeak(t, func() {
		report, err := steps(t.Context(), quick(""), []string{"exported-resnet18"}, nil)
		if err != nil || len(report.Steps) != 1 {
			t.Fatal(report, err)
		}
		if s := report.Steps[0]; s.Ours != 0 || !strings.Contains(s.Note, "torchvision") {
			t.Errorf("got %+v", s)
		}
	})
}

// interpreter writes a shell script that imitates Python.
func interpreter(t *testing.T, script string) string {
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

const hello = `echo '{"version": "PyTorch 0"}'` + "\n"

// The time of a step is the answer's time divided by the number of requested steps.
func TestStepsBesidePython(t *testing.T) {
	report := mnistStep(t, quick(interpreter(t, hello+`
read -r script
case $script in '{"script":"'*'","data":"'*'","arguments":[]}') echo '{"served": 3}' ;; *) exit 1 ;; esac
while read -r run; do
	[ "$run" = '{"run":3,"steps":100}' ] || exit 1
	echo '{"seconds": 0.25}'
done`)))
	s := report.Steps[0]
	if report.PyTorch != "PyTorch 0" || report.NoPyTorch != "" || s.Note != "" {
		t.Errorf("got %+v", report)
	}
	if s.PyTorch != .0025 || s.Ratio() != s.Ours/.0025 {
		t.Errorf("PyTorch's step takes %v s, ratio %v", s.PyTorch, s.Ratio())
	}
}

// Whatever happens to Python, our own time is measured and the reason is reported once.
func TestStepsBesideBrokenPython(t *testing.T) {
	for _, test := range []struct{ name, script, reason, note string }{
		{"does not start", "", "no such file", ""},
		{"has no torch", "echo 'ModuleNotFoundError: torch' >&2; exit 1", "PyTorch ended: ModuleNotFoundError: torch", ""},
		{"is killed", "kill -9 $$", "PyTorch ended: signal: killed", ""},
		{"hangs", "sleep 100 & wait", "took too long", ""},
		{"prints nonsense", "while echo y; do :; done", `it answered "y"`, ""},
		{"prints one long line", "while printf yyyyyyyy; do :; done", "token too long", ""},
		{"says something else", "echo '{}'; sleep 100", "lacks the version", ""},
		{"dies later", hello + "read -r script; echo killed >&2; exit 9", "PyTorch ended: killed", "killed"},
		{"hangs later", hello + "read -r script; sleep 100", "took too long", "took too long"},
		{"serves nonsense", hello + "read -r script; echo 1e", `it answered "1e"`, "answered"},
		{"takes no time", hello + "read -r script; echo '{\"served\": 0}'; read -r run; echo '{\"seconds\": 0}'; read -r run",
			"lacks the time", "lacks the time"},
		// A failing script affects only one network.
		{"fails in one script", hello + "read -r script; echo '{\"error\": \"no bfloat16\"}'; read -r more", "",
			"PyTorch: no bfloat16"},
	} {
		t.Run(test.name, func(t *testing.T) {
			python := filepath.Join(t.TempDir(), "none")
			if test.script != "" {
				python = interpreter(t, test.script)
			}
			o := quick(python)
			if strings.Contains(test.name, "hangs") {
				o.PythonTime = 300 * time.Millisecond
			}
			report := mnistStep(t, o)
			if !strings.Contains(report.NoPyTorch, test.reason) || test.reason == "" && report.NoPyTorch != "" {
				t.Errorf("the reason is %q, want %q", report.NoPyTorch, test.reason)
			}
			if s := report.Steps[0]; s.PyTorch != 0 || !strings.Contains(s.Note, test.note) || test.note == "" && s.Note != "" {
				t.Errorf("got %+v, want the note %q", s, test.note)
			}
		})
	}
}

// The end of ctx ends a hanging Python and the measurement.
func TestStepsEndWithContext(t *testing.T) {
	torchtest.NoLeak(t, func() {
		pid := filepath.Join(t.TempDir(), "pid")
		python := interpreter(t, "echo $$ >"+pid+"\n"+hello+"read -r script; sleep 100")
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		go func() {
			for {
				if _, err := os.Stat(pid); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			cancel(enough)
		}()
		if _, err := Steps(ctx, quick(python), nil); !errors.Is(err, enough) {
			t.Errorf("got %v", err)
		}
	})
}

func TestStepsRefuseDevice(t *testing.T) {
	torchtest.NoLeak(t, func() {
		if _, err := Steps(t.Context(), Options{Device: torch.CUDA(100)}, nil); err == nil {
			t.Error("a device that there is not is accepted")
		}
	})
}

// The header names all conditions of the measurements.
func TestDescribe(t *testing.T) {
	t.Setenv("MKL_NUM_THREADS", "1")
	var out strings.Builder
	if err := Describe(&out, torch.CPU); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"processor   ", "losscorr    ", "libtorch ", "revision    ",
		"variable    MKL_NUM_THREADS=1\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// Variants that a Python cannot compile are left out with the reason, without an error.
func TestCompiledIsLeftOut(t *testing.T) {
	var out strings.Builder
	python := interpreter(t, hello+"while read -r script; do echo '{\"error\": \"no compiler\"}'; done")
	b := &bench{ctx: t.Context(), out: &out, Options: Options{Python: python, PythonTime: 30 * time.Second}}
	defer b.close()
	if all, names := b.besideCompiled(workloadOf("mnist")); len(all) != 0 || len(names) != 0 {
		t.Errorf("%d are measured: %q", len(all), names)
	}
	for _, want := range []string{"torch.compile of the MNIST step is left out: PyTorch: no compiler\n",
		"JAX (jit, scan) of the MNIST step is left out: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

// Compiled times follow the eager ones, each with its own ratio.
func TestCompiledIsPrinted(t *testing.T) {
	var out strings.Builder
	b := &bench{out: &out}
	b.print(workloadOf("resnet32"), 1, []float64{4, 2, .5}, []string{"torch.compile"})
	for _, want := range []string{"PyTorch contiguous_format 4000 ms, PyTorch channels_last 2000 ms, ratio 0.500, " +
		"torch.compile 500 ms, ratio 2.000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}
