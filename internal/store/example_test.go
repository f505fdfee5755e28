package store_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

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
	configs, err := config.Load(yaml)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := store.Freeze(store.NewPlan(configs), "0.1.0", nil, nil)
	if _, err := plan.Save(dir, false); err != nil {
		fmt.Println(err)
		return
	}
	again, err := store.LoadPlan(dir) // refuses an edited plan
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
