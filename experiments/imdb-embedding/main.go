// Imdb-embedding is the IMDB block of the paper's Table 2 with word vectors.
//
// Measured at asymmetric .4, selected epoch, 5 seeds, in results/imdb-embedding.csv:
// cross-entropy 58.0 ± 0.6, backward 83.6 ± 0.2, forward 81.4 ± 0.8, forward-estimated 75.9 ± 0.8.
//
//	go run ./experiments/imdb-embedding        all runs of imdb-embedding.yaml
//	go run ./experiments/imdb-embedding quick  scaled down, to show the effect
package main

import (
	"os"

	"github.com/losscorr/losscorr/experiments"
)

func main() { os.Exit(experiments.Run("imdb-embedding", os.Args)) }
