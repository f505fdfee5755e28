package command

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
)

// GPU is a GPU and whether it computes.
type GPU struct {
	Device     string `json:"device"`
	Name       string `json:"name"`
	Capability string `json:"capability"`        // compute capability, such as 9.0
	Memory     int64  `json:"memory"`            // bytes
	Problem    string `json:"problem,omitempty"` // what does not work
}

// examineGPU asks a GPU what it is and has it compute a little.
func examineGPU(d torch.Device) GPU {
	gpu := GPU{Device: d.String()}
	err := torch.Try(func() error {
		major, minor := torch.Capability(d)
		gpu.Name, gpu.Capability = torch.DeviceName(d), fmt.Sprintf("%d.%d", major, minor)
		gpu.Memory = torch.DeviceMemory(d).Total
		if err := torch.CheckDevice(d); err != nil {
			return err
		}
		return exercise(d)
	})
	if err != nil {
		gpu.Problem = err.Error()
	}
	return gpu
}

// exercise compares a product and a convolution on a device with the same on the CPU in
// float64, and the share of ones in draws with their probability. The tolerance is that
// of TF32, in which a GPU may convolve.
func exercise(d torch.Device) (err error) {
	torch.Scope(func() {
		g := torch.NewGenerator(1, torch.CPU)
		a, b := g.Uniform(-1, 1, torch.Options{}, 64, 48), g.Uniform(-1, 1, torch.Options{}, 48, 32)
		image, kernel := g.Uniform(-1, 1, torch.Options{}, 2, 8, 12, 12), g.Uniform(-1, 1, torch.Options{}, 8, 8, 3, 3)
		product := func(on func(torch.Tensor) torch.Tensor) torch.Tensor { return on(a).Mm(on(b)) }
		convolution := func(on func(torch.Tensor) torch.Tensor) torch.Tensor {
			return on(image).Conv2d(on(kernel), torch.Tensor{}, torch.Window{Padding: 1})
		}
		exact := func(t torch.Tensor) torch.Tensor { return t.ToDType(torch.Float64) }
		there := func(t torch.Tensor) torch.Tensor { return t.ToDevice(d) }
		for _, c := range []struct {
			name string
			f    func(on func(torch.Tensor) torch.Tensor) torch.Tensor
		}{{"a matrix product", product}, {"a convolution", convolution}} {
			got, want := torch.Slice[float64](c.f(there)), torch.Slice[float64](c.f(exact))
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= .03) {
					err = fmt.Errorf("%s gives %v where %v is right", c.name, got[i], want[i])
					return
				}
			}
		}
		const n, p = 100_000, .3
		draws := torch.NewGenerator(1, d).Bernoulli(p, torch.Options{Device: d}, n)
		// Six standard deviations.
		if share := draws.Mean().Item(); !(math.Abs(share-p) <= 6*math.Sqrt(p*(1-p)/n)) {
			err = fmt.Errorf("draws of probability %v are ones in %v of all cases", p, share)
		}
	})
	return err
}
