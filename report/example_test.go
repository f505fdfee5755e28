package report_test

import (
	"fmt"
	"os"

	"github.com/losscorr/losscorr/report"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/store"
)

func ExampleTables() {
	var results []store.Result
	doc, err := config.FromOverrides("dataset=mnist", "loss=forward", "noise={kind: asymmetric, level: .6}", "seed=[1, 2, 3]")
	if err != nil {
		fmt.Println(err)
	}
	runs, err := doc.Expand()
	if err != nil {
		fmt.Println(err)
	}
	for k, c := range runs {
		r := store.Result{Config: c}
		r.Selected.TestAccuracy = []float64{97.2, 97.3, 97.4}[k]
		r.Last.TestAccuracy = r.Selected.TestAccuracy - 0.2
		results = append(results, r)
	}
	for _, t := range report.Tables(report.FromResults(results...)) {
		if err := t.WriteText(os.Stdout); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation
	//
	//            asymmetric 0.6
	// loss         selected        last  paper  diff
	// forward    97.3 ± 0.1  97.1 ± 0.1   97.3  +0.0
}

func ExampleWelchT() {
	t, df, p := report.WelchT([]float64{97.3, 97.2, 97.4, 97.3, 97.25}, []float64{96.9, 97.0, 96.8, 96.95, 96.9})
	fmt.Printf("t = %.2f, df = %.1f, p = %.1e\n", t, df, p)
	// Output:
	// t = 8.10, df = 8.0, p = 4.0e-05
}
