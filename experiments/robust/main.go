// Robust compares the paper's ten losses with later ones on MNIST, on IMDB with word vectors and on a part of
// CIFAR-10, with the same network, epochs and noise for all. It also compares forward with T-hat from every
// estimator.
//
// On MNIST at asymmetric .6, selected epoch, five seeds: forward with T-hat 97.6 ± 0.1, gold
// 97.6 ± 0.2, the best loss without T, sigmoid, 77.8 ± 0.5 (results/robust/README.md).
//
//	go run ./experiments/robust        all runs of robust.yaml
//	go run ./experiments/robust mnist  one of its parts
//	go run ./experiments/robust quick  scaled down, to show that all parts run
package main

import (
	"os"

	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(experiments.Run("robust", os.Args)) }
