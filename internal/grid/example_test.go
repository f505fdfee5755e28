package grid_test

import (
	"context"
	"fmt"
	"os"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

func ExampleRunner_Run() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c, err := config.Config{Dataset: "mnist"}.Defaults()
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Loss, c.Seed = "forward-estimated", 1
	pretend := func(_ context.Context, job *store.Job) (store.Result, error) {
		last := metrics.Epoch{Epoch: job.Config.Epochs, TestAccuracy: 97.3}
		return store.Result{Selected: last, Last: last}, nil
	}
	r := grid.Runner{Root: dir, Workers: 1, Execute: pretend}
	outcomes, err := r.Run(context.Background(), store.NewPlan([]config.Config{c}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range outcomes {
		fmt.Println(o.Config.Loss, o.State, o.Result.Last.TestAccuracy, "added:", o.Implied)
	}
	// Output:
	// cross-entropy done 97.3 added: true
	// forward-estimated done 97.3 added: false
}
