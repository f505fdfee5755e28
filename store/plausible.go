package store

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/training/metrics"
)

// plausible returns an error for values that no run leaves: the file was damaged or
// written by hand.
func (r Result) plausible() error {
	switch {
	case r.State != Done && r.State != Diverged:
		return fmt.Errorf("state %q is neither %s nor %s", r.State, Done, Diverged)
	case r.State == Done && r.Last.Epoch != r.Config.Epochs:
		return fmt.Errorf("it has %d epochs, its configuration %d", r.Last.Epoch, r.Config.Epochs)
	case r.Last.Epoch < 0 || r.Last.Epoch > r.Config.Epochs:
		return fmt.Errorf("it has %d epochs, its configuration %d at most", r.Last.Epoch, r.Config.Epochs)
	case r.Selected.Epoch < 0 || r.Selected.Epoch > r.Last.Epoch || r.State == Done && r.Selected.Epoch == 0:
		return fmt.Errorf("epoch %d of %d is selected", r.Selected.Epoch, r.Last.Epoch)
	case r.Seconds < 0 || r.Seconds > longestRun:
		return fmt.Errorf("it took %g seconds", r.Seconds)
	}
	for _, e := range []metrics.Epoch{r.Selected, r.Last} {
		for _, accuracy := range []float64{e.ValAccuracy, e.TestAccuracy} {
			if accuracy < 0 || accuracy > 100 { // NaN where there is no such set
				return fmt.Errorf("an accuracy of %g %%", accuracy)
			}
		}
	}
	if a := r.CleanAccuracy; a != nil {
		for _, v := range []float64{a.Estimate, a.Low, a.High} {
			if v < 0 || v > 100 {
				return fmt.Errorf("an estimated accuracy of %g %%", v)
			}
		}
	}
	if r.Transition == nil {
		return nil
	}
	for _, m := range []struct {
		name string
		rows [][]float64
	}{{"nominal", r.Transition.Nominal}, {"realised", r.Transition.Realised}, {"estimated", r.Transition.Estimated}, {"learned", r.Transition.Learned}} {
		for i, row := range m.rows {
			if len(row) != len(m.rows) {
				return fmt.Errorf("the %s T has %d rows, and row %d has %d entries", m.name, len(m.rows), i+1, len(row))
			}
			for _, p := range row {
				if math.IsNaN(p) || p < -1e-6 || p > 1+1e-6 {
					return fmt.Errorf("the %s T has an entry of %g", m.name, p)
				}
			}
		}
	}
	return nil
}

// longestRun is a hundred years, in seconds.
const longestRun = 100 * 366 * 24 * 3600
