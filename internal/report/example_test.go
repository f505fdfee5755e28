package report_test

import (
	"fmt"
	"os"

	"github.com/losscorr/losscorr/internal/report"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

func ExampleBlocks() {
	var results []store.Result
	c, err := config.Config{Dataset: "mnist"}.Defaults()
	if err != nil {
		fmt.Println(err)
	}
	c.Loss, c.Noise = "forward", config.Noise{Kind: "asymmetric", Level: .6}
	for k, accuracy := range []float64{97.2, 97.3, 97.4} {
		c.Seed = uint64(k + 1)
		r := store.Result{Config: c}
		r.Selected.TestAccuracy = accuracy
		r.Last.TestAccuracy = r.Selected.TestAccuracy - 0.2
		results = append(results, r)
	}
	for _, b := range report.Blocks(report.Cells(report.FromResults(results...))) {
		if err := b.Table().WriteText(os.Stdout); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation
	//
	//            asymmetric 0.6
	// loss         selected        last  paper     diff
	// forward    97.3 ± 0.1  97.1 ± 0.1   97.3 b*  +0.0
	//
	// b  best or tied (Welch's test, p ≥ .05 for each pair, as in the paper) without the true T
	// *  with the true T, and better
}
