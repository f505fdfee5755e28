// Mnist is the MNIST block of the paper's Table 2: a fully connected network
// under symmetric and asymmetric label noise.
//
//	go run ./experiments/mnist        all runs of mnist.yaml
//	go run ./experiments/mnist demo   one noise, one seed, three losses
package main

import (
	"embed"
	"os"

	"github.com/losscorr/losscorr/command"
)

//go:embed *.yaml
var files embed.FS

func main() { os.Exit(command.Experiment("mnist", files, os.Args)) }
