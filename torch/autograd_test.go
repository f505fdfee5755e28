package torch_test

import (
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func leaf(values ...float64) tensor { return torchtest.FromSlice(values).SetRequiresGrad(true) }

func TestBackwardGathers(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := leaf(1, 2, 3)
	expect.Same(t, false, x.Grad().Defined(), "a gradient before any backward")
	x.Square().Sum().Backward()
	x.MulScalar(10).Sum().Backward()
	torchtest.Close(t, "gathered", x.Grad(), []float64{12, 14, 16}, 0)
	torch.ZeroGrad([]tensor{x})
	expect.Same(t, false, x.Grad().Defined(), "a gradient after ZeroGrad")
}

func TestGradLeavesGradAlone(t *testing.T) {
	defer torchtest.Scoped(t)()
	x, unused := leaf(1, 2), leaf(5)
	g := torch.Grad(x.Exp().Sum(), []tensor{x, unused}, false)
	torchtest.Close(t, "gradient", g[0], torch.Slice[float64](x.Exp()), 1e-15)
	torchtest.Close(t, "of what the output does not depend on", g[1], []float64{0}, 0)
	if x.Grad().Defined() || g[0].RequiresGrad() {
		t.Error("Grad touched the leaf's gradient, or recorded its own")
	}
}

// The Hessian of x0^2 x1 + 3 z, by hand.
func TestHessian(t *testing.T) {
	defer torchtest.Scoped(t)()
	x, z := leaf(2, 5), leaf(7)
	f := x.Select(0, 0).Square().Mul(x.Select(0, 1)).Add(z.MulScalar(3).Sum())
	h := torch.Hessian(f, []tensor{x, z})
	expect.Same(t, []int{3, 3}, h.Shape(), "shape")
	torchtest.Close(t, "Hessian", h, []float64{10, 4, 0, 4, 0, 0, 0, 0, 0}, 1e-14)
}

// SetGrad refuses gradients that libtorch would not check, and the old gradient stays.
func TestSetGradRefuses(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := leaf(1, 2)
	x.SetGrad(torchtest.FromSlice([]float64{3, 4}))
	for _, c := range []struct {
		grad tensor
		kind torch.Kind
	}{
		{torch.Ones(f64, 3), torch.Shape},
		{torch.Ones(f64, 2, 1), torch.Shape},
		{torch.Ones(f64, 1), torch.Shape},
		{torch.Ones(f32, 2), torch.DTypeMismatch},
		{torch.Ones(torch.Options{DType: torch.Int64, Device: device}, 2), torch.DTypeMismatch},
		{x, torch.Value},
	} {
		if e := torchtest.Raises(t, c.kind, func() { x.SetGrad(c.grad) }); e.Op != "set_grad" || len(e.Args) != 2 {
			t.Errorf("%v: operation %q, operands %v", e, e.Op, e.Args)
		}
		torchtest.Close(t, "gradient after a refusal", x.Grad(), []float64{3, 4}, 0)
	}
	x.SetGrad(tensor{})
	expect.Same(t, false, x.Grad().Defined(), "a gradient after it was removed")
}
