// Cifar100-resnet44 is the CIFAR-100 block of the paper's Table 2 with a ResNet of depth 44.
//
// Nothing is measured yet: it has run on small generated files only.
//
//	go run ./experiments/cifar100-resnet44        all runs of cifar100-resnet44.yaml
//	go run ./experiments/cifar100-resnet44 quick  scaled down: shows that all parts run, not the effect
package main

import (
	"os"

	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(experiments.Run("cifar100-resnet44", os.Args)) }
