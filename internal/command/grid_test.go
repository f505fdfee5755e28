package command

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
)

// A grid of real runs that takes seconds, and its results when nothing disturbs
// it.
type smallGrid struct {
	dir   string
	vars  map[string]string
	runs  int
	want  map[string]any // result by id
	table string
}

const gridOfFour = `dataset: mnist
noise: {kind: asymmetric, level: .3}
epochs: 8
batch_size: 8
grid: {loss: [cross-entropy, forward, forward-estimated, backward-estimated], seed: [1]}
`

var undisturbedGrid = fixture{fill: func(t *testing.T, dir string) {
	g := smallGrid{dir: dir, vars: realVars(t, dir)}
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 300, 100)
	write(t, filepath.Join(dir, "c.yaml"), []byte(gridOfFour))
	g.start(t, "grid", "run", "c.yaml", "--out", "undisturbed").ends(t, 0)
}}

func newSmallGrid(t *testing.T) smallGrid {
	t.Helper()
	g := smallGrid{dir: undisturbedGrid.copied(t), runs: 4}
	g.vars = realVars(t, g.dir)
	g.vars["LOSSCORR_DATA"] = filepath.Join(undisturbedGrid.path(t), "data") // the results name it
	g.vars["LOSSCORR_CHECKPOINT_EVERY"] = "0"
	g.want, g.table = g.results(t, "undisturbed"), g.report(t, "undisturbed")
	if len(g.want) != g.runs || !strings.Contains(g.table, "forward") {
		t.Fatalf("%d results, want %d; the table is\n%s", len(g.want), g.runs, g.table)
	}
	return g
}

func (g smallGrid) start(t *testing.T, args ...string) *process {
	t.Helper()
	cmd := exec.Command("losscorr-real", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a process group, to be killed as a whole
	return startCommand(t, cmd, g.dir, g.vars)
}

// path returns the path of a file of the grid in out.
func (g smallGrid) path(out string, elem ...string) string {
	return filepath.Join(append([]string{g.dir, out}, elem...)...)
}

// results returns the results of the grid in out by ID, without times.
func (g smallGrid) results(t *testing.T, out string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, path := range expect.Got(filepath.Glob(g.path(out, "????????????", store.ResultFile)))(t) {
		all[filepath.Base(filepath.Dir(path))] = resultOf(t, filepath.Dir(path))
	}
	return all
}

// report returns losscorr report's table of the grid in out.
func (g smallGrid) report(t *testing.T, out string) string {
	t.Helper()
	p := g.start(t, "report", out, "--format", "csv")
	p.ends(t, 0)
	return p.out.String()
}

func (g smallGrid) same(t *testing.T, out string) {
	t.Helper()
	if diff := cmp.Diff(g.want, g.results(t, out)); diff != "" {
		t.Errorf("results (-undisturbed +got):\n%s", diff)
	}
	if diff := cmp.Diff(g.table, g.report(t, out)); diff != "" {
		t.Errorf("table (-undisturbed +got):\n%s", diff)
	}
}

// begun waits until all runs in out together have done some epochs.
func begun(t *testing.T, p *process, out string, epochs int) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(out, "*", store.MetricsFile)) // the pattern is well formed
		n := 0
		for _, path := range found {
			text, _ := os.ReadFile(path) // the run may be replacing it
			n += bytes.Count(text, []byte("\n"))
		}
		if n >= epochs {
			return
		}
	}
	t.Fatalf("no %d epochs in a minute\n%s", epochs, p.err.String())
}

// A grid that is killed as a whole twice, at random moments, gives the results
// and the table of an undisturbed one.
func TestGridKilled(t *testing.T) {
	t.Parallel()
	g := newSmallGrid(t)
	for n := range 2 {
		p := g.start(t, "grid", "run", "c.yaml", "--out", "killed", "--jobs", "2")
		begun(t, p, g.path("killed"), 3+6*n)
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		expect.OK(t, syscall.Kill(-p.Process.Pid, syscall.SIGKILL))
		_ = p.Wait() // killed
	}
	if n := len(g.results(t, "killed")); n == g.runs {
		t.Fatal("the grid was done before it was killed")
	}
	g.start(t, "grid", "status", "killed").says(t, "killed", "last sign of life")
	g.start(t, "grid", "run", "killed").says(t, "4 runs, 4 done")
	g.same(t, "killed")

	// As an array of tasks, each a process, all at the same time.
	g.start(t, "grid", "plan", "c.yaml", "--out", "tasks").ends(t, 0)
	var tasks []*process
	for _, index := range []string{"0", "1", "2", "3", "3", "2"} {
		tasks = append(tasks, g.start(t, "grid", "exec", "--plan", "tasks", "--index", index, "--lease", "6s"))
	}
	for _, task := range tasks {
		task.ends(t, 0)
	}
	g.same(t, "tasks")
	for _, path := range glob(t, g.runs, g.path("tasks", "*", store.LogFile)) {
		if n := strings.Count(string(read(t, path)), "attempt "); n != 1 {
			t.Errorf("%d attempts in %s, want 1", n, path)
		}
	}
}

// A task stopped by SIGTERM or SIGUSR1 writes a checkpoint, ends with 75, and
// resumes from there.
func TestTaskStopped(t *testing.T) {
	t.Parallel()
	g := newSmallGrid(t)
	g.start(t, "grid", "plan", "c.yaml", "--out", "stopped").ends(t, 0)
	for _, signal := range []string{"TERM", "USR1"} {
		g.vars[interruptVar] = "80:" + signal
		g.start(t, "grid", "exec", "--plan", "stopped", "--index", "0").fails(t, 75, "stopped after a checkpoint")
	}
	delete(g.vars, interruptVar)
	g.start(t, "grid", "run", "stopped").ends(t, 0)
	g.same(t, "stopped")
	resumed := 0
	for _, path := range glob(t, g.runs, g.path("stopped", "*", store.LogFile)) {
		resumed += strings.Count(string(read(t, path)), "resumes after epoch")
	}
	if resumed < 2 {
		t.Errorf("%d attempts went on from a checkpoint, want 2", resumed)
	}
}

// A full disk damages neither plan nor runs: the errors explain what to do, and with
// space again the grid gives the same results.
func TestGridFullDisk(t *testing.T) {
	slow(t)
	t.Parallel()
	disk := mountSmall(t)
	g := newSmallGrid(t)
	ballast := filepath.Join(disk, "ballast")
	fill(t, ballast, 0)
	g.start(t, "grid", "run", "c.yaml", "--out", filepath.Join(disk, "runs")).
		fails(t, 1, "plan.json", "no space left on device")
	absent(t, disk, "runs", store.PlanName)
	expect.OK(t, os.Remove(ballast))
	fill(t, ballast, 60<<10)
	g.start(t, "grid", "run", "c.yaml", "--out", filepath.Join(disk, "runs")).
		fails(t, 3, "no space left on device")
	expect.OK(t, os.Remove(ballast))
	// Four runs with their checkpoints are more than the disk holds.
	out := filepath.Join(g.dir, "moved")
	expect.OK(t, os.CopyFS(out, os.DirFS(filepath.Join(disk, "runs"))))
	g.start(t, "grid", "run", "moved").ends(t, 0)
	g.same(t, "moved")

	remountReadOnly(t, disk)
	g.start(t, "grid", "run", filepath.Join(disk, "runs"), "--jobs", "1").
		fails(t, 3, "read-only file system", "make the folder writable")
	g.start(t, "grid", "plan", "c.yaml", "seed=9", "--out", filepath.Join(disk, "other")).
		fails(t, 1, "read-only file system", "--out")
}
