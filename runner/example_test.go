package runner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/runner"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "small.yaml")
	text := "dataset: mnist\ngrid:\n  loss: [cross-entropy, forward]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	runs, err := runner.Load(file, "noise={kind: asymmetric, level: .6}", "seed=[1,2]")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range runs {
		fmt.Println(c.Name())
	}
	// Output:
	// mnist asymmetric .6 cross-entropy seed 1
	// mnist asymmetric .6 cross-entropy seed 2
	// mnist asymmetric .6 forward seed 1
	// mnist asymmetric .6 forward seed 2
}

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
	configs, err := runner.Load(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	pretend := func(_ context.Context, job *runner.Job) (runner.Result, error) {
		last := runner.Epoch{Epoch: job.Config.Epochs, TestAccuracy: 97.3}
		return runner.Result{Selected: last, Last: last}, nil
	}
	r := runner.Runner{Root: dir, Workers: 1, Execute: pretend}
	outcomes, err := r.Run(context.Background(), runner.NewPlan(configs))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range outcomes {
		fmt.Println(o.Config.Loss, o.State, o.Result.Last.TestAccuracy, "added:", o.Added)
	}
	// Output:
	// cross-entropy done 97.3 added: true
	// forward-estimated done 97.3 added: false
}

func ExampleSuggest() {
	fmt.Println("unknown loss foward" + runner.Suggest("foward", runner.Losses))
	// Output: unknown loss foward, did you mean "forward"?
}

func ExampleFreeze() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	yaml := filepath.Join(dir, "estimated.yaml")
	text := "dataset: mnist\ngrid: {loss: [forward-estimated, backward-estimated]}\n"
	if err := os.WriteFile(yaml, []byte(text), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	configs, err := runner.Load(yaml)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := runner.Freeze(runner.NewPlan(configs), "0.1.0", nil, nil)
	if _, err := plan.Save(dir, false); err != nil {
		fmt.Println(err)
		return
	}
	again, err := runner.LoadPlan(dir) // refuses one that was edited
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range again.Runs {
		fmt.Println(r.Index, r.Name)
	}
	// Output:
	// 0 mnist no noise cross-entropy seed 1
	// 1 mnist no noise forward-estimated seed 1
	// 2 mnist no noise backward-estimated seed 1
}
