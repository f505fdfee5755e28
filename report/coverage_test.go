package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/report/reporttest"
	"github.com/losscorr/losscorr/results/paper"

	"github.com/losscorr/losscorr/store"
)

// A block that is whole, one in part with too few seeds, one of quick runs.
func TestWriteCoverage(t *testing.T) {
	var results []store.Result
	for _, c := range paper.Table2() {
		for seed := range uint64(c.Runs) {
			r := reporttest.Result(c.Loss, c.Noise, c.Level, seed, c.Accuracy, c.Accuracy)
			r.Config.Dataset, r.Config.Model = c.Dataset, c.Model
			switch {
			case c.Dataset == "mnist":
			case c.Model == "embedding" && c.Noise == "asymmetric" && c.Loss != "savage" && seed < 4:
			case c.Model == "resnet14" && c.Loss == "forward":
				r.Config.Quick = true
			default:
				continue
			}
			results = append(results, r)
		}
	}
	var b strings.Builder
	if err := CoverageSheet(Tables(FromResults(results...))).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `Table 2 of the paper: 58 of 240 cells

block                 cells                                                     make the rest with
mnist              40 of 40  preset code
imdb-embedding     18 of 40  preset code, 18 with fewer seeds than the paper's  make imdb-embedding
imdb-lstm           0 of 40                                                     make imdb-lstm
cifar10-resnet14    0 of 40  4 quick, which are no figures                      make cifar10-resnet14
cifar10-resnet32    0 of 40                                                     make cifar10-resnet32
cifar100-resnet44   0 of 40                                                     make cifar100-resnet44

missing from imdb-embedding: column "no noise"
missing from imdb-embedding: column "symmetric 0.1"
missing from imdb-embedding, column "asymmetric 0.1": savage
missing from imdb-embedding, column "asymmetric 0.4": savage
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
}
