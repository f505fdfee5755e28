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
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		worst = max(worst, math.Abs(got[i]-w)) // max keeps NaN
	}
	if largest == 0 {
		return worst, nil
	}
	return worst / largest, nil
}

func values(t torch.Tensor) []float64 { return torch.Slice[float64](t.ToDType(torch.Float64)) }

// against returns the largest deviation of what f returns in float32 on a device from what it
// returns in float64 on the CPU.
func against(d torch.Device, f func(o torch.Options) ([][]float64, error)) (float64, error) {
	got, err := f(torch.Options{Device: d})
	if err != nil {
		return 0, err
	}
	want, err := f(torch.Options{DType: torch.Float64})
	if err != nil {
		return 0, err
	}
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

// function is an operation on tensors, differentiated with respect to the ones of type
// float.
type function func(x ...torch.Tensor) torch.Tensor

// outcome returns the value of f on inputs moved to o, and its gradients for an output
// gradient that is the same on every device.
func outcome(f function, inputs []torch.Tensor, o torch.Options) (all [][]float64, err error) {
	torch.Scope(func() {
		var there, learned []torch.Tensor
		for _, x := range inputs {
			if x.DType().IsFloat() {
				x = x.Detach().To(o).SetRequiresGrad(true)
				learned = append(learned, x)
			} else {
				x = x.ToDevice(o.Device)
			}
			there = append(there, x)
		}
		y := f(there...)
		weights := torch.Linspace(-1, 2, y.Numel(), torch.Options{}).Reshape(y.Shape()...)
		y.Mul(weights.To(y.Options())).Sum().Backward()
		all = append(all, values(y))
		for _, x := range learned {
			all = append(all, values(x.Grad()))
		}
	})
	return all, nil
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
