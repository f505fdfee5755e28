package doctor

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// recording is a training whose steps a GPU records and repeats, against one without.
func recording() []check {
	return []check{{"a training that is recorded", 1e-3, func(m *machine) (float64, error) {
		if !m.Device.IsCUDA() {
			return 0, skip("a GPU records steps")
		}
		plain, err := m.weights(false)
		if err != nil {
			return 0, err
		}
		recorded, err := m.weights(true)
		if err != nil {
			return 0, err
		}
		return deviation(recorded, plain)
	}}}
}

// weights are those that a small training comes to. It is an error if steps are to be recorded, and
// are not.
func (m *machine) weights(record bool) (all []float64, err error) {
	torch.Scope(func() {
		run, failed := smallRun(m.Device)
		if failed != nil {
			err = failed
			return
		}
		told := 0
		var refused error
		run.Record = record
		run.OnRecord = func(what string, why error) {
			told++
			if why != nil {
				refused = fmt.Errorf("%s: not recorded: %w", what, why)
			}
		}
		if _, err = run.Train(m.ctx); err != nil {
			return
		}
		if err = refused; err == nil && record && told == 0 {
			err = fmt.Errorf("nothing was recorded in %d steps", workEpochs*workBatches)
		}
		for _, p := range run.Model.Parameters() {
			all = append(all, values(p.Tensor)...)
		}
	})
	return all, err
}
