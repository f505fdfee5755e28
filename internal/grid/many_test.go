package grid_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// manyRuns is a plan of n runs, a fifth of which others need.
func manyRuns(t testing.TB, n int) store.Plan {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	seeds := make([]string, n/5)
	for i := range seeds {
		seeds[i] = fmt.Sprint(i + 1)
	}
	text := "dataset: mnist\nepochs: 1\ngrid:\n  loss: [forward, forward-estimated, backward-estimated, backward]\n  seed: [" + strings.Join(seeds, ", ") + "]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	configs, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	plan := store.NewPlan(configs).NeededFirst()
	if len(plan.Runs) != n {
		t.Fatalf("%d runs, want %d", len(plan.Runs), n)
	}
	return plan
}

// A plan of 200 runs, or 2,000 where LOSSCORR_SLOW is set, each once, takes no more
// memory at its end than after the first few.
func TestThousandsOfRuns(t *testing.T) {
	n := 200
	if os.Getenv("LOSSCORR_SLOW") != "" {
		n = 2000
	}
	plan := manyRuns(t, n)
	matrix := make([][]float64, 30)
	for i := range matrix {
		matrix[i] = make([]float64, 30) // 7 KB a run
	}
	var mu sync.Mutex
	calls := map[string]int{}
	var heaps []uint64
	execute := func(_ context.Context, job *store.Job) (store.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		if calls[job.Config.ID()]++; len(calls)%(n/4) == n/8 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			heaps = append(heaps, m.HeapAlloc)
		}
		last := metrics.Epoch{Epoch: 1, TestAccuracy: 90}
		job.Progress.Epoch(last)
		own := make([][]float64, len(matrix))
		for i := range own {
			own[i] = slices.Clone(matrix[i])
		}
		return store.Result{Selected: last, Last: last, Transition: &store.TransitionInfo{Nominal: own}}, nil
	}
	root := t.TempDir()
	r := grid.Runner{Root: root, Workers: 4, Execute: execute, Wait: true, Brief: true}
	begun, files := time.Now(), openFiles(t)
	outcomes, err := r.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs in %v; heap after each quarter: %d KiB", n, time.Since(begun), kib(heaps))
	for _, o := range outcomes {
		if o.State != store.Done || calls[o.ID] != 1 {
			t.Fatalf("%s is %q after %d calls", o.ID, o.State, calls[o.ID])
		}
	}
	if grown := int64(heaps[len(heaps)-1]) - int64(heaps[0]); grown > 1<<20 {
		t.Errorf("heap grows by %d KiB in three quarters of the plan: %d", grown>>10, kib(heaps))
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d open files, %d before", now, files)
	}
	begun = time.Now()
	survey := store.Survey(root, plan)
	t.Logf("surveyed in %v", time.Since(begun))
	for _, s := range survey {
		if s.State != store.Done {
			t.Fatalf("%s is %s", s.ID, s.State)
		}
	}
}

func kib(bytes []uint64) []uint64 {
	out := make([]uint64, len(bytes))
	for i, b := range bytes {
		out[i] = b >> 10
	}
	return out
}

// openFiles counts this process's open files where the system tells.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

