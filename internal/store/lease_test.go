package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// elsewhere makes a process on another machine, which cannot be seen from here, the owner of a folder's lease.
func elsewhere(t *testing.T, dir string, generation, beat int, more ...string) {
	t.Helper()
	text := `{"token":"x","host":"node7","boot":"b","space":"s","pid":12,` + strings.Join(more, "") +
		`"since":"2099-01-01T00:00:00Z"}` + "\n" + fmt.Sprintf(beatLine, beat)
	expect.OK(t, os.WriteFile(leasePath(dir, generation), []byte(text), 0o644))
}

// ask looks at a folder's lease with a new Watch, calls while, and takes the lease if it is free by then.
func ask(t *testing.T, dir string, while func()) *lease {
	var w Watch
	free, err := w.Look(dir, time.Minute)
	while()
	if err != nil || !free {
		if err != nil {
			t.Error(err)
		}
		return nil
	}
	l, ok, err := w.take(dir, time.Minute)
	if err != nil {
		t.Error(err)
	}
	if !ok {
		return nil
	}
	return l
}

// Of a thousand processes that ask at once, one gets the lease; once it is released, another does.
func TestLeaseOfOne(t *testing.T) {
	const askers, rounds = 1000, 3
	dir := t.TempDir()
	for round := range rounds {
		var won atomic.Int64
		var winner atomic.Pointer[lease]
		var all sync.WaitGroup
		begin := make(chan struct{})
		for range askers {
			all.Go(func() {
				<-begin
				if l := ask(t, dir, func() {}); l != nil {
					won.Add(1)
					winner.Store(l)
				}
			})
		}
		close(begin)
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("round %d: %d got the lease, want 1", round, won.Load())
		}
		expect.OK(t, winner.Load().check())
		winner.Load().release()
	}
}

// Many workers take and release a lease again and again, some with old Watches; two never hold it at once.
func TestLeaseExcludes(t *testing.T) {
	const workers, turns = 40, 15
	dir := t.TempDir()
	var inside, most atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for done := 0; done < turns && !t.Failed(); {
				l := ask(t, dir, func() {
					if rand.IntN(4) == 0 {
						time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
					}
				})
				if l == nil {
					continue
				}
				n := inside.Add(1)
				for top := most.Load(); n > top && !most.CompareAndSwap(top, n); top = most.Load() {
				}
				if err := l.check(); err != nil {
					t.Errorf("within its turn: %v", err)
				}
				inside.Add(-1)
				l.release()
				done++
			}
		})
	}
	all.Wait()
	expect.Same(t, 1, most.Load(), "holders at once")
	if top, err := highest(dir, nil); err != nil || top < workers*turns {
		t.Errorf("generation %d, %v; want %d at least", top, err, workers*turns)
	}
}

// On a slow file system several processes share runs that last longer than a lease: each run is done once and stays
// with its owner.
func TestLeaseOnSlowFiles(t *testing.T) {
	t.Parallel()
	const runs, limit = 2, 2 * time.Second
	root := t.TempDir()
	slow := func() { time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) }
	var done [runs]atomic.Int64
	config := settings(t)
	work := func(k int) error {
		c := config
		c.Seed = uint64(k)
		w, begun := &Watch{slow: slow}, time.Now()
		f, err := Claim(root, c, w, limit)
		for errors.Is(err, ErrLocked) && time.Since(begun) < 20*limit {
			time.Sleep(WatchInterval(limit))
			f, err = Claim(root, c, w, limit)
		}
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.Result(); err == nil {
			return nil // done by another process
		}
		done[k].Add(1)
		for epoch := 1; epoch <= 3; epoch++ {
			time.Sleep(limit / 2)
			err = errors.Join(err, f.AppendEpoch(metrics.Epoch{Epoch: epoch}))
		}
		return errors.Join(err, f.WriteResult(Result{Schema: 1, ID: f.ID, State: Done}))
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for k := range runs {
				if err := work(k); err != nil {
					t.Errorf("run %d: %v", k, err)
				}
			}
		})
	}
	all.Wait()
	for k := range done {
		expect.Same(t, 1, done[k].Load(), "executions of a run")
	}
}

