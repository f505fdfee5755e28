package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
)

// A run long enough to stop, and its result when nothing disturbs it.
type undisturbed struct {
	dir   string
	vars  map[string]string
	steps int // batches of an epoch
	want  outcome
}

// outcome is the part of a result that must not depend on disturbances. Numbers
// are compared digit by digit, as written.
type outcome struct {
	Result  map[string]any
	Metrics []map[string]any
	Labels  string
	Weights []byte // of the selected epoch
}

const interruptible = `dataset: mnist
loss: forward
noise: {kind: asymmetric, level: .3}
epochs: 10
batch_size: 8
`

// The run is made once, and each test works on its own copy of the folder.
var reference = fixture{fill: func(t *testing.T, dir string) {
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 300, 100)
	write(t, filepath.Join(dir, "c.yaml"), []byte(interruptible))
	u := undisturbed{dir: dir, vars: realVars(t, dir)}
	u.train(t, "reference").ends(t, 0)
}}

func newUndisturbed(t *testing.T) undisturbed {
	t.Helper()
	u := undisturbed{dir: reference.copied(t), steps: 34} // 270 examples in batches of 8
	u.vars = realVars(t, u.dir)
	u.vars["LOSSCORR_DATA"] = filepath.Join(reference.path(t), "data") // which the result names
	u.want = outcomeOf(t, u.file(t, "reference"))
	if n := len(u.want.Metrics); n != 10 {
		t.Fatalf("%d epochs in the metrics, want 10", n)
	}
	return u
}

func (u undisturbed) train(t *testing.T, out string, args ...string) *process {
	t.Helper()
	return start(t, u.dir, u.vars, append([]string{"train", "c.yaml", "--quiet", "--checkpoint-every", "0", "--out", out},
		args...)...)
}

// file is the path of a file of the only run in out.
func (u undisturbed) file(t *testing.T, out string, elem ...string) string {
	t.Helper()
	if !filepath.IsAbs(out) {
		out = filepath.Join(u.dir, out)
	}
	found := glob(t, 1, out, "????????????", "config.yaml")
	return filepath.Join(append([]string{filepath.Dir(found[0])}, elem...)...)
}

// outcomeOf reads the folder of a finished run.
func outcomeOf(t *testing.T, folder string) outcome {
	t.Helper()
	o := outcome{
		Result: resultOf(t, folder), Labels: string(read(t, folder, "noisy_labels.csv")),
		Weights: read(t, folder, "checkpoints", "best.safetensors"),
	}
	for line := range bytes.Lines(read(t, folder, "metrics.jsonl")) {
		var m map[string]any
		decode(t, line, &m)
		delete(m, "seconds")
		o.Metrics = append(o.Metrics, m)
	}
	return o
}

// resultOf returns the result of the run in a folder without its times.
func resultOf(t *testing.T, folder string) (r map[string]any) {
	t.Helper()
	decode(t, read(t, folder, "result.json"), &r)
	delete(r, "finished")
	for _, part := range []map[string]any{r, r["selected"].(map[string]any), r["last"].(map[string]any)} {
		delete(part, "seconds")
	}
	return r
}

// same fails the test unless the run in out gave the undisturbed result, with the given words in its log.
func (u undisturbed) same(t *testing.T, out string, log ...string) {
	t.Helper()
	if diff := cmp.Diff(u.want, outcomeOf(t, u.file(t, out))); diff != "" {
		t.Errorf("after a disturbance (-undisturbed +got):\n%s", diff)
	}
	expect.Says(t, string(read(t, u.file(t, out, "log.txt"))), log...)
}

// seeded returns a source of random positions, whose seed a failed test prints.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// within is a place in the second epoch, not at its ends, in batches.
func (u undisturbed) within(rng *rand.Rand) int { return u.steps + 1 + rng.IntN(u.steps-1) }

// interrupted trains until the process has done a number of batches and receives a signal.
// It returns the number of batches.
func (u undisturbed) interrupted(t *testing.T, out, signal string, batches int) int {
	t.Helper()
	vars := maps.Clone(u.vars)
	vars[interruptVar] = fmt.Sprintf("%d:%s", batches, signal)
	u.vars = vars
	p := u.train(t, out)
	if signal == "KILL" {
		p.dies(t, syscall.SIGKILL)
	} else {
		p.fails(t, 75, "at their next checkpoint", "run the same command again to resume")
	}
	return batches
}

func send(t *testing.T, p *process, s os.Signal) {
	t.Helper()
	expect.OK(t, p.Process.Signal(s))
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	expect.OK(t, d.Decode(v))
}

