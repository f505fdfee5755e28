package selftest

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

// losses are those that the paper compares, with T of asymmetric noise.
func losses() []check {
	const allowed = 1e-4
	after := func(name string, clip float64, make func(t *correction.Matrix, o correction.LossOptions) (correction.Loss, error)) check {
		return lossCheck(name, allowed, func(t *correction.Matrix, on torch.Options) (correction.Loss, error) {
			return make(t, correction.LossOptions{Clip: clip, Options: on})
		})
	}
	plain := func(name string, make func(classes int, o correction.LossOptions) correction.Loss) check {
		return after(name, 1e-7, func(t *correction.Matrix, o correction.LossOptions) (correction.Loss, error) {
			return make(t.Dim(), o), nil
		})
	}
	margin := func(name string, symmetric bool, make func(classes int, o correction.MarginOptions) correction.Loss) check {
		return lossCheck(name, allowed, func(t *correction.Matrix, on torch.Options) (correction.Loss, error) {
			return make(t.Dim(), correction.MarginOptions{Symmetric: symmetric, Options: on}), nil
		})
	}
	forward := func(t *correction.Matrix, o correction.LossOptions) (correction.Loss, error) {
		return correction.NewForward(t, o), nil
	}
	return []check{
		plain("cross-entropy", correction.NewCrossEntropy),
		after("forward", 0, forward), after("forward, clipped", 1e-7, forward),
		after("backward", 1e-7, correction.NewBackward),
		plain("bootstrap-soft", correction.NewBootstrapSoft), plain("bootstrap-hard", correction.NewBootstrapHard), plain("savage", correction.NewSavage),
		margin("savage-logits", false, correction.NewSavageLogits),
		margin("unhinged", false, correction.NewUnhinged), margin("unhinged-symmetric", true, correction.NewUnhinged),
		margin("sigmoid", false, correction.NewSigmoid), margin("sigmoid-symmetric", true, correction.NewSigmoid),
	}
}

func lossCheck(name string, allowed float64, make func(t *correction.Matrix, on torch.Options) (correction.Loss, error)) check {
	return check{name, allowed, func(m *machine) (float64, error) {
		t, err := correction.Asymmetric([]string{"a", "b", "c", "d"}, .4, []correction.Flip{{From: "a", To: "b"}, {From: "c", To: "d"}})
		if err != nil {
			return 0, err
		}
		d := newDraws()
		logits, labels := d.normal(128, 4), d.integers(4, 128)
		on := func(o torch.Options) ([][]float64, error) {
			loss, err := make(t, o)
			if err != nil {
				return nil, err
			}
			z := logits.Detach().To(o).SetRequiresGrad(true)
			value := loss.Apply(z, labels.ToDevice(o.Device))
			value.Backward()
			return [][]float64{values(z.Grad()), {value.Item()}}, nil
		}
		got, err := on(torch.Options{Device: m.Device})
		if err != nil {
			return 0, err
		}
		want, err := on(torch.Options{DType: torch.Float64})
		if err != nil {
			return 0, err
		}
		return worst(got, want)
	}}
}
