//go:build linux

package slurm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch/libtorch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// study is a folder with a small data set and the real program, which trains.
type study struct {
	dir     string
	program string
}

func newStudy(t *testing.T) study {
	t.Helper()
	torchtest.Open(t)
	shim, err := libtorch.Locate(losscorr.Sources)
	if err != nil {
		t.Fatal(err)
	}
	// Slurm and the shell have to bear any name.
	s := study{dir: filepath.Join(t.TempDir(), `it's 100 % "odd" $HOME`)}
	s.program = filepath.Join(s.dir, "bin", "losscorr")
	build := exec.Command("go", "build", "-o", s.program, "github.com/losscorr/losscorr/cmd/losscorr")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	datatest.Digits(t, filepath.Join(s.dir, "data", "mnist"), 300, 100)
	for name, text := range map[string]string{
		"LOSSCORR_SHIM": shim.Path, "LOSSCORR_DATA": "data", "LIBTORCH": "", "OMP_NUM_THREADS": "1",
		"HOME": s.dir, "XDG_CACHE_HOME": filepath.Join(s.dir, "cache"),
		"LOSSCORR_OFFLINE": "1", "LOSSCORR_CHECKPOINT_EVERY": "0", "LOSSCORR_PACK": "1",
	} {
		t.Setenv(name, text)
	}
	return s
}

// run calls the program, which must end with the given code, and returns what it
// printed on both outputs.
func (s study) run(t *testing.T, want int, args ...string) string {
	t.Helper()
	cmd := exec.Command(s.program, args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Fatalf("losscorr %v: exit code %d (%v), want %d\n%s", args, code, err, want, out)
	}
	return string(out)
}

// plan freezes a configuration into runs/NAME and returns the ids of its runs.
func (s study) plan(t *testing.T, name, config string) []string {
	t.Helper()
	write(t, filepath.Join(s.dir, name+".yaml"), config)
	s.run(t, 0, "grid", "plan", name+".yaml")
	plan, err := store.LoadPlan(s.path("runs", name))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range plan.Runs {
		ids = append(ids, r.ID)
	}
	return ids
}

func (s study) path(elem ...string) string { return filepath.Join(append([]string{s.dir}, elem...)...) }

// unfinished counts the runs of a plan that have no result.
func (s study) unfinished(t *testing.T, name string) int {
	t.Helper()
	plan, err := store.LoadPlan(s.path("runs", name))
	if err != nil {
		t.Fatal(err)
	}
	return len(plan.Plan().Unfinished(s.path("runs", name)))
}

// logs are what the tasks of a plan printed.
func (s study) logs(t *testing.T, name string) string {
	t.Helper()
	dir := s.path("runs", name, "logs")
	files, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("--- " + f.Name() + "\n" + string(text))
	}
	return b.String()
}

// folder is that of a run.
func (s study) folder(name, id string) *store.Folder { return store.At(s.path("runs", name), id) }

// epochs waits until a run has done so many.
func (s study) epochs(t *testing.T, name, id string, n int) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Log(s.logs(t, name))
		}
	}()
	wait(t, "a run is under way", time.Minute, func() bool {
		text, err := os.ReadFile(s.folder(name, id).Path(store.MetricsFile))
		return err == nil && strings.Count(string(text), "\n") >= n
	})
}

// outcome is what must not depend on whether a run was disturbed: its result and metrics but for their times.
type outcome struct {
	Result store.Result
	Epochs []metrics.Epoch
	Lines  int // of the file of metrics, which has an epoch once
}

func (s study) outcome(t *testing.T, name, id string) (o outcome) {
	t.Helper()
	var err, unread error
	o.Result, err = s.folder(name, id).Result()
	text, _ := os.ReadFile(s.folder(name, id).Path(store.MetricsFile)) // Epochs names an error
	o.Lines = strings.Count(string(text), "\n")
	if o.Epochs, unread = s.folder(name, id).Epochs(); err != nil || unread != nil {
		t.Fatalf("%v, %v\n%s", err, unread, s.logs(t, name))
	}
	o.Result.Seconds, o.Result.Finished, o.Result.Selected.Seconds, o.Result.Last.Seconds = 0, "", 0, 0
	for k := range o.Epochs {
		o.Epochs[k].Seconds = 0
	}
	return o
}

// same compares a run with the one of the same configuration that nothing
// disturbed.
func (s study) same(t *testing.T, name, id string, undisturbed outcome) {
	t.Helper()
	if diff := cmp.Diff(undisturbed, s.outcome(t, name, id), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("after a disturbance (-undisturbed +got):\n%s", diff)
	}
}

// wentOn fails the test unless a run began once and went on from a checkpoint.
func (s study) wentOn(t *testing.T, name, id string) {
	t.Helper()
	text, err := os.ReadFile(s.folder(name, id).Path(store.LogFile))
	if err != nil || !strings.Contains(string(text), "resumes after epoch ") {
		t.Errorf("the run began anew: %v\n%s", err, text)
	}
}

func contains(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in %s:\n%s", w, what, text)
		}
	}
}