func TestResume(t *testing.T) {
	u := newUndisturbed(t)
	signals := []string{"INT", "TERM"}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it, and the program respects that
		signals = append(signals, "HUP")
	}
	t.Run("signals", func(t *testing.T) {
		t.Parallel()
		rng := seeded(t)
		var log []string
		done := 0 // batches
		for n, s := range signals {
			done += u.interrupted(t, "signals", s, u.steps*n+u.within(rng))
			expect.Says(t, string(read(t, u.file(t, "signals", "status.json"))), `"stopped"`)
			log = append(log, fmt.Sprintf("resumes after epoch %d\n", done/u.steps),
				fmt.Sprintf("test: begins with batch %d of %d\n", done%u.steps+1, u.steps))
		}
		u.train(t, "signals").ends(t, 0)
		u.same(t, "signals", log...)
	})

	t.Run("kill -9", func(t *testing.T) {
		t.Parallel()
		rng := seeded(t)
		for n := range 3 {
			u.interrupted(t, "killed", "KILL", u.steps*n+u.within(rng))
		}
		u.train(t, "killed").ends(t, 0)
		u.same(t, "killed", "resumes after epoch 1\n", "resumes after epoch 3\n", "resumes after epoch 6\n")
		for _, folder := range []string{"", "checkpoints"} { // no file is left behind
			glob(t, 0, u.file(t, "killed", folder, ".*[0-9]"))
		}
	})

	u.interrupted(t, "stopped", "TERM", 3*u.steps)
	stopped := func(t *testing.T, out string) {
		t.Helper()
		expect.OK(t, os.CopyFS(filepath.Join(u.dir, out), os.DirFS(filepath.Join(u.dir, "stopped"))))
	}
	// damaged files of the stopped run, and the message of the resuming run
	for name, damage := range map[string]struct {
		do   func(t *testing.T, file func(elem ...string) string)
		says []string // on stderr
		log  string
	}{
		"a checkpoint": {func(t *testing.T, file func(...string) string) {
			last := file("checkpoints", "last.safetensors")
			size := len(read(t, last))
			expect.OK(t, poke(last, int64(size/2), read(t, last)[size/2]^1))
		}, []string{"damaged checkpoint skipped", "last.safetensors", "checksum"}, "resumes after epoch "},
		"the metrics": {func(t *testing.T, file func(...string) string) {
			lines := bytes.SplitAfter(read(t, file("metrics.jsonl")), []byte("\n"))
			write(t, file("metrics.jsonl"), bytes.Join(append([][]byte{[]byte("{\"epoch\": x\n")}, lines[2:]...), nil))
		}, nil, "resumes after epoch "},
	} {
		t.Run("damage to "+name, func(t *testing.T) {
			t.Parallel()
			stopped(t, name)
			damage.do(t, func(elem ...string) string { return u.file(t, name, elem...) })
			u.train(t, name).warns(t, damage.says...)
			u.same(t, name, damage.log)
		})
	}

	t.Run("foreign checkpoint", func(t *testing.T) {
		t.Parallel()
		stopped(t, "foreign")
		u.train(t, "other", "epochs=2", "seed=7").ends(t, 0)
		other := read(t, u.file(t, "other", "checkpoints", "last.safetensors"))
		write(t, u.file(t, "foreign", "checkpoints", "last.safetensors"), other)
		u.train(t, "foreign").fails(t, 1, "last.safetensors", "a checkpoint of run "+filepath.Base(u.file(t, "other")),
			"this is run "+filepath.Base(u.file(t, "foreign")), "move it away to start again")
	})

	t.Run("two processes", func(t *testing.T) {
		t.Parallel()
		p := u.train(t, "shared")
		begun(t, p, filepath.Join(u.dir, "shared"), 2)
		send(t, p, syscall.SIGSTOP) // or it could end before the second one looks
		u.train(t, "shared").fails(t, 1, "locked by another process (process", "--out")
		send(t, p, syscall.SIGCONT)
		p.ends(t, 0)
		u.same(t, "shared")
	})
}

// A full disk fails a run with one clear error and damages nothing: with space
// again, the run resumes and gives the same result.
func TestFullDisk(t *testing.T) {
	slow(t)
	t.Parallel()
	disk := mountSmall(t)
	u := newUndisturbed(t)
	ballast := filepath.Join(disk, "ballast")
	// Room for: nothing, the settings, the labels without a checkpoint, two
	// checkpoints of 1.4 MB without a third.
	for room, log := range map[int]string{0: "", 12 << 10: "", 40 << 10: "", 3 << 20: "resumes after epoch "} {
		out := filepath.Join(disk, "runs")
		fill(t, ballast, room)
		u.train(t, out).fails(t, 1, "no space left on device", "free some space and run the same command again")
		expect.OK(t, os.Remove(ballast))
		u.train(t, out).ends(t, 0)
		u.same(t, out, log)
		expect.OK(t, os.RemoveAll(out))
	}
	remountReadOnly(t, disk)
	u.train(t, filepath.Join(disk, "runs")).fails(t, 1, "read-only file system", "--out")
}

