package doctor

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// examineMachine opens libtorch and times one product.
func examineMachine() (Machine, error) {
	info, err := torch.Describe()
	if err != nil {
		return Machine{}, err
	}
	// CUDA first: describing libtorch's build, or any operation, would initialise it too early.
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

// productSpeed returns the speed of the fastest of a few products of 768 by 768, in
// GFLOP/s on one thread.
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

// GPU describes a GPU and whether it works.
type GPU struct {
	Device     string `json:"device"`
	Name       string `json:"name"`
	Capability string `json:"capability"`        // compute capability, such as 9.0
	Memory     int64  `json:"memory"`            // bytes
	Problem    string `json:"problem,omitempty"` // what does not work
}

// examineGPU describes a GPU and makes three quick checks on it.
func examineGPU(d torch.Device) GPU {
	gpu := GPU{Device: d.String()}
	err := torch.Try(func() error {
		major, minor := torch.Capability(d)
		gpu.Name, gpu.Capability = torch.DeviceName(d), fmt.Sprintf("%d.%d", major, minor)
		gpu.Memory = torch.DeviceMemory(d).Total
		return torch.CheckDevice(d)
	})
	if err == nil {
		err = quickly(d)
	}
	if err != nil {
		gpu.Problem = err.Error()
	}
	return gpu
}

// quickly checks a product, a convolution and draws on a device.
func quickly(d torch.Device) (err error) {
	exactly(func() {
		for _, c := range operations() {
			if !slices.Contains([]string{"matrix product", "convolution 3x3", "draws"}, c.name) {
				continue
			}
			if r := c.on(d, "operations"); r.Verdict == Failed {
				err = errors.Join(err, fmt.Errorf("%s: %s", c.name, r.Detail))
			}
		}
	})
	return err
}
