package grid_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/losscorr/losscorr/internal/store"
)

// Runs use only as many threads as run at a time, and GOMAXPROCS grows with the runs, not with a huge Workers.
func TestRunsShareThreads(t *testing.T) {
	plan := planOf(t, "epochs: 1\ngrid: {seed: [1, 2, 3, 4, 5, 6, 7, 8]}\n", "preset=fixed")
	procs := runtime.GOMAXPROCS(0)
	for _, workers := range []int{1, 2, 1_000_000_000} {
		var mu sync.Mutex
		threads := map[int]bool{}
		f := &fake{}
		r := runner(t, func(ctx context.Context, job *store.Job) (store.Result, error) {
			mu.Lock()
			threads[unix.Gettid()] = true
			mu.Unlock()
			return f.execute(ctx, job)
		})
		r.Workers = workers
		if _, err := r.Run(t.Context(), plan); err != nil || len(f.order) != 8 {
			t.Fatalf("%d runs: %v", len(f.order), err)
		}
		if len(threads) > workers {
			t.Errorf("%d threads for %d runs at a time", len(threads), workers)
		}
		if n := runtime.GOMAXPROCS(0); n > max(procs, 8+2) {
			t.Errorf("%d threads may run for %d workers", n, workers)
		}
	}
}
