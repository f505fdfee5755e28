// Robust compares the paper's ten losses with those that came after it, on MNIST and IMDB
// with word vectors: the same network, epochs and noise for all.
//
// Nothing is measured yet: make robust makes results/robust-mnist.csv and
// results/robust-imdb.csv.
//
//	go run ./experiments/robust        all runs of robust.yaml
//	go run ./experiments/robust mnist  one data set
//	go run ./experiments/robust quick  scaled down, to show that all parts run
package main

import (
	"os"

	"github.com/losscorr/losscorr/command"
	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(command.Experiment("robust", experiments.Files, os.Args)) }