// An owner on another machine keeps its run while its counter moves, whatever the clocks and file times are, and loses
// it once the counter stops.
func TestLeaseOfOtherMachine(t *testing.T) {
	dir := t.TempDir()
	const limit = 300 * time.Millisecond
	elsewhere(t, dir, 4, 0)
	var w Watch
	for beat := 1; beat <= 8; beat++ { // twice the limit in all
		at := time.Now().Add(time.Duration(1-2*(beat%2)) * 1000 * time.Hour)
		elsewhere(t, dir, 4, beat)
		expect.OK(t, os.Chtimes(leasePath(dir, 4), at, at))
		if free, err := w.Look(dir, limit); free || err != nil {
			t.Fatalf("beat %d: free %v, %v", beat, free, err)
		}
		time.Sleep(limit / 4)
	}
	if !w.Alive() {
		t.Error("its signs of life went unseen")
	}
	for begun := time.Now(); !expect.Got(w.Look(dir, limit))(t); {
		if time.Since(begun) > 10*limit {
			t.Fatal("its silence went unseen")
		}
		time.Sleep(time.Millisecond)
	}
	l, ok, err := w.take(dir, limit)
	if err != nil || !ok || l.generation != 5 {
		t.Fatalf("taking over: %v, %v", ok, err)
	}
	defer l.release()
	if _, err := os.Stat(leasePath(dir, 4)); err == nil {
		t.Error("the old lease is still there")
	}
}

// A watcher whose limit is shorter than the owner's interval waits for the owner's time. A damaged lease cannot ask for
// more, and the owner of an empty or foreign file is unknown: both get the default time.
func TestLeaseGoesByTheOwner(t *testing.T) {
	const limit = 40 * time.Millisecond
	for _, tt := range []struct {
		interval, file string
		free           bool
	}{
		{`"interval":10,`, "", false}, {`"interval":0.001,`, "", true}, {`"interval":-5,`, "", true}, {"", "", true},
		{"", "-", true}, {"", "{", true}, {"", "\x00\x01", true}, {"", `{"pid":"x"}` + "\n", true},
	} {
		dir := t.TempDir()
		elsewhere(t, dir, 1, 3, tt.interval)
		if tt.file != "" {
			expect.OK(t, os.WriteFile(leasePath(dir, 1), []byte(strings.Trim(tt.file, "-")), 0o644))
		}
		var w Watch
		if free, err := w.Look(dir, limit); free || err != nil {
			t.Errorf("%+v: free %v at first, %v", tt, free, err)
		}
		time.Sleep(limit + 10*time.Millisecond)
		if free, err := w.Look(dir, limit); free != tt.free || err != nil {
			t.Errorf("%+v: free %v after the watcher's limit, %v", tt, free, err)
		}
	}
	dir := t.TempDir()
	var w, other Watch
	expect.Same(t, true, expect.Got(w.Look(dir, time.Hour))(t), "free")
	l, ok, err := w.take(dir, time.Hour)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer l.release()
	expect.Got(other.Look(dir, limit))(t)
	expect.Same(t, time.Hour, other.owner.patience(limit), "the owner's lease")
}

