package command

import (
	"fmt"
	"regexp"
	"runtime"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// examineMachine opens libtorch and times one product.
func examineMachine() (Machine, error) {
	info, err := torch.Describe()
	if err != nil {
		return Machine{}, err
	}
	// CUDA first: libtorch's account of its build, and any operation, would come too early.
	m := Machine{
		Version: info.Version, Threads: info.Threads, Cores: runtime.NumCPU(), Capability: info.CPUCapability,
		Devices: []string{"cpu"},
	}
	if err := torch.CheckDevice(torch.CUDA(0)); err != nil {
		m.WhyNot = err.Error()
	} else {
		m.CUDA = true
	}
	if facts, err := torch.DescribeCUDA(); err == nil {
		m.CUDAInfo = &facts
		for i := range torch.CUDADevices() {
			gpu := examineGPU(torch.CUDA(i))
			m.GPUs = append(m.GPUs, gpu)
			m.Devices = append(m.Devices, fmt.Sprintf("%s (%s)", gpu.Device, gpu.Name))
		}
	}
	m.BLAS = blas(torch.BuildConfig())
	m.GFLOPS = productSpeed()
	return m, nil
}

var blasLine = regexp.MustCompile(`(?m)BLAS_INFO=(\w+)`)

func blas(build string) string {
	if m := blasLine.FindStringSubmatch(build); m != nil {
		return m[1]
	}
	return "unknown BLAS"
}

// productSpeed is the best of a few products of 768 by 768, in GFLOP/s on one
// thread.
func productSpeed() float64 {
	const n, tries = 768, 5
	defer torch.SetThreads(torch.Threads())
	torch.SetThreads(1)
	best := 0.0
	torch.Scope(func() {
		a := torch.NewGenerator(1, torch.CPU).Uniform(-1, 1, torch.Options{}, n, n)
		for range tries {
			begun := time.Now()
			a.Mm(a)
			best = max(best, 2*n*n*n/time.Since(begun).Seconds()/1e9)
		}
	})
	return best
}
