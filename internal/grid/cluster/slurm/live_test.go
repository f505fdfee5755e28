//go:build linux

package slurm_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/store"
)

// A run of some seconds, so that it can be disturbed.
const long = `dataset: mnist
loss: forward
noise: {kind: asymmetric, level: .3}
epochs: 200
batch_size: 8
`

// The whole way on a real Slurm: arrays of real training runs, and everything
// that a cluster does to them.
func TestLive(t *testing.T) {
	live(t)
	s := newStudy(t)
	c := startCluster(t)

	// Undisturbed, the oracle of the others.
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
		contains(t, "submit", out, "job ", "tasks 0-5, which others need", "tasks 6-16", "tasks 17", "the report", "18 runs of 18", "--device cuda")
		c.idle(t, 2*time.Minute)
		if n := s.unfinished(t, "many"); n > 0 {
			t.Fatalf("%d runs are unfinished\n%s", n, s.logs(t, "many"))
		}
		record := s.record(t, "many")
		var offsets []int
		for _, j := range record.Jobs {
			offsets = append(offsets, j.Offset)
		}
		if got := fmt.Sprint(offsets); got != "[0 6 17 0]" {
			t.Errorf("offsets %s, want [0 6 17 0]", got)
		}
		contains(t, "logs", s.logs(t, "many"), "--- report-", "forward-estimated", "loss ")
		contains(t, "submit", s.run(t, 0, "grid", "submit", "slurm", "runs/many"), "nothing to submit: all 18 runs")
	})

	t.Run("packs, a few at a time", func(t *testing.T) {
		s.plan(t, "packs", "dataset: mnist\nepochs: 1\ngrid: {seed: [1, 2, 3, 4, 5]}\n")
		s.run(t, 0, "grid", "submit", "slurm", "runs/packs", "--pack", "2", "--jobs", "2", "--max-parallel", "1", "--max-array-size", "2", "--no-report")
		if n := len(s.record(t, "packs").Jobs); n != 2 {
			t.Errorf("%d jobs, want arrays of two and of one", n)
		}
		c.idle(t, time.Minute)
		if n := s.unfinished(t, "packs"); n > 0 {
			t.Errorf("%d runs are unfinished\n%s", n, s.logs(t, "packs"))
		}
	})

	t.Run("pre-empted", func(t *testing.T) {
		id := s.plan(t, "preempted", long)[0]
		s.run(t, 0, "grid", "submit", "slurm", "runs/preempted", "--no-report")
		s.epochs(t, "preempted", id, 10)
		c.slurm(t, "sbatch", "--partition=high", "--exclusive", "--output=/dev/null", "--wrap=sleep 1")
		c.idle(t, 2*time.Minute)
		s.same(t, "preempted", id, undisturbed)
		s.wentOn(t, "preempted", id)
		env, err := s.folder("preempted", id).Environment()
		if n := env.Job["SLURM_RESTART_COUNT"]; err != nil || n == "" || n == "0" {
			t.Errorf("the job was not queued again: %q restarts, %v\n%s", n, err, s.logs(t, "preempted"))
		}
	})

	t.Run("killed and cancelled, then resumed", func(t *testing.T) {
		s.plan(t, "killed", long2)
		s.run(t, 0, "grid", "submit", "slurm", "runs/killed", "--no-report")
		for _, id := range ids {
			s.epochs(t, "killed", id, 5)
			s.signal(t, "killed", id, syscall.SIGSTOP) // or it may end before it is disturbed
		}
		refused := s.run(t, 1, "grid", "submit", "slurm", "runs/killed")
		contains(t, "refusal", refused, "2 tasks of runs/killed are queued", "--rest", "scancel")
		contains(t, "rest", s.run(t, 0, "grid", "submit", "slurm", "runs/killed", "--rest"), "is queued (2 tasks)")

		s.signal(t, "killed", ids[0], syscall.SIGKILL)
		array := s.record(t, "killed").Jobs[0].ID
		wait(t, "the killed task is gone", 20*time.Second, func() bool {
			return len(strings.Fields(c.try("squeue", "-h", "-r", "-j", array, "-o", "%K"))) == 1
		})
		// What is killed goes on while the rest still runs.
		out := s.run(t, 0, "grid", "submit", "slurm", "runs/killed", "--rest", "--no-report")
		contains(t, "resume", out, "tasks 0\n", "1 run of 2")
		c.slurm(t, "scancel", array+"_1") // continues the stopped run, then ends it
		c.idle(t, 2*time.Minute)
		s.same(t, "killed", ids[0], undisturbed)
		s.wentOn(t, "killed", ids[0])
		if n := s.unfinished(t, "killed"); n != 1 {
			t.Fatalf("%d runs are unfinished, want the cancelled one\n%s", n, s.logs(t, "killed"))
		}
		out = s.run(t, 0, "grid", "submit", "slurm", "runs/killed", "--no-report")
		contains(t, "submit", out, "tasks 1\n", "1 run of 2")
		c.idle(t, 2*time.Minute)
		s.same(t, "killed", ids[1], second)
		s.wentOn(t, "killed", ids[1])
	})

	t.Run("a site that forbids requeue", func(t *testing.T) {
		id := s.plan(t, "once", long)[0]
		write(t, s.path("site.yaml"), "requeue: false\nsetup: ['echo set up']\nextra: [--nice=1]\n")
		s.run(t, 0, "grid", "submit", "slurm", "runs/once", "--no-report", "--site", "site.yaml")
		s.epochs(t, "once", id, 5)
		s.signal(t, "once", id, syscall.SIGSTOP)
		c.slurm(t, "scancel", "--batch", "--signal=USR1", s.record(t, "once").Jobs[0].ID)
		s.signal(t, "once", id, syscall.SIGCONT)
		c.idle(t, time.Minute)
		contains(t, "logs", s.logs(t, "once"), "set up", "the job is not queued again: scontrol requeue", "submit what is left")
		contains(t, "exit code", c.slurm(t, "scontrol", "show", "job", s.record(t, "once").Jobs[0].ID), "ExitCode=75:0")
		s.run(t, 0, "grid", "submit", "slurm", "runs/once", "--no-report", "--rest")
		c.idle(t, 2*time.Minute)
		s.same(t, "once", id, undisturbed)
		s.wentOn(t, "once", id)
	})

	t.Run("the node goes down", func(t *testing.T) {
		id := s.plan(t, "down", long)[0]
		s.run(t, 0, "grid", "submit", "slurm", "runs/down", "--no-report")
		s.epochs(t, "down", id, 5)
		c.slurm(t, "scontrol", "update", "nodename="+c.node, "state=down", "reason=test")
		wait(t, "the job waits", 20*time.Second, func() bool { return strings.TrimSpace(c.try("squeue", "-h", "-o", "%T")) == "PENDING" })
		// It may be back by itself, its daemon having registered; then resume is refused.
		wait(t, "the node is back", 30*time.Second, func() bool {
			c.try("scontrol", "update", "nodename="+c.node, "state=resume")
			return !strings.Contains(c.try("sinfo", "-h", "-p", "main", "-o", "%T"), "down")
		})
		c.idle(t, 2*time.Minute)
		s.same(t, "down", id, undisturbed)
		s.wentOn(t, "down", id)
	})
}

