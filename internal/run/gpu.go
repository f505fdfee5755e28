package run

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// gpuMode is how GPUs compute.
type gpuMode struct {
	tf32          string // cudnn, all or off
	deterministic bool
}

// gpuSwitch holds the mode, which libtorch has only once per process.
type gpuSwitch struct {
	mutex sync.Mutex
	ended *sync.Cond // signals the end of a run
	runs  int        // number of active runs, all in mode
	mode  gpuMode
}

var gpus = newGPUSwitch()

func newGPUSwitch() *gpuSwitch {
	s := &gpuSwitch{}
	s.ended = sync.NewCond(&s.mutex)
	return s
}

// hold makes GPUs compute in mode until release is called; set applies a mode. It waits while runs in another mode are
// active, since a grid may compare modes.
func (s *gpuSwitch) hold(mode gpuMode, set func(gpuMode)) (release func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for s.runs > 0 && s.mode != mode {
		s.ended.Wait()
	}
	if s.runs == 0 {
		s.mode = mode
		set(mode)
	}
	s.runs++
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.runs--
		s.ended.Broadcast()
	}
}

// gpuModeOf returns a run's mode; an empty tf32 means the default.
func gpuModeOf(c config.Config) gpuMode {
	return gpuMode{cmp.Or(c.TF32, config.CuDNN), c.Deterministic}
}

// holdGPU sets the GPU's mode, before its first operation, until release is called. It does nothing on a CPU.
func holdGPU(c config.Config) (release func()) {
	if !strings.HasPrefix(c.Device, "cuda") {
		return func() {}
	}
	return gpus.hold(gpuModeOf(c), func(m gpuMode) {
		torch.AllowTF32(m.tf32 == config.TF32All, m.tf32 != config.TF32Off)
		torch.Deterministic(m.deterministic)
	})
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
	major, minor := torch.Capability(device)
	mode := gpuModeOf(c)
	return &store.GPU{
		Name: torch.DeviceName(device), Capability: strconv.Itoa(major) + "." + strconv.Itoa(minor),
		Driver: facts.Driver, Runtime: facts.Runtime, TF32: mode.tf32, Deterministic: mode.deterministic, Record: recordOf(c),
	}, nil
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
