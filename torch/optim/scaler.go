package optim

import (
	"cmp"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Scaler keeps small gradients of a float16 network from becoming zero: it multiplies the loss by Scale before the
// backward pass and divides the gradients by it before the step. A step with gradients that are not finite is skipped
// and halves Scale; Interval finite steps in a row double it (Micikevicius et al., 2018, Section 3.2). It is
// PyTorch's GradScaler with its defaults.
type Scaler struct {
	Scale    float64 // 0 is 65536
	Interval int     // 0 is 2000
	Finite   int     // steps since Scale last changed
}

// Loss returns the scaled loss. Call Backward on it.
func (s *Scaler) Loss(loss torch.Tensor) torch.Tensor {
	s.Scale = cmp.Or(s.Scale, 65536)
	return loss.MulScalar(s.Scale)
}

// Step divides the gradients of params by Scale and calls o.Step. If one of them is not
// finite, it skips the step and returns false. It waits for the device. Panics if Scale is 0: call Loss first.
func (s *Scaler) Step(o Optimizer, params []nn.Parameter) bool {
	if s.Scale == 0 {
		panic(&torch.Error{Op: "scaler", Kind: torch.Value, Msg: "Step before any Loss: call Backward on Scaler.Loss(loss)"})
	}
	if !torch.Unscale(nn.Tensors(nn.Trainable(params)), s.Scale) {
		s.Scale, s.Finite = s.Scale/2, 0
		return false
	}
	o.Step()
	if s.Finite++; s.Finite == cmp.Or(s.Interval, 2000) {
		s.Scale, s.Finite = 2*s.Scale, 0
	}
	return true
}
