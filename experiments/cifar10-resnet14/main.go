// Cifar10-resnet14 is the CIFAR-10 block of the paper's Table 2 with a ResNet of depth 14.
//
// Measured scaled down (quick), 1 seed, at asymmetric .6, in results/README.md:
// cross-entropy 49.4, forward 59.6, on the JPEG copy of the images.
//
//	go run ./experiments/cifar10-resnet14        all runs of cifar10-resnet14.yaml
//	go run ./experiments/cifar10-resnet14 quick  scaled down, to show the effect
package main

import (
	"os"

	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(experiments.Run("cifar10-resnet14", os.Args)) }
