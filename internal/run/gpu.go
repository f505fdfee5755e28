package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// gpuMode is how GPUs compute.
type gpuMode struct {
	tf32          string // cudnn, all or off
	deterministic bool
}

// gpuModeOf returns a run's mode; an empty tf32 means the default.
func gpuModeOf(c config.Config) gpuMode {
	return gpuMode{cmp.Or(c.TF32, config.CuDNN), c.Deterministic}
}

// setMode makes GPUs compute in a run's mode, before its first operation. libtorch has one mode per process. It does
// nothing for a run on a CPU.
func (p *Pipeline) setMode(c config.Config) {
	if !onGPU(c) {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	mode := gpuModeOf(c)
	torch.AllowTF32(mode.tf32 == config.TF32All, mode.tf32 != config.TF32Off)
	torch.Deterministic(mode.deterministic)
}

func onGPU(c config.Config) bool { return strings.HasPrefix(c.Device, "cuda") }

// oneMode returns an error if runs that one process may execute at the same time need different modes of a GPU.
func oneMode(configs []config.Config) error {
	first := slices.IndexFunc(configs, onGPU)
	for _, c := range configs {
		if onGPU(c) && gpuModeOf(c) != gpuModeOf(configs[first]) {
			return config.NewError(config.Problem{Key: "tf32", Text: "tf32 and deterministic must be the same for all runs " +
				"on a GPU: plan the others as another grid"})
		}
	}
	return nil
}

// recordOf returns the setting record, which is off for deterministic runs: they are compared bit for bit, which is
// simplest with steps launched one by one.
func recordOf(c config.Config) string {
	if c.Deterministic {
		return config.RecordOff
	}
	return cmp.Or(c.Record, config.RecordAuto)
}

// describeGPU describes the run's GPU and its mode, nil on a CPU.
func describeGPU(c config.Config, device torch.Device) (*store.GPU, error) {
	if !device.IsCUDA() {
		return nil, nil
	}
	facts, err := torch.DescribeCUDA()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	mode := gpuModeOf(c)
	return &store.GPU{Name: torch.DeviceName(device), Driver: facts.Driver, Runtime: facts.Runtime, TF32: mode.tf32,
		Deterministic: mode.deterministic, Record: recordOf(c)}, nil
}

// unavailable distinguishes a run that caused an error from runs that suffer from it. After an illegal address, a
// failed assertion or a memory fault, every CUDA call of the process fails. The run that hit it first has failed; for
// other runs on GPUs the error becomes ErrUnavailable.
func unavailable(device string, err error) error {
	first := torch.Lost()
	d, _ := torch.ParseDevice(device)
	var failed *torch.Error
	if first == nil || !d.IsCUDA() || errors.Is(err, store.ErrUnavailable) || !errors.As(err, &failed) || failed == first {
		return err
	}
	return fmt.Errorf("%w: an error in another run has left CUDA unusable in this process: %w", store.ErrUnavailable, err)
}
