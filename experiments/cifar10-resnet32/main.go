// Cifar10-resnet32 is the CIFAR-10 block of the paper's Table 2 with a ResNet of depth 32.
//
// Measured scaled down (quick), 1 seed, at asymmetric .6, in results/README.md:
// cross-entropy 41.9, forward 54.4, on the JPEG copy of the images.
//
//	go run ./experiments/cifar10-resnet32        all runs of cifar10-resnet32.yaml
//	go run ./experiments/cifar10-resnet32 quick  scaled down, to show the effect
package main

import (
	"os"

	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(experiments.Run("cifar10-resnet32", os.Args)) }
