package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A run long enough to be stopped, and its result when nothing disturbs it.
type undisturbed struct {
	dir   string
	vars  map[string]string
	steps int // batches of an epoch
	want  outcome
}

// outcome is what must not depend on whether a run was disturbed, as it is
// written: numbers are compared digit by digit.
type outcome struct {
	Result  map[string]any
	Metrics []map[string]any
	Labels  string
	Weights []byte // of the selected epoch
}

const interruptible = `dataset: mnist
loss: forward
noise: {kind: asymmetric, level: .3}
epochs: 16
batch_size: 8
`

func newUndisturbed(t *testing.T) undisturbed {
	t.Helper()
	u := undisturbed{dir: t.TempDir(), steps: 34} // 270 examples in batches of 8
	u.vars = realVars(t, u.dir)
	writeDigits(t, filepath.Join(u.dir, "data", "mnist"), 300, 100)
	write(t, filepath.Join(u.dir, "c.yaml"), []byte(interruptible))
	u.train(t, "reference").ends(t, 0)
	u.want = u.outcome(t, "reference")
	if n := len(u.want.Metrics); n != 16 {
		t.Fatalf("%d epochs in the metrics, want 16", n)
	}
	return u
}

func (u undisturbed) train(t *testing.T, out string, args ...string) *process {
	t.Helper()
	return start(t, u.dir, u.vars, append([]string{"train", "c.yaml", "--quiet", "--checkpoint-every", "0", "--out", out}, args...)...)
}

// file is the path of a file of the only run in out.
func (u undisturbed) file(t *testing.T, out string, elem ...string) string {
	t.Helper()
	path := out
	if !filepath.IsAbs(out) {
		path = filepath.Join(u.dir, out)
	}
	found, err := filepath.Glob(filepath.Join(path, "????????????", "config.yaml"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d runs in %s (%v), want 1", len(found), out, err)
	}
	return filepath.Join(append([]string{filepath.Dir(found[0])}, elem...)...)
}

func (u undisturbed) outcome(t *testing.T, out string) outcome {
	t.Helper()
	return outcomeOf(t, u.file(t, out))
}

// outcomeOf reads the folder of a finished run.
func outcomeOf(t *testing.T, folder string) outcome {
	t.Helper()
	file := func(elem ...string) []byte { return read(t, filepath.Join(append([]string{folder}, elem...)...)) }
	var o outcome
	decode(t, file("result.json"), &o.Result)
	delete(o.Result, "seconds")
	delete(o.Result, "finished")
	for _, epoch := range []string{"selected", "last"} {
		delete(o.Result[epoch].(map[string]any), "seconds")
	}
	for line := range bytes.Lines(file("metrics.jsonl")) {
		var m map[string]any
		decode(t, line, &m)
		delete(m, "seconds")
		o.Metrics = append(o.Metrics, m)
	}
	o.Labels = string(file("noisy_labels.csv"))
	o.Weights = file("checkpoints", "best.safetensors")
	return o
}

// same fails the test unless the run in out came to the undisturbed result.
func (u undisturbed) same(t *testing.T, out string) {
	t.Helper()
	if diff := cmp.Diff(u.want, u.outcome(t, out)); diff != "" {
		t.Errorf("after a disturbance (-undisturbed +got):\n%s", diff)
	}
}

// started waits until the run in out has done the given number of epochs.
func (u undisturbed) started(t *testing.T, p *process, out string, epochs int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(u.dir, out, "*", "metrics.jsonl")) // the pattern is well formed
		if len(found) == 1 && bytes.Count(read(t, found[0]), []byte("\n")) >= epochs {
			return
		}
	}
	t.Fatalf("no %d epochs in 30 s\n%s", epochs, p.err.String())
}

// stopped is a run that was stopped after two checkpoints at least.
func (u undisturbed) stopped(t *testing.T, out string) {
	t.Helper()
	p := u.train(t, out)
	u.started(t, p, out, 3)
	send(t, p, syscall.SIGTERM)
	p.ends(t, 75)
}

// seeded is a source of random places, whose seed a failed test prints.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// within is a place in the second epoch, not at its ends, in batches.
func (u undisturbed) within(rng *rand.Rand) int { return u.steps + 1 + rng.IntN(u.steps-1) }

// interrupted trains until the process has done a number of batches and is sent a signal.
// It returns the number of batches.
func (u undisturbed) interrupted(t *testing.T, out, signal string, batches int) int {
	t.Helper()
	vars := maps.Clone(u.vars)
	vars[interruptVar] = fmt.Sprintf("%d:%s", batches, signal)
	p := start(t, u.dir, vars, "train", "c.yaml", "--quiet", "--checkpoint-every", "0", "--out", out)
	if signal == "KILL" {
		_ = p.Wait() // the state tells
		if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("%v, want a death by SIGKILL after %d batches\n%s", p.ProcessState, batches, p.err.String())
		}
		return batches
	}
	p.ends(t, 75)
	contains(t, "stderr", p.err.String(), "at their next checkpoint", "run the same command again to resume")
	return batches
}

