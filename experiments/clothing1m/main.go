// Clothing1m is the paper's Table 3: rows 4 to 6, row 7, and row 8, which starts
// from the network of row 6.
//
// Nothing is measured yet: it has run on small generated files only.
//
//	go run ./experiments/clothing1m --data DIR weights=resnet50.safetensors
//	go run ./experiments/clothing1m clean      only row 7
//	go run ./experiments/clothing1m quick      all of it on a few hundred images
package main

import (
	"github.com/losscorr/losscorr"
	"os"

	"github.com/losscorr/losscorr/internal/command"
)

func main() {
	os.Exit(command.Experiment("clothing1m", losscorr.Experiments(), os.Args,
		command.Stage{After: "clothing1m", Config: "clean"},
		command.Stage{After: "clothing1m", Config: "fine-tune", Loss: "forward"},
		command.Stage{After: "quick", Config: "quick-clean"},
		command.Stage{After: "quick", Config: "quick-fine-tune", Loss: "forward"},
	))
}
