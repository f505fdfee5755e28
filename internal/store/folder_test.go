package store_test

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

func settings(t *testing.T, overrides ...string) config.Config {
	t.Helper()
	return configtest.Load(t, "dataset: mnist\nepochs: 3\n", overrides...)[0]
}

func create(t *testing.T, root string, c config.Config) *store.Folder {
	t.Helper()
	f, err := store.Claim(root, c, []string{"seed=1", "epochs=3"}, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
	})
	return f
}

func TestFolder(t *testing.T) {
	root, c := t.TempDir(), settings(t, "noise={kind: asymmetric, level: .6}")
	f := create(t, root, c)
	if want := filepath.Join(root, c.ID()); f.Dir() != want {
		t.Errorf("folder is %s, want %s", f.Dir(), want)
	}
	again, err := store.Open(root, c.ID())
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.Config()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(f.Path(store.OverridesFile))
	if err != nil || string(text) != "seed=1\nepochs=3\n" {
		t.Errorf("overrides are %q, %v", text, err)
	}
	if _, err := store.Open(root, "000000000000"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening a run that is not there: %v", err)
	}
}

// The second owner, here a second lock in this process, gets an error that
// names the first.
func TestFolderLock(t *testing.T) {
	root, c := t.TempDir(), settings(t)
	first := create(t, root, c)
	if err := first.SetStatus(store.Status{State: store.Running}); err != nil {
		t.Fatal(err)
	}
	_, err := store.Claim(root, c, nil, &store.Watch{}, store.DefaultLeaseTime)
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "process") {
		t.Fatalf("error is %v, want ErrLocked with the process", err)
	}
	first.Close()
	second, err := store.Claim(root, c, nil, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatalf("after the first closed: %v", err)
	}
	second.Close()
}

// A lock dies with its process, however it ends.
func TestFolderLockOfKilledProcess(t *testing.T) {
	root := t.TempDir()
	if os.Getenv("LOCK_AND_WAIT") != "" {
		create(t, os.Getenv("LOCK_AND_WAIT"), settings(t))
		time.Sleep(time.Minute)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFolderLockOfKilledProcess$")
	// A killed test clears nothing up: its files lie in a folder of this one.
	cmd.Env = append(os.Environ(), "LOCK_AND_WAIT="+root, "TMPDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := settings(t)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(root, c.ID(), store.OverridesFile)); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the other process took no lock")
		}
	}
	if _, err := store.Claim(root, c, nil, &store.Watch{}, store.DefaultLeaseTime); !errors.Is(err, store.ErrLocked) {
		t.Errorf("error is %v, want ErrLocked", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed: the error is expected
	create(t, root, c)
}

func TestResult(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	if _, err := f.Result(); !errors.Is(err, store.ErrUnfinished) {
		t.Errorf("no result: %v, want ErrUnfinished", err)
	}
	want := store.Result{
		Schema: 1, ID: f.ID, State: store.Diverged, Config: settings(t),
		Selected: metrics.Epoch{Epoch: 2, ValLoss: .5, TestAccuracy: 97},
		Last:     metrics.Epoch{Epoch: 3, TrainLoss: math.NaN(), ValLoss: math.Inf(1)},
		Transition: &store.TransitionInfo{
			Classes: []string{"a", "b"}, Nominal: [][]float64{{.5, .5}, {.5, .5}},
			Condition: math.Inf(1), RowsPermuted: true,
		},
		Warnings: []string{"loss is not finite"}, Seconds: 3, Finished: "2026-01-02T03:04:05Z",
	}
	if err := f.WriteResult(want); err != nil {
		t.Fatal(err)
	}
	got, err := f.Result()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	for text, why := range map[string]string{
		`{"schema":1,"id":"` + f.ID:        "unexpected end of JSON input",
		"":                                 "unexpected end of JSON input",
		`{"schema":2,"id":"` + f.ID + `"}`: "has schema 2, this program reads 1",
		`{"schema":1,"id":"ffffffffffff"}`: "belongs to run ffffffffffff",
		`{"schema":1,"id":"` + f.ID + `"}`: "neither done nor diverged",
	} {
		if err := f.Write(store.ResultFile, []byte(text)); err != nil {
			t.Fatal(err)
		}
		_, err := f.Result()
		var damaged *store.DamagedError
		if !errors.Is(err, store.ErrUnfinished) || !errors.As(err, &damaged) || !strings.Contains(err.Error(), store.ResultFile) || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want a *DamagedError that is ErrUnfinished, names the file and says: %s", text, err, why)
		}
	}
}