func send(t *testing.T, p *process, s os.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
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

func TestResume(t *testing.T) {
	u := newUndisturbed(t)

	signals := []string{"INT", "TERM"}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup, which the program obeys
		signals = append(signals, "HUP")
	}
	for _, s := range signals {
		t.Run(s, func(t *testing.T) {
			t.Parallel()
			rng := seeded(t)
			out := "signal-" + s
			done := 0 // batches
			for n := range 2 {
				done += u.interrupted(t, out, s, 4*u.steps*n+u.within(rng))
				var status struct{ State string }
				decode(t, read(t, u.file(t, out, "status.json")), &status)
				if status.State != "stopped" {
					t.Errorf("state %q, want stopped", status.State)
				}
			}
			u.train(t, out).ends(t, 0)
			contains(t, "log", string(read(t, u.file(t, out, "log.txt"))), fmt.Sprintf("resumes after epoch %d\n", done/u.steps),
				fmt.Sprintf("test: begins with batch %d of %d\n", done%u.steps+1, u.steps))
			u.same(t, out)
		})
	}

	t.Run("kill -9", func(t *testing.T) {
		t.Parallel()
		rng := seeded(t)
		for n := range 4 {
			u.interrupted(t, "killed", "KILL", u.steps*n+u.within(rng))
		}
		u.train(t, "killed").ends(t, 0)
		contains(t, "log", string(read(t, u.file(t, "killed", "log.txt"))), "resumes after epoch 1\n", "resumes after epoch 6\n")
		u.same(t, "killed")
		for _, folder := range []string{"", "checkpoints"} {
			left, err := filepath.Glob(u.file(t, "killed", folder, ".*[0-9]"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		}
	})

	t.Run("damaged checkpoint", func(t *testing.T) {
		t.Parallel()
		u.stopped(t, "damaged")
		last := u.file(t, "damaged", "checkpoints", "last.safetensors")
		size := int64(len(read(t, last)))
		if err := poke(last, size/2, read(t, last)[size/2]^1); err != nil {
			t.Fatal(err)
		}
		p := u.train(t, "damaged")
		p.ends(t, 0)
		contains(t, "stderr", p.err.String(), "damaged checkpoint skipped", "last.safetensors", "checksum")
		contains(t, "log", string(read(t, u.file(t, "damaged", "log.txt"))), "resumes after epoch ")
		u.same(t, "damaged")
	})

	// The position of the run is text in the header.
	t.Run("damaged header", func(t *testing.T) {
		t.Parallel()
		u.stopped(t, "header")
		last := u.file(t, "header", "checkpoints", "last.safetensors")
		at := bytes.Index(read(t, last), []byte(`"position":"`)) + 40
		if err := poke(last, int64(at), read(t, last)[at]^1); err != nil {
			t.Fatal(err)
		}
		p := u.train(t, "header")
		p.ends(t, 0)
		contains(t, "stderr", p.err.String(), "damaged checkpoint skipped", "last.safetensors", "digest")
		u.same(t, "header")
	})

	t.Run("both damaged", func(t *testing.T) {
		t.Parallel()
		u.stopped(t, "both")
		for _, name := range []string{"last.safetensors", "previous.safetensors"} {
			if err := os.Truncate(u.file(t, "both", "checkpoints", name), 1000); err != nil {
				t.Fatal(err)
			}
		}
		p := u.train(t, "both")
		p.ends(t, 0)
		contains(t, "stderr", p.err.String(), "last.safetensors", "previous.safetensors", "truncated")
		if log := string(read(t, u.file(t, "both", "log.txt"))); strings.Contains(log, "resumes after") {
			t.Errorf("went on from nothing:\n%s", log)
		}
		u.same(t, "both")
	})

	t.Run("metrics damaged", func(t *testing.T) {
		t.Parallel()
		u.stopped(t, "metrics")
		path := u.file(t, "metrics", "metrics.jsonl")
		lines := bytes.SplitAfter(read(t, path), []byte("\n"))
		write(t, path, bytes.Join(append([][]byte{[]byte("{\"epoch\": x\n")}, lines[2:]...), nil))
		u.train(t, "metrics").ends(t, 0)
		contains(t, "log", string(read(t, u.file(t, "metrics", "log.txt"))), "resumes after epoch ")
		u.same(t, "metrics")
	})

	t.Run("files deleted", func(t *testing.T) {
		t.Parallel()
		p := u.train(t, "deleted")
		u.started(t, p, "deleted", 3)
		send(t, p, syscall.SIGSTOP)
		names := []string{"config.yaml", "noisy_labels.csv", "T.csv", "metrics.jsonl"}
		folder := filepath.Dir(u.file(t, "deleted", "config.yaml"))
		for _, name := range names {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		send(t, p, syscall.SIGCONT)
		p.ends(t, 1)
		contains(t, "stderr", p.err.String(), "deleted during the run: config.yaml, noisy_labels.csv, T.csv; start it again")
		u.train(t, "deleted").ends(t, 0)
		u.same(t, "deleted")
		for _, name := range names[:3] {
			if text := string(read(t, u.file(t, "deleted", name))); text != string(read(t, u.file(t, "reference", name))) {
				t.Errorf("%s is\n%s", name, text)
			}
		}
	})

	t.Run("foreign checkpoint", func(t *testing.T) {
		t.Parallel()
		u.stopped(t, "foreign")
		p := u.train(t, "other", "epochs=2", "seed=7")
		p.ends(t, 0)
		other := u.file(t, "other", "checkpoints", "last.safetensors")
		write(t, u.file(t, "foreign", "checkpoints", "last.safetensors"), read(t, other))
		p = u.train(t, "foreign")
		p.ends(t, 1)
		contains(t, "stderr", p.err.String(), "last.safetensors", "it is a checkpoint of run "+filepath.Base(u.file(t, "other")),
			"this is run "+filepath.Base(u.file(t, "foreign")), "move it away to start again")
	})

	t.Run("two processes", func(t *testing.T) {
		t.Parallel()
		p := u.train(t, "shared")
		u.started(t, p, "shared", 2)
		send(t, p, syscall.SIGSTOP) // or it could end before the second one looks
		second := u.train(t, "shared")
		second.ends(t, 1)
		send(t, p, syscall.SIGCONT)
		contains(t, "stderr", second.err.String(), "locked by another process (process", "--out")
		p.ends(t, 0)
		u.same(t, "shared")
	})
}

// A full disk fails a run with one clear error and damages nothing: with space
// again, the run goes on to the same result.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := mountSmall(t)
	u := newUndisturbed(t)
	ballast := filepath.Join(disk, "ballast")
	// Room for: nothing, the settings, the labels but no checkpoint, two
	// checkpoints of 1.4 MB but no third.
	for _, room := range []int{0, 12 << 10, 40 << 10, 3 << 20} {
		out := filepath.Join(disk, "runs")
		fill(t, ballast, room)
		p := u.train(t, out)
		p.ends(t, 1)
		contains(t, "stderr", p.err.String(), "no space left on device", "free some space and run the same command again")
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		u.train(t, out).ends(t, 0)
		u.same(t, out)
		if log := string(read(t, u.file(t, out, "log.txt"))); room > 1<<20 {
			contains(t, "log", log, "resumes after epoch ")
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	remountReadOnly(t, disk)
	p := u.train(t, filepath.Join(disk, "runs"))
	p.ends(t, 1)
	contains(t, "stderr", p.err.String(), "read-only file system", "--out")
}

// fill leaves the given number of bytes free on the disk of path.
func fill(t *testing.T, path string, room int) {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &stat); err != nil {
		t.Fatal(err)
	}
	write(t, path, make([]byte, int(stat.Bavail)*int(stat.Bsize)-room))
}

// A second signal ends the process at once, as signals do.
func TestSecondSignal(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\n"))
	p := startProgram(t, "losscorr", dir, map[string]string{"PRETEND": "stubborn"}, "train", "c.yaml")
	begun := time.Now()
	_ = p.Wait() // the state tells
	status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v, want death by SIGINT, which shells call 130", p.ProcessState)
	}
	if time.Since(begun) > 8*time.Second {
		t.Error("the second signal did not end it")
	}
	contains(t, "stderr", p.err.String(), "once more to abort")
}

// A command without checkpoints ends at the first signal: here one that waits for the reader of a
// pipe, which has room for a part of what it writes.
func TestFirstSignalEndsWriting(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, "noisy.csv")
		if err := syscall.Mkfifo(pipe, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		write(t, filepath.Join(dir, "labels.txt"), bytes.Repeat([]byte("cat\ndog\n"), 1<<17))
		p := startProgram(t, "losscorr", dir, nil, "noisify", "labels.txt", "--noise", "symmetric:.2", "--out", "noisy.csv")
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if n, _ := r.Read(make([]byte, 1)); n > 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the pipe is not written\n%s", p.err.String())
			}
		}
		send(t, p, s)
		ended := make(chan struct{})
		go func() {
			_ = p.Wait() // the state tells
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("%v did not end it\n%s", s, p.err.String())
		}
		status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || !status.Signaled() || status.Signal() != s {
			t.Errorf("ended with %v, want death by %v\n%s", p.ProcessState, s, p.err.String())
		}
	}
}

// How many runs go on at a time, and how many threads there might be, do not
// change a result: settings that are not part of a run's identity must not.
func TestWorkersDoNotMatter(t *testing.T) {
	u := undisturbed{dir: t.TempDir()}
	u.vars = realVars(t, u.dir)
	u.vars["OMP_NUM_THREADS"] = "2"
	writeDigits(t, filepath.Join(u.dir, "data", "mnist"), 2000, 500)
	write(t, filepath.Join(u.dir, "c.yaml"), []byte("dataset: mnist\nepochs: 3\n"))
	u.train(t, "one", "--workers", "1").ends(t, 0)
	u.train(t, "two", "--workers", "2").ends(t, 0)
	u.want = u.outcome(t, "one")
	u.same(t, "two")
}
