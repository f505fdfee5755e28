// Robust compares the paper's ten losses with those that came after it, on MNIST and IMDB
// with word vectors: the same network, epochs and noise for all. It also compares forward
// with T-hat by every estimator.
//
// Nothing is measured yet: make robust makes results/robust-mnist.csv, robust-imdb.csv and
// robust-estimators.csv.
//
//	go run ./experiments/robust        all runs of robust.yaml
//	go run ./experiments/robust mnist  one of its parts
//	go run ./experiments/robust quick  scaled down, to show that all parts run
package main

import (
	"os"

	"github.com/losscorr/losscorr/command"
	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(command.Experiment("robust", experiments.Files, os.Args)) }
