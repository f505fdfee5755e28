package store

import (
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

func settings(t *testing.T, overrides ...string) config.Config {
	t.Helper()
	return configtest.Load(t, "dataset: mnist\nepochs: 3\n", overrides...)[0]
}

func create(t *testing.T, root string, c config.Config) *Folder {
	t.Helper()
	f := expect.Got(Claim(root, c, &Watch{}, DefaultLeaseTime))(t)
	t.Cleanup(f.Close)
	return f
}

// A folder holds its run, and claiming it sweeps what a killed process left behind.
func TestFolder(t *testing.T) {
	root, c := t.TempDir(), settings(t, "noise={kind: asymmetric, level: .6}")
	f := create(t, root, c)
	expect.Same(t, filepath.Join(root, c.ID()), f.Dir(), "folder")
	expect.Same(t, c, expect.Got(expect.Got(Open(root, c.ID()))(t).Config())(t), "configuration")
	expect.OK(t, f.Write(".killed", nil)) // during a write
	f.Close()
	create(t, root, c)
	if _, err := os.Stat(f.Path(".killed")); err == nil {
		t.Error("a temporary file is left")
	}
	expect.Fails(t, expect.Err(Open(root, "000000000000")), "", os.ErrNotExist, "opening a missing run")
}

// A lock ends with its process, however it dies.
func TestFolderLockOfKilledProcess(t *testing.T) {
	root := t.TempDir()
	if os.Getenv("LOCK_AND_WAIT") != "" {
		create(t, os.Getenv("LOCK_AND_WAIT"), settings(t))
		time.Sleep(time.Minute)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFolderLockOfKilledProcess$")
	// A killed test cleans nothing up, so its files are in a folder of this one.
	cmd.Env = append(os.Environ(), "LOCK_AND_WAIT="+root, "TMPDIR="+t.TempDir())
	expect.OK(t, cmd.Start())
	c := settings(t)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(root, c.ID(), ConfigFile)); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the other process took no lock")
		}
	}
	expect.Fails(t, expect.Err(Claim(root, c, &Watch{}, DefaultLeaseTime)), "", ErrLocked)
	expect.OK(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed: the error is expected
	create(t, root, c)
}