// A process is dead if this machine can tell, or if its job has been started again.
func TestOwnerDead(t *testing.T) {
	self := newOwner()
	if self.dead(self) || !self.here(self) {
		t.Error("this process is dead or elsewhere to itself")
	}
	gone := exec.Command(os.Args[0], "-test.run=^$")
	expect.OK(t, gone.Run())
	with := func(change func(*owner)) owner {
		o := self
		o.Job = maps.Clone(self.Job)
		change(&o)
		return o
	}
	slurm := func(o *owner, vars ...string) {
		o.Host, o.Job = "node"+vars[0], map[string]string{}
		for i := 1; i < len(vars); i += 2 {
			o.Job[vars[i]] = vars[i+1]
		}
	}
	array := with(func(o *owner) {
		slurm(o, "2", "SLURM_JOB_ID", "9", "SLURM_ARRAY_JOB_ID", "7", "SLURM_ARRAY_TASK_ID", "3", "SLURM_RESTART_COUNT", "2")
	})
	single := with(func(o *owner) { slurm(o, "2", "SLURM_JOB_ID", "9", "SLURM_RESTART_COUNT", "1") })
	for _, tt := range []struct {
		name  string
		owner owner
		me    owner
		want  bool
	}{
		{"process gone", with(func(o *owner) { o.PID = gone.Process.Pid }), self, true},
		{"its number used again", with(func(o *owner) { o.Begun = "1" }), self, true},
		{"its start by the clock of another time namespace", with(func(o *owner) {
			o.Begun, o.Clock = "1", "time:[1]"
		}), self, false},
		{"gone, from another time namespace", with(func(o *owner) {
			o.PID, o.Clock = gone.Process.Pid, "time:[1]"
		}), self, true},
		{"another machine", with(func(o *owner) { o.PID, o.Host = gone.Process.Pid, "node7" }), self, false},
		{"another start of the machine", with(func(o *owner) { o.PID, o.Boot = gone.Process.Pid, "x" }), self, false},
		{"another container", with(func(o *owner) { o.PID, o.Space = gone.Process.Pid, "pid:[1]" }), self, false},
		{"unknown", owner{}, self, false},
		{"task started again", with(func(o *owner) {
			slurm(o, "1", "SLURM_JOB_ID", "8", "SLURM_ARRAY_JOB_ID", "7", "SLURM_ARRAY_TASK_ID", "3", "SLURM_RESTART_COUNT", "1")
		}), array, true},
		{"task at its first start", with(func(o *owner) {
			slurm(o, "1", "SLURM_JOB_ID", "8", "SLURM_ARRAY_JOB_ID", "7", "SLURM_ARRAY_TASK_ID", "3")
		}), array, true},
		{"same start", with(func(o *owner) {
			slurm(o, "1", "SLURM_ARRAY_JOB_ID", "7", "SLURM_ARRAY_TASK_ID", "3", "SLURM_RESTART_COUNT", "2")
		}), array, false},
		{"another task", with(func(o *owner) {
			slurm(o, "1", "SLURM_ARRAY_JOB_ID", "7", "SLURM_ARRAY_TASK_ID", "4")
		}), array, false},
		{"job started again", with(func(o *owner) { slurm(o, "1", "SLURM_JOB_ID", "9") }), single, true},
		{"another job", with(func(o *owner) { slurm(o, "1", "SLURM_JOB_ID", "10") }), single, false},
		{"no job", with(func(o *owner) { slurm(o, "1") }), with(func(o *owner) { slurm(o, "2") }), false},
	} {
		if got := tt.owner.dead(tt.me); got != tt.want {
			t.Errorf("%s: dead is %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A process that took a generation already used by others gets no lease.
func TestLeaseOfOldGeneration(t *testing.T) {
	dir := t.TempDir()
	elsewhere(t, dir, 9, 0)
	w := Watch{generation: 5}
	if l, ok, err := w.take(dir, time.Minute); ok || err != nil {
		t.Errorf("took %+v, %v", l, err)
	}
	expect.Same(t, 9, expect.Got(highest(dir, nil))(t), "highest")
	if _, err := os.Stat(leasePath(dir, 6)); err == nil {
		t.Error("its file is still there")
	}
}

// Releasing marks the file as free, so the next owner need not wait.
func TestLeaseReleased(t *testing.T) {
	root, c := t.TempDir(), settings(t)
	for n := 1; n <= 3; n++ {
		f := create(t, root, c)
		names := expect.Got(filepath.Glob(f.Path(leasePrefix + "*")))(t)
		expect.Same(t, []string{f.Path(leasePrefix + strconv.Itoa(n))}, names, "leases")
		f.Close()
		f.Close() // does nothing
		if text, err := os.ReadFile(names[0]); err != nil || !strings.HasSuffix(string(text), string(freeLine)) {
			t.Errorf("after release: %q, %v", text, err)
		}
	}
}

// A folder with another run's configuration is refused, and the error names that run.
func TestForeignFolder(t *testing.T) {
	root, c := t.TempDir(), settings(t)
	f := create(t, root, c)
	other := c
	other.Epochs, other.Optimizer.LearningRate = 7, .5
	expect.OK(t, f.Write(ConfigFile, expect.Got(other.YAML())(t)))
	f.Close()
	_, err := Claim(root, c, &Watch{}, DefaultLeaseTime)
	for _, want := range []string{c.ID(), c.Name(), other.ID(), "--out"} {
		expect.Fails(t, err, want, "another configuration")
	}
	// The same run on another device or with another data folder is accepted.
	other = c
	other.Data, other.Device = "/elsewhere", "cuda"
	expect.OK(t, os.WriteFile(f.Path(ConfigFile), expect.Got(other.YAML())(t), 0o644))
	create(t, root, c)
}

// A lease shorter than a clock tick does not panic.
func TestShortestLease(t *testing.T) {
	dir := t.TempDir()
	var w Watch
	l, ok, err := w.take(dir, 1)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	l.release()
}
