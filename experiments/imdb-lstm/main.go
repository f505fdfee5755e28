// Imdb-lstm is the IMDB block of the paper's Table 2 with an LSTM.
//
// Measured scaled down (quick), 1 seed, at asymmetric .4, in results/README.md:
// cross-entropy 53.1, forward 66.7.
//
//	go run ./experiments/imdb-lstm        all runs of imdb-lstm.yaml
//	go run ./experiments/imdb-lstm quick  scaled down, to show the effect
package main

import (
	"os"

	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(experiments.Run("imdb-lstm", os.Args)) }
