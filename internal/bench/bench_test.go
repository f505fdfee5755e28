package bench

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// measure measures one round of the cheapest network, or of another one.
func measure(t *testing.T, o Options) (report Report) {
	t.Helper()
	if o.Names == nil {
		o.Names = []string{"mnist"}
	}
	o.Rounds = .01
	before := slices.Clone(workloads)
	defer func() { workloads = before }()
	for i := range workloads {
		workloads[i].steps = 2
	}
	torchtest.NoLeak(t, func() {
		var got []Step
		var err error
		if report, err = Steps(t.Context(), o, func(s Step) { got = append(got, s) }); err != nil {
			t.Fatal(err)
		}
		if len(report.Steps) != 1 || len(got) != 1 || got[0].String() != report.Steps[0].String() {
			t.Fatalf("got %v one by one, and %v in the report", got, report.Steps)
		}
	})
	return report
}

// interpreter writes a shell script that imitates Python.
func interpreter(t *testing.T, script string) string {
	path := filepath.Join(t.TempDir(), "python")
	expect.OK(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return path
}

const hello = `echo '{"version": "PyTorch 0"}'` + "\n"

// The time of a step is the answer's time divided by the number of requested steps. Variants that a Python cannot
// compile are left out.
func TestStepsBesidePython(t *testing.T) {
	python := interpreter(t, hello+`
read -r script
case $script in '{"script":"'*'","data":"'*'","arguments":[]}') echo '{"served": 3}' ;; *) exit 1 ;; esac
for variant in compile jax; do read -r script; echo '{"error": "no compiler"}'; done
while read -r run; do
	[ "$run" = '{"run":3,"steps":2}' ] || exit 1
	echo '{"seconds": 0.005}'
done`)
	report := measure(t, Options{Python: python, Compiled: true})
	s := report.Steps[0]
	if report.PyTorch != "PyTorch 0" || report.NoPyTorch != "" || s.Note != "JAX (jit, scan) PyTorch: no compiler" {
		t.Errorf("got %+v", report)
	}
	if s.PyTorch != .0025 || len(s.Compiled) != 0 {
		t.Errorf("PyTorch's step takes %v s, and %v", s.PyTorch, s.Compiled)
	}
	s = Step{Title: "a step", BatchSize: 128, Ours: 1, PyTorch: 2, Variant: "fast", Compiled: []Time{{"compiled", .5}}}
	if want := "a step, batch 128: losscorr 1000.000 ms, PyTorch fast 2000.000 ms, ratio 0.500, compiled 500.000 ms, " +
		"ratio 2.000"; s.String() != want {
		t.Errorf("printed as %q, want %q", s.String(), want)
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
		{"dies later", hello + "read -r script; echo killed >&2; exit 9", "PyTorch ended: killed", "killed"},
		{"hangs later", hello + "read -r script; sleep 100", "took too long", "took too long"},
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
			limit := 30 * time.Second
			if strings.Contains(test.name, "hangs") {
				limit = 500 * time.Millisecond
			}
			report := measure(t, Options{Python: python, Limit: limit})
			if !strings.Contains(report.NoPyTorch, test.reason) || test.reason == "" && report.NoPyTorch != "" {
				t.Errorf("the reason is %q, want %q", report.NoPyTorch, test.reason)
			}
			s := report.Steps[0]
			if s.Ours <= 0 || s.PyTorch != 0 || !strings.Contains(s.Note, test.note) || test.note == "" && s.Note != "" {
				t.Errorf("got %+v, want the note %q", s, test.note)
			}
		})
	}
}

// An exported network needs Python to export it.
func TestStepsLeaveOutWhatNeedsPython(t *testing.T) {
	s := measure(t, Options{Names: []string{"exported-resnet18"}}).Steps[0]
	if s.Ours != 0 || !strings.Contains(s.String(), "torchvision") {
		t.Errorf("got %+v", s)
	}
}

// The end of ctx ends a hanging Python and the measurement.
func TestStepsEndWithContext(t *testing.T) {
	defer torchtest.Scoped(t)()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	time.AfterFunc(500*time.Millisecond, func() { cancel(enough) })
	o := Options{Python: interpreter(t, hello+"read -r script; sleep 100"), Rounds: .01}
	if _, err := Steps(ctx, o, func(Step) {}); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
}

// The header names all conditions of the measurements.
func TestDescribe(t *testing.T) {
	t.Setenv("MKL_NUM_THREADS", "1")
	var out strings.Builder
	expect.OK(t, Describe(&out, torch.CPU))
	expect.Says(t, out.String(), "processor   ", "losscorr    ", "libtorch ", "revision    ",
		"variable    MKL_NUM_THREADS=1\n")
}

// Python parses every script; no module is imported.
func TestScriptsParse(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	files, err := filepath.Glob("*.py")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	const parse = "import sys\nfor f in sys.argv[1:]: compile(open(f).read(), f, 'exec')"
	if out, err := exec.Command(python, append([]string{"-c", parse}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// With a real PyTorch every script loads, in one process, and does a step.
func TestScriptsRun(t *testing.T) {
	python := os.Getenv("LOSSCORR_TEST_PYTHON")
	if python == "" {
		t.Skip("LOSSCORR_TEST_PYTHON names no interpreter with torch and torchvision")
	}
	p := expect.Got(startPeer(t.Context(), Options{Python: python}))(t)
	defer p.stop()
	for _, w := range workloads {
		for _, v := range w.variants {
			if v.name != "" {
				continue
			}
			run, err := p.load(v.script, v.arguments...)
			if err == nil {
				_, err = run(1)
			}
			if err != nil {
				t.Errorf("%s %v: %v", w.name, v.arguments, err)
			}
		}
	}
}
