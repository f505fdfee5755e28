//go:build linux

package slurm_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch/libtorch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// long is a run of some seconds, which leaves time to disturb it.
const long = `dataset: mnist
loss: forward
noise: {kind: asymmetric, level: .3}
epochs: 200
batch_size: 8
`

// TestLive tests a real Slurm end to end: arrays of real training runs, and everything that a cluster does to them.
func TestLive(t *testing.T) {
	live(t)
	s := newStudy(t)
	c := startCluster(t)

	// An undisturbed run is the reference for the others.
	long2 := long + "grid: {seed: [1, 2]}\n"
	ids := s.plan(t, "undisturbed", long2)
	begun := time.Now()
	s.run(t, 0, "grid", "run", "runs/undisturbed", "--jobs", "2", "--quiet")
	t.Logf("a run takes about %v", time.Since(begun).Round(100*time.Millisecond))
	undisturbed := s.outcome(t, "undisturbed", ids[0])
	second := s.outcome(t, "undisturbed", ids[1])

	t.Run("an array beyond MaxArraySize", func(t *testing.T) {
		s.plan(t, "many", "dataset: mnist\nepochs: 1\nnoise: {kind: asymmetric, level: .6}\n"+
			"grid: {loss: [cross-entropy, forward-estimated, forward], seed: [1, 2, 3, 4, 5, 6]}\n")
		out := s.run(t, 0, "grid", "submit", "slurm", "runs/many", "--gpus", "1", "--time", "5", "--mem", "300M")
		expect.Says(t, out, "job ", "tasks 0-5, which others need", "tasks 6-16", "tasks 17",
			"18 runs of 18", "--device cuda")
		c.idle(t, 2*time.Minute)
		s.unfinished(t, "many", 0)
		var offsets []int
		for _, j := range s.record(t, "many").Jobs {
			offsets = append(offsets, j.Offset)
		}
		if got := fmt.Sprint(offsets); got != "[0 6 17]" {
			t.Errorf("offsets %s, want [0 6 17]", got)
		}
		expect.Says(t, s.logs(t, "many"), "forward-estimated", "loss ")
		expect.Says(t, s.run(t, 0, "grid", "submit", "slurm", "runs/many"), "nothing to submit: all 18 runs")
	})

	t.Run("packs, a few at a time", func(t *testing.T) {
		s.plan(t, "packs", "dataset: mnist\nepochs: 1\ngrid: {seed: [1, 2, 3, 4, 5]}\n")
		s.run(t, 0, "grid", "submit", "slurm", "runs/packs", "--pack", "2", "--jobs", "2",
			"--max-parallel", "1", "--max-array-size", "2")
		if n := len(s.record(t, "packs").Jobs); n != 2 {
			t.Errorf("%d jobs, want arrays of two and of one", n)
		}
		c.idle(t, time.Minute)
		s.unfinished(t, "packs", 0)
	})

	// disturbed disturbs a job during its run, which must resume and end with the same results.
	disturbed := func(t *testing.T, name string, disturb func(id string), submit ...string) {
		t.Helper()
		id := s.plan(t, name, long)[0]
		s.run(t, 0, append([]string{"grid", "submit", "slurm", "runs/" + name}, submit...)...)
		s.epochs(t, name, id, 10)
		disturb(id)
		c.idle(t, 2*time.Minute)
		s.same(t, name, id, undisturbed)
		s.wentOn(t, name, id)
	}

	t.Run("pre-empted", func(t *testing.T) {
		disturbed(t, "preempted", func(string) {
			c.slurm(t, "sbatch", "--partition=high", "--exclusive", "--output=/dev/null", "--wrap=sleep 1")
		})
		env, err := s.folder("preempted", ids[0]).Environment()
		if n := env.Job["SLURM_RESTART_COUNT"]; err != nil || n == "" || n == "0" {
			t.Errorf("the job was not queued again: %q restarts, %v\n%s", n, err, s.logs(t, "preempted"))
		}
	})

	t.Run("killed and cancelled, then resumed", func(t *testing.T) {
		s.plan(t, "killed", long2)
		s.run(t, 0, "grid", "submit", "slurm", "runs/killed")
		for _, id := range ids {
			s.epochs(t, "killed", id, 5)
			s.signal(t, "killed", id, syscall.SIGSTOP) // otherwise it may end too soon
		}
		refused := s.run(t, 1, "grid", "submit", "slurm", "runs/killed")
		expect.Says(t, refused, "2 tasks of runs/killed are queued", "--rest", "scancel")
		expect.Says(t, s.run(t, 0, "grid", "submit", "slurm", "runs/killed", "--rest"), "are queued (2 tasks)")

		s.signal(t, "killed", ids[0], syscall.SIGKILL)
		array := s.record(t, "killed").Jobs[0].ID
		wait(t, "the killed task is gone", 20*time.Second, func() bool {
			return len(strings.Fields(c.try("squeue", "-h", "-r", "-j", array, "-o", "%K"))) == 1
		})
		// The killed task resumes while the other one still runs.
		out := s.run(t, 0, "grid", "submit", "slurm", "runs/killed", "--rest")
		expect.Says(t, out, "tasks 0\n", "1 run of 2")
		c.slurm(t, "scancel", array+"_1") // continues the stopped run, then ends it
		c.idle(t, 2*time.Minute)
		s.same(t, "killed", ids[0], undisturbed)
		s.wentOn(t, "killed", ids[0])
		s.unfinished(t, "killed", 1) // the cancelled one
		out = s.run(t, 0, "grid", "submit", "slurm", "runs/killed")
		expect.Says(t, out, "tasks 1\n", "1 run of 2")
		c.idle(t, 2*time.Minute)
		s.same(t, "killed", ids[1], second)
		s.wentOn(t, "killed", ids[1])
	})

	t.Run("a site that forbids requeue", func(t *testing.T) {
		write(t, s.path("site.yaml"), "no_requeue: true\nsetup: ['echo set up']\nextra: [--nice=1]\n")
		disturbed(t, "once", func(id string) {
			job := s.record(t, "once").Jobs[0].ID
			s.signal(t, "once", id, syscall.SIGSTOP)
			c.slurm(t, "scancel", "--batch", "--signal=USR1", job)
			s.signal(t, "once", id, syscall.SIGCONT)
			c.idle(t, time.Minute)
			expect.Says(t, s.logs(t, "once"), "set up",
				"cannot requeue the job: scontrol requeue", "submit the rest yourself")
			expect.Says(t, c.slurm(t, "scontrol", "show", "job", job), "ExitCode=75:0")
			s.run(t, 0, "grid", "submit", "slurm", "runs/once", "--rest")
		}, "--site", "site.yaml")
	})

	t.Run("the node goes down", func(t *testing.T) {
		disturbed(t, "down", func(string) {
			c.slurm(t, "scontrol", "update", "nodename="+c.node, "state=down", "reason=test")
			wait(t, "the job waits", 20*time.Second, func() bool {
				return strings.TrimSpace(c.try("squeue", "-h", "-o", "%T")) == "PENDING"
			})
			// The node may come back by itself once its daemon registers; then resume is refused.
			wait(t, "the node is back", 30*time.Second, func() bool {
				c.try("scontrol", "update", "nodename="+c.node, "state=resume")
				return !strings.Contains(c.try("sinfo", "-h", "-p", "main", "-o", "%T"), "down")
			})
		})
	})
}

