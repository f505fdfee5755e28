package report

import (
	"testing"

	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/results/paper"

	"github.com/losscorr/losscorr/internal/store"
)

// A block that is whole, one in part with too few seeds, one of quick runs, and two in
// other settings than the block's, which do not count.
func TestWriteCoverage(t *testing.T) {
	var results []store.Result
	for _, c := range paper.Table2() {
		for seed := range uint64(c.Runs) {
			r := reporttest.ResultOf(c.Dataset, c.Model, c.Loss, c.Noise, c.Level, seed, c.Accuracy, c.Accuracy)
			if c.Model == "embedding" {
				r.Config.DropoutUnits = "words" // of the block
			}
			switch {
			case c.Dataset == "mnist":
			case c.Model == "embedding" && c.Noise == "asymmetric" && c.Loss != "savage" && seed < 4:
			case c.Model == "resnet14" && c.Loss == "forward":
				r.Config.Quick = true
			case c.Model == "lstm" && c.Noise == "none":
				r.Config.Epochs, r.Config.Examples.Train = 3, 6000
			case c.Model == "resnet32" && c.Loss == "forward-estimated":
				r.Config.Estimator.Name, r.Config.Estimator.Quantile = "argmax", 0
			default:
				continue
			}
			results = append(results, r)
		}
	}
	want := `Table 2 of the paper: 58 of 240 cells

block                 cells                                                                              make the rest with
mnist              40 of 40  preset code
imdb-embedding     18 of 40  preset code with dropout_units words, 18 with fewer seeds than the paper's  make imdb-embedding
imdb-lstm           0 of 40                                                                              make imdb-lstm
cifar10-resnet14    0 of 40  4 quick: do not quote                                                       make cifar10-resnet14
cifar10-resnet32    0 of 40                                                                              make cifar10-resnet32
cifar100-resnet44   0 of 40                                                                              make cifar100-resnet44

missing from imdb-embedding: column "no noise"
missing from imdb-embedding: column "symmetric 0.1"
missing from imdb-embedding, column "asymmetric 0.1": savage
missing from imdb-embedding, column "asymmetric 0.4": savage
not counted, in other settings, of imdb-lstm: 10 with preset code, 3 epochs in place of 50, 6000 training examples
not counted, in other settings, of cifar10-resnet32: forward-estimated (argmax)
`
	reporttest.Same(t, "coverage", want, reporttest.Written(t, CoverageSheet(Tables(FromResults(results...))).WriteText))
}