// A run that takes longer than its job may: Slurm's signal comes before the end,
// the job is queued again, and the run goes on.
func TestLiveTimeLimit(t *testing.T) {
	live(t)
	s := newStudy(t)
	c := startCluster(t)
	id := s.plan(t, "limit", "dataset: mnist\nepochs: 100000\nbatch_size: 8\n")[0]
	write(t, s.path("site.yaml"), "time: 1\nsignal: 50\n")
	s.run(t, 0, "grid", "submit", "slurm", "runs/limit", "--site", "site.yaml", "--no-report")
	array := s.record(t, "limit").Jobs[0].ID
	// Slurm looks at limits every 30 s, starts the job again some seconds later.
	wait(t, "the job has run up to its limit and starts again", 3*time.Minute, func() bool {
		text := c.try("scontrol", "show", "job", array)
		return strings.Contains(text, "Restarts=1") && strings.Contains(text, "JobState=RUNNING")
	})
	before := s.status(t, "limit", id).Epoch
	wait(t, "the run goes on", time.Minute, func() bool { return s.status(t, "limit", id).Epoch > before })
	s.wentOn(t, "limit", id)
	if got := s.status(t, "limit", id); got.Attempts != 2 {
		t.Errorf("%d attempts, want 2\n%s", got.Attempts, s.logs(t, "limit"))
	}
	c.slurm(t, "scancel", array)
	c.idle(t, time.Minute)
	contains(t, "logs", s.logs(t, "limit"), "at their next checkpoint")
}

func (s study) record(t *testing.T, name string) cluster.Record {
	t.Helper()
	record, err := cluster.Load(s.path("runs", name))
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func (s study) status(t *testing.T, name, id string) store.Status {
	t.Helper()
	status, err := s.folder(name, id).Status()
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// signal sends a signal to the process of a run.
func (s study) signal(t *testing.T, name, id string, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(s.status(t, name, id).PID, signal); err != nil {
		t.Fatal(err)
	}
}