// A run takes longer than its job's time limit: Slurm's signal comes first, the job is requeued, and the run continues.
func TestLiveTimeLimit(t *testing.T) {
	live(t)
	s := newStudy(t)
	c := startCluster(t)
	id := s.plan(t, "limit", "dataset: mnist\nepochs: 100000\nbatch_size: 8\n")[0]
	write(t, s.path("site.yaml"), "time: 1\nsignal: 50\n")
	s.run(t, 0, "grid", "submit", "slurm", "runs/limit", "--site", "site.yaml")
	array := s.record(t, "limit").Jobs[0].ID
	// Slurm checks limits every 30 s and restarts the job some seconds later.
	wait(t, "the job has run up to its limit and starts again", 3*time.Minute, func() bool {
		text := c.try("scontrol", "show", "job", array)
		return strings.Contains(text, "Restarts=1") && strings.Contains(text, "JobState=RUNNING")
	})
	before := s.status(t, "limit", id).Epoch
	wait(t, "the run continues", time.Minute, func() bool { return s.status(t, "limit", id).Epoch > before })
	s.wentOn(t, "limit", id)
	if got := s.status(t, "limit", id); got.Attempts != 2 {
		t.Errorf("%d attempts, want 2\n%s", got.Attempts, s.logs(t, "limit"))
	}
	c.slurm(t, "scancel", array)
	c.idle(t, time.Minute)
	expect.Says(t, s.logs(t, "limit"), "at their next checkpoint")
}