func TestMetrics(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	var want []metrics.Epoch
	for i := 1; i <= 4; i++ {
		e := metrics.Epoch{Epoch: i, LearningRate: .01, TrainLoss: 1 / float64(i), ValAccuracy: 90, Seconds: .25}
		if i == 4 {
			e.TrainLoss = math.NaN()
		}
		want = append(want, e)
		if err := f.AppendEpoch(e); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want []metrics.Epoch) {
		t.Helper()
		got, err := f.Epochs()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("epochs (-want +got):\n%s", diff)
		}
	}
	check(want)
	data, err := os.ReadFile(f.Path(store.MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	// Killed within the fourth line, then resumed from the second epoch.
	if err := f.Write(store.MetricsFile, data[:len(data)-9]); err != nil {
		t.Fatal(err)
	}
	check(want[:3])
	revise(t, f, 2)
	check(want[:2])
	if err := f.AppendEpoch(want[2]); err != nil {
		t.Fatal(err)
	}
	check(want[:3])
	// Resumed by a process that did not drop the epochs after its checkpoint.
	if err := f.AppendEpoch(want[1]); err != nil {
		t.Fatal(err)
	}
	check(want[:2])
	revise(t, f, 0)
	check(nil)
	if err := f.Write(store.MetricsFile, []byte("{\n{}\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Epochs(); err == nil || !strings.Contains(err.Error(), "metrics.jsonl:1 is damaged") {
		t.Errorf("damaged line: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "42")
	t.Setenv("MKL_DEBUG_CPU_TYPE", "5")
	t.Setenv("OPENBLAS_CORETYPE", "Haswell")
	t.Setenv("LOSSCORR_SECRET", "x")
	f := create(t, t.TempDir(), settings(t))
	if err := f.SetEnvironment(store.NewEnvironment("1.2.3", map[string]string{"version": "2.11.0"})); err != nil {
		t.Fatal(err)
	}
	sum, err := files.SHA256(f.Path(store.OverridesFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.UpdateEnvironment(func(e *store.Environment) { e.Labels, e.PeakMiB = sum, store.PeakMiB() }); err != nil {
		t.Fatal(err)
	}
	e, err := f.Environment()
	if err != nil {
		t.Fatal(err)
	}
	if e.Program != "1.2.3" || e.Libtorch["version"] != "2.11.0" || e.Job["SLURM_JOB_ID"] != "42" {
		t.Errorf("environment is %+v", e)
	}
	if e.Vars["MKL_DEBUG_CPU_TYPE"] != "5" || e.Vars["OPENBLAS_CORETYPE"] != "Haswell" || e.Vars["LOSSCORR_SECRET"] != "" {
		t.Errorf("variables are %v", e.Vars)
	}
	// printf 'seed=1\nepochs=3\n' | sha256sum
	if e.Labels != "0de929f869a2454fd169fa9760070073fa8fd9835b84797441cba55590faa05f" {
		t.Errorf("hash is %s", e.Labels)
	}
	if e.PeakMiB < 1 || e.CPU.Cores < 1 {
		t.Errorf("peak %d MiB, %d cores", e.PeakMiB, e.CPU.Cores)
	}
}

// A result that cannot be written is an error: here a folder stands in its way.
func TestWriteFails(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	if err := os.Mkdir(f.Path(store.ResultFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteResult(store.Result{Schema: 1, ID: f.ID, State: store.Diverged}); err == nil || !strings.Contains(err.Error(), "write result.json") {
		t.Errorf("error is %v", err)
	}
}

// What describes a run, and what its owner names, must be there at its end.
func TestDeleted(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	if err := f.Write(store.LabelsFile, []byte("index,clean,noisy\n")); err != nil {
		t.Fatal(err)
	}
	f.Keep(store.LabelsFile)
	if err := f.Deleted(); err != nil {
		t.Errorf("nothing was deleted: %v", err)
	}
	if err := errors.Join(os.Remove(f.Path(store.ConfigFile)), os.Remove(f.Path(store.LabelsFile))); err != nil {
		t.Fatal(err)
	}
	if err := f.Deleted(); err == nil || !strings.Contains(err.Error(), "during the run: config.yaml, noisy_labels.csv; start it again") {
		t.Errorf("%v", err)
	}
}
