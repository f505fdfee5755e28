package command

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// Default returns the program that Main and Experiment run.
func Default() Program { return Program{Pipeline: new(run.Pipeline), Open: open} }

// open opens libtorch and a device, and names every GPU that this process sees where
// the device is cuda.
func open(device string) (facts map[string]string, gpus []string, err error) {
	if facts, err = checkDevice(device); err == nil && device == "cuda" {
		for i := range torch.CUDADevices() {
			gpus = append(gpus, torch.CUDA(i).String())
		}
	}
	return facts, gpus, err
}

// checkDevice opens libtorch and the device, and returns what env.json holds of them.
func checkDevice(device string) (map[string]string, error) {
	d, err := torch.ParseDevice(device)
	if err != nil {
		return nil, app.Usage("losscorr", "%v", err)
	}
	info, err := torch.Describe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if err := torch.CheckDevice(d); err != nil {
		return nil, fmt.Errorf("%w: %w; train with --device cpu, or see losscorr doctor", store.ErrUnavailable, err)
	}
	facts := map[string]string{"version": info.Version, "cpu_capability": info.CPUCapability, "shim": info.Shim}
	if d.IsCUDA() {
		facts["gpu"] = torch.DeviceName(d)
	}
	return facts, nil
}
