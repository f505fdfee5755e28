package grid_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

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
	file := filepath.Join(dir, "small.yaml")
	if err := os.WriteFile(file, []byte("dataset: mnist\nloss: forward-estimated\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	configs, err := config.Load(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	pretend := func(_ context.Context, job *store.Job) (store.Result, error) {
		last := metrics.Epoch{Epoch: job.Config.Epochs, TestAccuracy: 97.3}
		return store.Result{Selected: last, Last: last}, nil
	}
	r := grid.Runner{Root: dir, Workers: 1, Execute: pretend}
	outcomes, err := r.Run(context.Background(), store.NewPlan(configs))
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
