package estimators

import (
	"fmt"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
)

// A warning about many classes names the worst ones, the worst first.
func TestWarningsNameTheWorstClasses(t *testing.T) {
	var classes []string
	var far, near [][]float64
	for i := range 40 {
		classes = append(classes, fmt.Sprint("c", i))
		far, near = append(far, make([]float64, 40)), append(near, make([]float64, 40))
		wrong := .1 + float64(i)/100 // of c0 the smallest share
		far[i][i], far[i][(i+1)%40], near[i][i] = 1-wrong, wrong, 1
	}
	e := Estimation{T: correction.Normalized(classes, far)}
	e.compare("a", "b", correction.Normalized(classes, near))
	if len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "differ for c39 (by 49 % of its labels), c38 (by 48 % ") || !strings.Contains(e.Warnings[0], " c30 (by 40 % of its labels) and 30 more: ") {
		t.Errorf("warnings %q", e.Warnings)
	}
}
