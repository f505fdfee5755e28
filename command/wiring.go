package command

import (
	"fmt"

	"github.com/losscorr/losscorr/cluster/slurm"
	"github.com/losscorr/losscorr/pipeline"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
)

// Default is the program that Main and Experiment run.
var Default = newDefault()

func newDefault() Program {
	runs := &pipeline.Pipeline{}
	return Program{
		Execute: runs.Execute, Preflight: runs.Preflight, Forecast: runs.Forecast,
		Machine: examineMachine, Check: check, Devices: devices, Finish: finish, Requeue: slurm.Requeue,
	}
}

// devices names every GPU that this process sees.
func devices() []string {
	names := make([]string, torch.CUDADevices())
	for i := range names {
		names[i] = torch.CUDA(i).String()
	}
	return names
}

// check opens libtorch and the device, and returns what env.json tells of them.
func check(device string) (map[string]string, error) {
	d, err := torch.ParseDevice(device)
	if err != nil {
		return nil, usage("losscorr", "%v", err)
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