// fill leaves the given number of bytes free on the disk of path.
func fill(t *testing.T, path string, room int) {
	t.Helper()
	var stat syscall.Statfs_t
	expect.OK(t, syscall.Statfs(filepath.Dir(path), &stat))
	write(t, path, make([]byte, int(stat.Bavail)*int(stat.Bsize)-room))
}

// dies waits up to 20 s for the process to die by a signal.
func (p *process) dies(t *testing.T, want syscall.Signal) {
	t.Helper()
	late := time.AfterFunc(20*time.Second, func() { _ = p.Process.Signal(syscall.SIGABRT) })
	defer late.Stop()
	_ = p.Wait() // the state tells
	if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != want {
		t.Fatalf("ended with %v, want death by %v\n%s", p.ProcessState, want, p.err.String())
	}
}

// A second signal ends the process at once; after 10 s the run would fail.
func TestSecondSignal(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\n"))
	p := startProgram(t, "losscorr", dir, map[string]string{"PRETEND": "stubborn"}, "train", "c.yaml")
	p.dies(t, syscall.SIGINT)
	expect.Says(t, p.err.String(), "interrupt again to abort")
}

// A command without checkpoints ends at the first signal; this one waits for the reader of a full
// pipe.
func TestFirstSignalEndsWriting(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "noisy.csv")
	expect.OK(t, syscall.Mkfifo(pipe, 0o644))
	r := expect.Got(os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
	defer r.Close()
	write(t, filepath.Join(dir, "labels.txt"), bytes.Repeat([]byte("cat\ndog\n"), 1<<17))
	p := startProgram(t, "losscorr", dir, nil, "noisify", "labels.txt", "--noise", "symmetric:.2", "--out", "noisy.csv")
	for n := 0; n == 0; time.Sleep(5 * time.Millisecond) {
		n, _ = r.Read(make([]byte, 1))
	}
	send(t, p, syscall.SIGTERM)
	p.dies(t, syscall.SIGTERM)
}

// With every network, optimizer and loss, runs that are killed with kill -9 or stopped after a
// random number of batches resume and give the same results, metrics and weights, bit for bit,
// as undisturbed runs. Large networks, whose checkpoints take long to write, are only tested in
// `make -f .ci/checks.mk soak`.
func TestEveryNetworkResumes(t *testing.T) {
	slow(t)
	work, vars := workplace(t)
	writeArchives(t, filepath.Join(work, "data"))
	datatest.Clothes(t, filepath.Join(work, "data", "clothing1m"))

	soak := os.Getenv("LOSSCORR_SOAK") != ""
	const optimizers = "optimizer: [{name: adagrad, momentum: 0}, {name: sgd, momentum: .9}, {name: adam, momentum: 0}]"
	const noise = "noise: {kind: asymmetric, level: .2}"
	for _, network := range []struct {
		name, grid string
		settings   []string
		large      bool
	}{
		{"mlp", optimizers, []string{"dataset: mnist", "epochs: 8", noise}, false},
		{"embedding", "dropout_units: [elements, channels, words]", []string{"dataset: imdb", "batch_size: 16", "epochs: 4",
			noise}, false},
		{"trainers", "loss: [elr, mixup, co-teaching]", []string{"dataset: mnist", "epochs: 6", noise}, false},
		{"trainers with T", "loss: [reweight, gold, volume-minimization]", []string{"dataset: mnist", "epochs: 6",
			"trusted: 2", noise}, false},
		{"lstm", optimizers, []string{"dataset: imdb", "batch_size: 16", "epochs: 3", "embedding_dim: 8",
			"examples: {words: 4, test: 10}", noise}, true},
		{"resnet14", "loss: [unhinged]", []string{"dataset: cifar10", "batch_size: 8", "epochs: 4", "steps_per_epoch: 2",
			"examples: {test: 10}", noise}, false},
		{"exported", optimizers, []string{"dataset: mnist", "epochs: 6", "batch_size: 32", noise}, false},
		{"resnet44", "loss: [forward-estimated]", []string{"dataset: cifar100", "batch_size: 8", "epochs: 3",
			"steps_per_epoch: 1", "examples: {train: 60, test: 10}", noise}, true},
		{"resnet50", "loss: [forward]", []string{"dataset: clothing1m", "batch_size: 2", "epochs: 3", "steps_per_epoch: 1",
			"examples: {train: 4, test: 2}"}, true},
	} {
		t.Run(network.name, func(t *testing.T) {
			if network.large && !soak {
				t.Skip("make -f .ci/checks.mk soak tests it")
			}
			t.Parallel()
			model := network.name
			switch model {
			case "trainers", "trainers with T": // losses of more than logits and labels
				model = "mlp"
			case "exported":
				model = exportedNetwork(t, "mnist.pt2", work)
			}
			lines := append(network.settings, "model: "+model, "optimizer: {milestones: [2]}", "grid: {"+network.grid+"}")
			file := filepath.Join(work, network.name+".yaml")
			write(t, file, []byte(strings.Join(lines, "\n")+"\n"))
			rng := seeded(t)
			train := func(out, interrupt string) *process {
				vars := maps.Clone(vars)
				vars[interruptVar] = interrupt
				return start(t, work, vars, "train", file, "--quiet", "--workers", "1", "--checkpoint-every", "0", "--out",
					filepath.Join(network.name, out))
			}
			train("undisturbed", "").ends(t, 0)
			steps, total, runs := batchesOf(t, filepath.Join(work, network.name, "undisturbed"))
			// The first run is killed in its second epoch or later, which leaves the checkpoint of
			// the previous epoch, and stopped, which leaves one of the same batch.
			kill := steps + 1 + rng.IntN(total-steps-1)
			stop := 1 + rng.IntN(total-(kill-1)/steps*steps-1)
			for _, interrupt := range []string{fmt.Sprintf("%d:KILL", kill), fmt.Sprintf("%d:TERM", stop)} {
				p := train("killed", interrupt)
				_ = p.Wait() // the state tells
				if p.ProcessState.Success() {
					t.Fatalf("not disturbed: %s\n%s", interrupt, p.err.String())
				}
			}
			disturbed := 1
			train("killed", "").ends(t, 0)
			for _, path := range glob(t, runs, work, network.name, "undisturbed", "*", "result.json") {
				run := filepath.Dir(path)
				again := filepath.Join(work, network.name, "killed", filepath.Base(run))
				want, got := outcomeOf(t, run), outcomeOf(t, again)
				log := string(read(t, again, "log.txt"))
				if n := strings.Count(log, "test: begins with batch "); n == 3 && strings.Contains(log, "resumes after epoch ") {
					disturbed--
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("run %s after kill -9 (-undisturbed +got):\n%s", filepath.Base(run), diff)
				}
			}
			if disturbed != 0 {
				t.Errorf("%d runs that were killed and stopped do not say that they resumed", disturbed)
			}
		})
	}
}