// A result comes back as written, and a damaged one is an error that names the file.
func TestResult(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	expect.Fails(t, expect.Err(f.Result()), "", ErrUnfinished, "no result")
	want := Result{
		Schema: 1, ID: f.ID, State: Diverged, Config: settings(t),
		Selected: metrics.Epoch{Epoch: 2, ValLoss: .5, TestAccuracy: 97},
		Last:     metrics.Epoch{Epoch: 3, TrainLoss: math.NaN(), ValLoss: math.Inf(1)},
		Transition: &TransitionInfo{
			Classes: []string{"a", "b"}, Nominal: [][]float64{{.5, .5}, {.5, .5}},
			Condition: metrics.Number(math.Inf(1)), RowsPermuted: true,
		},
		Warnings: []string{"loss is not finite"}, Seconds: 3, Finished: "2026-01-02T03:04:05Z",
	}
	expect.OK(t, f.WriteResult(want))
	if diff := cmp.Diff(want, expect.Got(f.Result())(t), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	for text, why := range map[string]string{
		`{"schema":1,"id":"` + f.ID:        "unexpected end of JSON input",
		"":                                 "unexpected end of JSON input",
		`{"schema":2,"id":"` + f.ID + `"}`: "has schema 2, this program reads 1",
		`{"schema":1,"id":"ffffffffffff"}`: "belongs to run ffffffffffff",
		`{"schema":1,"id":"` + f.ID + `"}`: "neither done nor diverged",
	} {
		expect.OK(t, f.Write(ResultFile, []byte(text)))
		_, err := f.Result()
		var damaged *DamagedError
		if !errors.Is(err, ErrUnfinished) || !errors.As(err, &damaged) || !strings.Contains(err.Error(), ResultFile) {
			t.Errorf("%q: %v, want a *DamagedError that is ErrUnfinished and names the file", text, err)
		}
		expect.Fails(t, err, why, text)
	}
}

// A run that was killed and resumed has the metrics of each epoch once.
func TestMetrics(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	var want []metrics.Epoch
	for i := 1; i <= 4; i++ {
		e := metrics.Epoch{Epoch: i, LearningRate: .01, TrainLoss: 1 / float64(i), ValAccuracy: 90, Seconds: .25}
		if i == 4 {
			e.TrainLoss = math.NaN()
		}
		want = append(want, e)
		expect.OK(t, f.AppendEpoch(e))
	}
	check := func(want []metrics.Epoch) {
		t.Helper()
		expect.Same(t, want, expect.Got(f.Epochs())(t), "epochs")
	}
	check(want)
	data := expect.Got(os.ReadFile(f.Path(MetricsFile)))(t)
	// Killed while writing the fourth line, then resumed from the second epoch.
	expect.OK(t, f.Write(MetricsFile, data[:len(data)-9]))
	check(want[:3])
	expect.OK(t, f.ReviseEpochs(want[:2]))
	check(want[:2])
	expect.OK(t, f.AppendEpoch(want[2]))
	check(want[:3])
	// Resumed by a process that kept the epochs after its checkpoint.
	expect.OK(t, f.AppendEpoch(want[1]))
	check(want[:2])
	expect.OK(t, f.ReviseEpochs(nil))
	check(nil)
	expect.OK(t, f.Write(MetricsFile, []byte("{\n{}\n")))
	_, err := f.Epochs()
	expect.Fails(t, err, "metrics.jsonl:1 is damaged", "damaged line")
}

// The environment has the variables that are set and known, no others.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"SLURM_JOB_ID": "42", "MKL_DEBUG_CPU_TYPE": "5", "OPENBLAS_CORETYPE": "Haswell", "LOSSCORR_SECRET": "x",
	} {
		t.Setenv(name, value)
	}
	f := create(t, t.TempDir(), settings(t))
	expect.OK(t, f.SetEnvironment(NewEnvironment("1.2.3", map[string]string{"version": "2.11.0"})))
	sum := expect.Got(files.SHA256(f.Path(ConfigFile)))(t)
	expect.OK(t, f.UpdateEnvironment(func(e *Environment) { e.Labels, e.PeakMiB = sum, PeakMiB() }))
	e := expect.Got(f.Environment())(t)
	got := []string{
		e.Program, e.Libtorch["version"], e.Job["SLURM_JOB_ID"],
		e.Vars["MKL_DEBUG_CPU_TYPE"], e.Vars["OPENBLAS_CORETYPE"], e.Vars["LOSSCORR_SECRET"], e.Labels,
	}
	expect.Same(t, []string{"1.2.3", "2.11.0", "42", "5", "Haswell", "", sum}, got, "environment")
	if e.PeakMiB < 1 || e.CPU.Cores < 1 {
		t.Errorf("peak %d MiB, %d cores", e.PeakMiB, e.CPU.Cores)
	}
}

// A result that cannot be written is an error; here a folder is in its way.
func TestWriteFails(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	expect.OK(t, os.Mkdir(f.Path(ResultFile), 0o755))
	expect.Fails(t, f.WriteResult(Result{Schema: 1, ID: f.ID, State: Diverged}), "write result.json", "result")
}

