package grid_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/store"
)

// MaxFailures is the number of failed runs after which no more are started.
func TestMaxFailures(t *testing.T) {
	runs := configtest.Load(t, "dataset: mnist\nepochs: 1\ngrid: {seed: [1, 2, 3, 4, 5, 6]}\n")
	for limit, want := range map[int]int{0: 6, 1: 1, 2: 2, 5: 5, 6: 6, 7: 6} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			var done atomic.Int64
			r := grid.Runner{Root: t.TempDir(), Workers: 1, MaxFailures: limit, Execute: func(context.Context, *store.Job) (store.Result, error) {
				done.Add(1)
				return store.Result{}, errors.New("a bad day")
			}}
			_, err := r.Run(t.Context(), store.NewPlan(runs))
			var failed *grid.FailedError
			if !errors.As(err, &failed) || int(done.Load()) != want || len(failed.Failed) != want || failed.Left != 6-want {
				t.Errorf("%d runs were started, %v; want %d", done.Load(), err, want)
			}
		})
	}
}
