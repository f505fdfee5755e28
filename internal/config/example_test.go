package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/config"
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
	runs, err := config.Load(file, "noise={kind: asymmetric, level: .6}", "seed=[1,2]")
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

func ExampleSuggest() {
	fmt.Println("unknown loss foward" + config.Suggest("foward", config.Losses()))
	// Output: unknown loss foward, did you mean "forward"?
}
