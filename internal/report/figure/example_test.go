package figure_test

import (
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/figure"

	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

func ExampleFigure_Element() {
	row := report.Row{Name: "forward", Loss: "forward"}
	runs := [][]metrics.Epoch{{{Epoch: 1, TestAccuracy: 80}, {Epoch: 2, TestAccuracy: 90}}}
	f := figure.LearningCurves(figure.Measures[2], []figure.Curve{{Row: row, Runs: runs}},
		figure.Styles([]report.Row{row}))
	element := string(f.Element("chart", "test accuracy by epoch"))
	fmt.Println(strings.HasPrefix(element, "<svg class=\"chart\""))
	// Output: true
}