func BenchmarkPlan2000(b *testing.B) {
	plan := manyRuns(b, 2000)
	configs := plan.Configs()
	for b.Loop() {
		dir := b.TempDir()
		if _, err := store.Freeze(store.NewPlan(configs), "test", nil, nil).Save(dir, false); err != nil {
			b.Fatal(err)
		}
		if _, err := store.LoadPlan(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// Runs spread over the devices, which are no part of what they are.
func TestDevices(t *testing.T) {
	plan := manyRuns(t, 20)
	for i := range plan.Runs {
		plan.Runs[i].Config.Device = "cuda"
	}
	var mu sync.Mutex
	busy, most, used := map[string]int{}, 0, map[string]int{}
	execute := func(_ context.Context, job *store.Job) (store.Result, error) {
		device := job.Config.Device
		mu.Lock()
		busy[device]++
		used[device]++
		most = max(most, busy[device])
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		busy[device]--
		mu.Unlock()
		if c, err := job.Folder.Config(); err != nil || c.Device == device {
			return store.Result{}, fmt.Errorf("the folder names device %q, %w", c.Device, err)
		}
		return complete(job.Config), nil
	}
	r := grid.Runner{Root: t.TempDir(), Execute: execute, Devices: []string{"cuda:0", "cuda:1", "cuda:2"}}
	if _, err := r.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if most != 1 || len(used) != 3 || used["cuda:0"]+used["cuda:1"]+used["cuda:2"] != 20 {
		t.Errorf("up to %d runs on a device, %v; want 1 on each of three", most, used)
	}
	if outcomes, err := r.Run(t.Context(), plan); err != nil || !outcomes[0].Skipped {
		t.Errorf("a second time: %v", err)
	}
}

// What an earlier attempt has left is used, or not, as asked.
func TestResumeModes(t *testing.T) {
	plan := manyRuns(t, 5)
	root := t.TempDir()
	left := 0
	calls := 0
	execute := func(_ context.Context, job *store.Job) (store.Result, error) {
		calls++
		if _, err := os.Stat(job.Folder.Path(store.CheckpointsDir, "last")); err == nil {
			left++
		}
		if calls == 4 || calls == 5 {
			err := os.WriteFile(job.Folder.Path(store.CheckpointsDir, "last"), nil, 0o644)
			return store.Result{}, errors.Join(err, errors.New("disk full"))
		}
		return complete(job.Config), os.WriteFile(job.Folder.Path(store.CheckpointsDir, "last"), nil, 0o644)
	}
	r := grid.Runner{Root: root, Workers: 1, Execute: execute}
	var failed *grid.FailedError
	if _, err := r.Run(t.Context(), plan); !errors.As(err, &failed) || len(failed.Failed) != 2 {
		t.Fatalf("error is %v, want two failures", err)
	}
	status, err := store.At(root, plan.Runs[3].ID).Status()
	if err != nil || !strings.Contains(strings.Join(status.Log, "\n"), "disk full") || status.Error != "disk full" {
		t.Errorf("status is %+v, %v; want the error and the end of the log", status, err)
	}
	for _, tt := range []struct {
		mode        string
		calls, left int
	}{{grid.ResumeNever, 2, 0}, {grid.ResumeAuto, 0, 0}, {grid.ResumeNever, 0, 0}, {grid.ResumeForce, 5, 0}} {
		calls, left = 10, 0
		r.Resume = tt.mode
		if _, err := r.Run(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
		if calls-10 != tt.calls || left != tt.left {
			t.Errorf("%s: %d runs, %d of them from a checkpoint; want %d and %d", tt.mode, calls-10, left, tt.calls, tt.left)
		}
	}
	if err := os.Remove(filepath.Join(root, plan.Runs[4].ID, store.ResultFile)); err != nil {
		t.Fatal(err)
	}
	calls, left, r.Resume = 10, 0, grid.ResumeAuto
	if _, err := r.Run(t.Context(), plan); err != nil || calls != 11 || left != 1 {
		t.Errorf("auto: %d runs, %d of them from a checkpoint, %v; want 1 and 1", calls-10, left, err)
	}
}

// Survey tells what is known of each run from its folder alone.
func TestSurvey(t *testing.T) {
	plan := manyRuns(t, 10)
	root := t.TempDir()
	fail := plan.Runs[3].ID
	// Runs 0 and 1 are for others that are not in this part of the plan.
	r := grid.Runner{Root: root, Workers: 1, Execute: func(_ context.Context, job *store.Job) (store.Result, error) {
		if job.Config.ID() == fail {
			return store.Result{}, errors.New("disk full")
		}
		result := complete(job.Config)
		result.Seconds = 2
		return result, nil
	}}
	if _, err := r.Run(t.Context(), store.Plan{Runs: plan.Runs[:4]}); err == nil {
		t.Fatal("no failure")
	}
	running := func(i int) *store.Folder {
		f, err := store.Claim(root, plan.Runs[i].Config, nil, &store.Watch{}, store.DefaultLeaseTime)
		if err == nil {
			err = f.SetStatus(store.Status{State: store.Running, Epoch: 7})
		}
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	defer running(4).Close()
	running(5).Close()
	silent := running(6)
	silent.Close()
	elsewhere(t, silent.Dir())
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(lease(silent.Dir()), old, old); err != nil {
		t.Fatal(err)
	}
	far := running(7)
	far.Close()
	elsewhere(t, far.Dir()) // its clock is ahead
	ahead := time.Now().Add(time.Hour)
	if err := os.Chtimes(lease(far.Dir()), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, plan.Runs[2].ID, store.ResultFile), []byte(`{"schema":`), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range store.Survey(root, plan) {
		got = append(got, fmt.Sprintf("%s %d %s", s.State, s.Epoch(), s.Problem))
		if s.Ago < 0 {
			t.Errorf("a sign of life in the future: %v", s.Ago)
		}
	}
	want := []string{
		"pending 0 ", "pending 0 ", "stopped 0 run " + plan.Runs[2].ID + ": result.json is damaged: unexpected end of JSON input", "failed 0 disk full",
		"running 7 ", "killed 7 ", "silent 7 ", "running 7 ", "pending 0 ", "pending 0 ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("survey is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The cost of a run is that of others like it, not of larger batches.
func TestEstimate(t *testing.T) {
	root, f := t.TempDir(), &fake{}
	load := func(more ...string) []config.Config {
		return configtest.Load(t, "dataset: mnist\nepochs: 2\n", more...)
	}
	r := grid.Runner{Root: root, Workers: 1, Execute: f.execute}
	if _, err := r.Run(t.Context(), store.NewPlan(load())); err != nil {
		t.Fatal(err)
	}
	for more, known := range map[string]bool{"seed=2": true, "loss=unhinged": true, "epochs=3": false, "batch_size=64": false, "precision=bfloat16": false} {
		if cost := grid.Estimate(root, load(more)); (cost.Without == 0) != known {
			t.Errorf("%s: %+v, want an estimate: %v", more, cost, known)
		}
	}
}
