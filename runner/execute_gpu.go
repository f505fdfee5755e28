package runner

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/losscorr/losscorr/torch"
)

// switchGPU sets how the GPU computes, before its first operation: for the whole process.
// On a CPU nothing changes.
func (e *execution) switchGPU() {
	if e.device.IsCUDA() {
		torch.AllowTF32(e.Config.TF32 == "all", e.Config.TF32 != "off")
		torch.Deterministic(e.Config.Deterministic)
	}
}

// recordGPU has the run's environment say what the GPU is and how it computes; nothing,
// of a run on a CPU.
func (e *execution) recordGPU() error {
	if !e.device.IsCUDA() {
		return nil
	}
	tf32 := e.Config.TF32
	if tf32 == "" {
		tf32 = TF32s[0]
	}
	facts, err := torch.DescribeCUDA()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	major, minor := torch.Capability(e.device)
	return e.Folder.UpdateEnvironment(func(env *Environment) {
		env.GPU = &GPU{
			Name: torch.DeviceName(e.device), Capability: strconv.Itoa(major) + "." + strconv.Itoa(minor),
			Driver: facts.Driver, Runtime: facts.Runtime, TF32: tf32, Deterministic: e.Config.Deterministic,
		}
	})
}

// spoiled says of the error of a run whose it is. After an illegal address, a failed
// assertion or a fault of its memory, CUDA answers everything in this process with an
// error: the run that met it first has failed, and the others on GPUs, which had no part
// in it, could not be done here.
func spoiled(device string, err error) error {
	first := torch.Lost()
	d, _ := torch.ParseDevice(device)
	var failed *torch.Error
	if first == nil || !d.IsCUDA() || errors.Is(err, ErrUnavailable) || !errors.As(err, &failed) || failed == first {
		return err
	}
	return fmt.Errorf("%w: an error in another run has left CUDA unusable in this process: %w", ErrUnavailable, err)
}
