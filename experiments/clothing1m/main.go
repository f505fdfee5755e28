// Clothing1m is the paper's Table 3: rows 4 to 6, row 7, and row 8, which continues
// from the network of row 6.
//
// Nothing is measured yet: it has run on small generated files only.
//
//	go run ./experiments/clothing1m --data DIR weights=resnet50.safetensors
//	go run ./experiments/clothing1m clean      row 7 alone
//	go run ./experiments/clothing1m quick      all of it on a few hundred images
package main

import (
	"os"

	"github.com/losscorr/losscorr/command"
	"github.com/losscorr/losscorr/experiments"
)

func main() {
	os.Exit(command.Experiment("clothing1m", experiments.Files, os.Args,
		command.Stage{Config: "clean"},
		command.Stage{Config: "fine-tune", From: "clothing1m", Loss: "forward"},
		command.Stage{After: "quick", Config: "quick-clean"},
		command.Stage{After: "quick", Config: "quick-fine-tune", From: "quick", Loss: "forward"},
	))
}
