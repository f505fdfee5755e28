package doctor

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
)

// deviation returns the largest |got - want| relative to the largest |want|, or NaN if an
// element of only one of them is NaN or infinite.
func deviation(got, want []float64) (float64, error) {
	if len(got) != len(want) {
		return 0, fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	largest, worst := 0., 0.
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	if largest == 0 {
		largest = 1
	}
	for i, w := range want {
		worst = max(worst, math.Abs(got[i]-w)/largest) // max keeps NaN
	}
	return worst, nil
}

func values(t torch.Tensor) []float64 { return torch.Slice[float64](t.ToDType(torch.Float64)) }

// function is an operation on tensors, differentiated with respect to the ones of type
// float.
type function func(x ...torch.Tensor) torch.Tensor

// outcome returns the value of f on inputs moved to o, and its gradients for an output
// gradient that is the same on every device.
func outcome(f function, inputs []torch.Tensor, o torch.Options) (all [][]float64) {
	torch.Scope(func() {
		var there, learned []torch.Tensor
		for _, x := range inputs {
			if !x.DType().IsFloat() {
				there = append(there, x.ToDevice(o.Device))
				continue
			}
			x = x.Detach().To(o).SetRequiresGrad(true)
			there, learned = append(there, x), append(learned, x)
		}
		y := f(there...)
		weights := torch.Linspace(-1, 2, y.Numel(), torch.Options{}).Reshape(y.Shape()...).To(torch.Options{DType: y.DType(),
			Device: o.Device})
		y.Mul(weights).Sum().Backward()
		all = append(all, values(y))
		for _, x := range learned {
			all = append(all, values(x.Grad()))
		}
	})
	return all
}

// againstCPU returns the largest deviation of f and its gradients in float32 on the device
// from f in float64 on the CPU.
func (m *machine) againstCPU(f function, inputs ...torch.Tensor) (float64, error) {
	got := outcome(f, inputs, torch.Options{DType: torch.Float32, Device: m.Device})
	want := outcome(f, inputs, torch.Options{DType: torch.Float64})
	return worst(got, want)
}

func worst(got, want [][]float64) (float64, error) {
	largest := 0.
	for i := range want {
		d, err := deviation(got[i], want[i])
		if err != nil {
			return 0, err
		}
		largest = max(largest, d)
	}
	return largest, nil
}

// draws draws the inputs of checks as float32 numbers on the CPU, which float64 holds
// exactly.
type draws struct{ g *torch.Generator }

func newDraws() draws { return draws{torch.NewGenerator(1, torch.CPU)} }

func (d draws) normal(shape ...int) torch.Tensor {
	return d.g.Normal(0, 1, torch.Options{}, shape...)
}

func (d draws) integers(below int, shape ...int) torch.Tensor {
	return d.g.Integers(0, below, torch.Options{DType: torch.Int64}, shape...)
}
