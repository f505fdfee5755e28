package doctor

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every check except those that take seconds passes on the CPU and leaks no tensor.
func TestChecksOnCPU(t *testing.T) {
	torchtest.Open(t)
	for _, g := range groups() {
		for _, c := range g.checks {
			if strings.HasPrefix(c.name, "resnet") {
				continue // losscorr doctor runs them, see TestDoctorSoak of package command
			}
			torchtest.NoLeak(t, func() {
				if r := c.on(torch.CPU, g.name); r.Verdict == Failed {
					t.Errorf("%s: %s: %s", g.name, c.name, r.Detail)
				}
			})
		}
	}
}

// The quick checks for GPUs pass on the CPU and on every available GPU.
func TestQuickChecks(t *testing.T) {
	torchtest.Open(t)
	for _, d := range append([]torch.Device{torch.CPU}, gpus()...) {
		torchtest.NoLeak(t, func() {
			expect.OK(t, quickly(d))
		})
	}
}

func gpus() (all []torch.Device) {
	for i := range torch.CUDADevices() {
		all = append(all, torch.CUDA(i))
	}
	return all
}

// The checks find a wrong operation, a wrong gradient, NaN and a panic of libtorch.
func TestFaultsAreFound(t *testing.T) {
	torchtest.Open(t)
	single := func(x torch.Tensor) bool { return x.DType() == torch.Float32 }
	for name, f := range map[string]function{
		"value": func(x ...torch.Tensor) torch.Tensor { return pick(single(x[0]), x[0].MulScalar(1.001), x[0]) },
		"gradient": func(x ...torch.Tensor) torch.Tensor {
			return pick(single(x[0]), x[0].Detach().Add(x[0].Sum().MulScalar(0)), x[0])
		},
		"NaN":   func(x ...torch.Tensor) torch.Tensor { return pick(single(x[0]), x[0].DivScalar(0).MulScalar(0), x[0]) },
		"error": func(x ...torch.Tensor) torch.Tensor { return x[0].Mm(x[0]) },
	} {
		r := operation(name, 1e-4, f, []int{3, 4}).on(torch.CPU, "operations")
		if r.Verdict != Failed || r.Detail == "" || math.IsNaN(r.Deviation) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func pick(first bool, a, b torch.Tensor) torch.Tensor {
	if first {
		return a
	}
	return b
}

func TestRunEndsWithItsContext(t *testing.T) {
	torchtest.Open(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	report, err := Run(ctx, Options{OnResult: func(Result) { cancel(stop) }})
	if !errors.Is(err, stop) || len(report.Results) != 1 {
		t.Errorf("%d results and error %v, want one and %v", len(report.Results), err, stop)
	}
}
