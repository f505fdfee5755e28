// Mnist is the MNIST block of the paper's Table 2: a fully connected network.
//
//	go run ./experiments/mnist        all runs of mnist.yaml
//	go run ./experiments/mnist quick  scaled down, to show the effect
package main

import (
	"os"

	"github.com/losscorr/losscorr/command"
	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(command.Experiment("mnist", experiments.Files, os.Args)) }
