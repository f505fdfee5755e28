// Clothing1m is rows 4 to 6 of the paper's Table 3, or its row 7, or row 8, which starts
// from the network of row 6. make clothing1m runs all of them.
//
// Nothing is measured yet: it has run on small generated files only.
//
//	go run ./experiments/clothing1m --data DIR weights=resnet50.safetensors
//	go run ./experiments/clothing1m clean weights=resnet50.safetensors
//	go run ./experiments/clothing1m fine-tune weights=runs/clothing1m/ID/checkpoints/best.safetensors
//	go run ./experiments/clothing1m quick      on a few hundred images
package main

import (
	"os"

	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(experiments.Run("clothing1m", os.Args)) }
