package command

import (
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// What doctor has a GPU compute is right on the CPU, and on every GPU there is.
func TestExercise(t *testing.T) {
	torchtest.NoLeak(t, func() {
		devices := []torch.Device{torch.CPU}
		for i := range torch.CUDADevices() {
			devices = append(devices, torch.CUDA(i))
		}
		for _, d := range devices {
			if err := exercise(d); err != nil {
				t.Errorf("%v: %v", d, err)
			}
		}
	})
}