// batchesOf reads the number of batches per epoch and per run from the logs of finished
// runs, and counts the runs.
func batchesOf(t *testing.T, root string) (epoch, total, runs int) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(root, "*", "log.txt"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, path := range logs {
		log := string(read(t, path))
		_, first, _ := strings.Cut(log, "test: begins with batch 1 of ")
		_, last, _ := strings.Cut(log, "test: ")
		_, last, _ = strings.Cut(last, "test: ")
		var own int
		expect.Got(fmt.Sscan(first, &epoch))(t)
		if _, err := fmt.Sscan(last, &own); err != nil || total > 0 && own != total {
			t.Fatalf("%d batches after %d, %v", own, total, err)
		}
		total = own
	}
	return epoch, total, len(logs)
}

// interruptVar makes the real program send itself a signal after a number of batches of all
// its runs: INTERRUPT=40:TERM. So a run ends within an epoch, whatever the speed of the
// machine.
const interruptVar = "INTERRUPT"

// interrupting returns a program that obeys interruptVar. Its runs log their first batch and
// their number of batches.
func interrupting(p Program) Program {
	p.Pipeline = interruptedPipeline{Pipeline: p.Pipeline, done: new(atomic.Int64)}
	return p
}

type interruptedPipeline struct {
	app.Pipeline
	done *atomic.Int64 // batches of the process
}

func (p interruptedPipeline) Execute(ctx context.Context, job *store.Job) (store.Result, error) {
	watch := &batchWatch{Sink: job.Progress, ctx: ctx, job: job, done: p.done}
	if text, name, ok := strings.Cut(os.Getenv(interruptVar), ":"); ok {
		if _, err := fmt.Sscan(text, &watch.limit); err != nil {
			return store.Result{}, err
		}
		watch.signal = map[string]syscall.Signal{"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT,
			"HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1}[name]
	}
	job.Progress = watch
	result, err := p.Pipeline.Execute(ctx, job)
	fmt.Fprintf(job.Log, "test: %d batches\n", watch.own)
	return result, err
}

type batchWatch struct {
	store.Sink
	ctx    context.Context
	job    *store.Job
	done   *atomic.Int64
	own    int // batches of this run
	limit  int64
	signal syscall.Signal
}

func (w *batchWatch) Batch(done, total int) {
	if w.own++; w.own == 1 {
		fmt.Fprintf(w.job.Log, "test: begins with batch %d of %d\n", done, total)
	}
	w.Sink.Batch(done, total)
	if w.limit > 0 && w.done.Add(1) == w.limit {
		if err := syscall.Kill(os.Getpid(), w.signal); err != nil {
			panic(err)
		}
		<-w.ctx.Done()
	}
}