func (s study) record(t *testing.T, name string) cluster.Record {
	t.Helper()
	record, err := cluster.Load(s.path("runs", name))
	expect.OK(t, err)
	return record
}

func (s study) status(t *testing.T, name, id string) store.Status {
	t.Helper()
	status, err := s.folder(name, id).Status()
	expect.OK(t, err)
	return status
}

// signal sends a signal to the process of a run.
func (s study) signal(t *testing.T, name, id string, signal syscall.Signal) {
	t.Helper()
	expect.OK(t, syscall.Kill(s.status(t, name, id).PID, signal))
}

// study is a folder with a small data set and the real program, which trains.
type study struct {
	dir     string
	program string
}

func newStudy(t *testing.T) study {
	t.Helper()
	torchtest.Open(t)
	shim, err := libtorch.Locate(losscorr.Sources)
	expect.OK(t, err)
	// Slurm and the shell must cope with any name.
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

// run calls the program, which must end with the given exit code, and returns both outputs.
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

// plan freezes a configuration into runs/NAME and returns the IDs of its runs.
func (s study) plan(t *testing.T, name, config string) []string {
	t.Helper()
	write(t, filepath.Join(s.dir, name+".yaml"), config)
	s.run(t, 0, "grid", "plan", name+".yaml")
	plan, err := store.LoadPlan(s.path("runs", name))
	expect.OK(t, err)
	var ids []string
	for _, r := range plan.Runs {
		ids = append(ids, r.ID)
	}
	return ids
}

func (s study) path(elem ...string) string { return filepath.Join(append([]string{s.dir}, elem...)...) }

// unfinished fails the test unless want runs of a plan have no result.
func (s study) unfinished(t *testing.T, name string, want int) {
	t.Helper()
	plan, err := store.LoadPlan(s.path("runs", name))
	expect.OK(t, err)
	if n := len(plan.Plan.Unfinished(s.path("runs", name))); n != want {
		t.Fatalf("%d runs are unfinished, want %d\n%s", n, want, s.logs(t, name))
	}
}

// logs returns the output of a plan's tasks.
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
		expect.OK(t, err)
		b.WriteString("--- " + f.Name() + "\n" + string(text))
	}
	return b.String()
}

// folder returns the folder of a run.
func (s study) folder(name, id string) *store.Folder { return store.At(s.path("runs", name), id) }

// epochs waits until a run has finished n epochs.
func (s study) epochs(t *testing.T, name, id string, n int) {
	t.Helper()
	wait(t, "a run is under way", time.Minute, func() bool {
		text, err := os.ReadFile(s.folder(name, id).Path(store.MetricsFile))
		return err == nil && strings.Count(string(text), "\n") >= n
	})
}

// outcome is a run's result and metrics without times, which a disturbance must not change.
type outcome struct {
	Result store.Result
	Epochs []metrics.Epoch
	Lines  int // of the metrics file, one per epoch
}

func (s study) outcome(t *testing.T, name, id string) (o outcome) {
	t.Helper()
	var err, unread error
	o.Result, err = s.folder(name, id).Result()
	text, _ := os.ReadFile(s.folder(name, id).Path(store.MetricsFile)) // Epochs reports errors
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

// same compares a run with an undisturbed one of the same configuration.
func (s study) same(t *testing.T, name, id string, undisturbed outcome) {
	t.Helper()
	if diff := cmp.Diff(undisturbed, s.outcome(t, name, id), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("after a disturbance (-undisturbed +got):\n%s", diff)
	}
}

// wentOn fails the test unless a run resumed from a checkpoint.
func (s study) wentOn(t *testing.T, name, id string) {
	t.Helper()
	text, err := os.ReadFile(s.folder(name, id).Path(store.LogFile))
	if err != nil || !strings.Contains(string(text), "resumes after epoch ") {
		t.Errorf("the run started from the beginning: %v\n%s", err, text)
	}
}
