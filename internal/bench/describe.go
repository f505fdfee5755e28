package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// Describe prints, a line each, the conditions of a measurement: the processor, the
// device if it is a GPU, versions and revision, libtorch's threads, and the environment
// variables that change results or speed.
func Describe(out io.Writer, device torch.Device) error {
	info, err := torch.Describe()
	if err != nil {
		return err
	}
	e := store.NewEnvironment(losscorr.Version, nil)
	fmt.Fprintf(out, "processor   %s, %d cores, %s\n", e.CPU.Model, e.CPU.Cores, info.CPUCapability)
	if device.IsCUDA() {
		fmt.Fprintf(out, "device      %v, %s\n", device, torch.DeviceName(device))
	}
	fmt.Fprintf(out, "losscorr    %s, %s, libtorch %s, 1 thread\n", e.Program, e.Go, info.Version)
	fmt.Fprintf(out, "revision    %v\n", e.Code.Text())
	if len(e.Vars) == 0 {
		fmt.Fprintln(out, "variables   OMP_*, MKL_*, OPENBLAS_*, ATEN_CPU_CAPABILITY are not set")
	}
	for _, name := range slices.Sorted(maps.Keys(e.Vars)) {
		fmt.Fprintf(out, "variable    %s=%s\n", name, e.Vars[name])
	}
	return nil
}
