// Imdb-embedding is the IMDB block of the paper's Table 2 with word vectors.
//
//	go run ./experiments/imdb-embedding        all runs of imdb-embedding.yaml
//	go run ./experiments/imdb-embedding quick  scaled down, to show the effect
package main

import (
	"os"

	"github.com/losscorr/losscorr/command"
	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(command.Experiment("imdb-embedding", experiments.Files, os.Args)) }