// Files are replaced, never written in place: a process that has the old file open still reads all of it.
func TestFilesAreReplaced(t *testing.T) {
	c := configtest.Load(t, "dataset: mnist\n")[0]
	root := t.TempDir()
	f := create(t, root, c)
	epochs := []metrics.Epoch{{Epoch: 1}, {Epoch: 2}, {Epoch: 3}}
	plan := func(seed uint64) PlanFile {
		other := c
		other.Seed = seed
		return Freeze(NewPlan([]config.Config{other}), "1")
	}
	for name, write := range map[string]func(n int) error{
		StatusFile: func(n int) error { return f.SetStatus(Status{Epoch: n}) },
		ResultFile: func(n int) error {
			return f.WriteResult(Result{
				Schema: 1, ID: f.ID, State: Done, Config: c, Selected: metrics.Epoch{Epoch: 1},
				Last: metrics.Epoch{Epoch: c.Epochs}, Warnings: []string{string(rune('a' + n))},
			})
		},
		EnvironmentFile: func(n int) error { return f.SetEnvironment(Environment{Program: string(rune('a' + n))}) },
		ConfigFile:      func(n int) error { return f.Write(ConfigFile, []byte{byte('a' + n)}) },
		PlanName:        func(n int) error { _, err := plan(uint64(n)).Save(f.Dir(), true); return err },
		MetricsFile:     func(n int) error { return f.ReviseEpochs(epochs[:3-n]) },
	} {
		if name == MetricsFile {
			for _, e := range epochs {
				expect.OK(t, f.AppendEpoch(e))
			}
		}
		expect.OK(t, write(1))
		path, old := f.Path(name), filepath.Join(root, "old")
		_ = os.Remove(old) // from the previous file
		expect.OK(t, os.Link(path, old))
		before := string(expect.Got(os.ReadFile(path))(t))
		expect.OK(t, write(2))
		expect.Same(t, before, string(expect.Got(os.ReadFile(old))(t)), "the old "+name)
		if string(expect.Got(os.ReadFile(path))(t)) == before {
			t.Errorf("%s: the new content is missing", name)
		}
	}
	left, err := filepath.Glob(filepath.Join(f.Dir(), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files %v, %v", left, err)
	}
}

func course(epochs int) []metrics.Epoch {
	all := make([]metrics.Epoch, epochs)
	for i := range all {
		all[i] = metrics.Epoch{Epoch: i + 1, TrainLoss: 1 / float64(i+1), TestAccuracy: 90}
	}
	return all
}

// Readers of a finished run get its good lines and an error, and a run continues despite a damaged line.
func TestDamagedMetrics(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	for _, e := range course(3) {
		expect.OK(t, f.AppendEpoch(e))
		if e.Epoch == 1 {
			data := expect.Got(os.ReadFile(f.Path(MetricsFile)))(t)
			expect.OK(t, os.WriteFile(f.Path(MetricsFile), append(data, "nonsense\n"...), 0o644))
		}
	}
	epochs, err := f.Epochs()
	expect.Fails(t, err, f.ID+": metrics.jsonl:2 is damaged", "epochs")
	expect.Same(t, course(3), epochs, "epochs")
}

// Metrics are synced before a checkpoint; here they are a device that cannot be synced.
func TestBeforeCheckpoint(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	expect.OK(t, f.BeforeCheckpoint()) // without metrics
	expect.OK(t, f.AppendEpoch(course(1)[0]))
	expect.OK(t, f.BeforeCheckpoint())
	expect.OK(t, os.Remove(f.Path(MetricsFile)))
	expect.OK(t, os.Symlink("/dev/null", f.Path(MetricsFile)))
	expect.Fails(t, f.BeforeCheckpoint(), fmt.Sprintf("run %s: write its metrics", f.ID), "metrics that cannot be synced")
}

// A run's numbers come back from JSON as written, including NaN and infinity.
func TestNumbersComeBack(t *testing.T) {
	nan, inf := metrics.Number(math.NaN()), metrics.Number(math.Inf(1))
	for _, want := range []TransitionInfo{
		{Classes: []string{"a"}, EstimateError: .25, LearnedError: .5, Condition: 3},
		{EstimateError: nan, LearnedError: 1, Condition: inf},
		{EstimateError: 1, LearnedError: nan, Condition: -inf},
	} {
		roundTrip(t, want)
	}
	epoch := metrics.Epoch{Epoch: 1, LearningRate: 2, TrainLoss: 3, ValLoss: 4, ValAccuracy: 5, TestAccuracy: 6,
		Seconds: 7}
	roundTrip(t, Result{Selected: epoch, Last: metrics.Epoch{Epoch: 2, TrainLoss: math.NaN(), ValLoss: math.Inf(1)}})
}

func roundTrip[T any](t *testing.T, want T) {
	t.Helper()
	text := expect.Got(json.Marshal(want))(t)
	var got T
	expect.OK(t, json.Unmarshal(text, &got))
	expect.Same(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got), string(text)) // NaN != NaN, so compare text
}
