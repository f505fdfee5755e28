package optim

import (
	"cmp"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Scaler keeps the small gradients of a network in float16 from becoming zero: the
// loss is multiplied by Scale before its backward, the gradients are divided by it
// before the step. A step whose gradients are not finite is left out and halves
// Scale; Interval steps in a row that are finite double it (Micikevicius et al.,
// 2018, Section 3.2). It is PyTorch's GradScaler, with its defaults.
type Scaler struct {
	Scale    float64 // 0 is 65536
	Interval int     // 0 is 2000
	Finite   int     // steps since Scale last changed
}

// Loss is what to call Backward on in place of loss.
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
