package losses

import (
	"fmt"
	"math"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

var volumeEntry = withSettings(Entry{
	Name:  "volume-minimization",
	About: "forward with a T learned with the network, as small in volume as the labels allow", T: KnownT, Clips: true,
	Inverts:  true,
	Settings: []Setting{{"lambda", 1e-4, aboveZero}},
}, newVolume)

// Learner is a Loss with parameters of its own, which the optimizer moves along with the network's.
type Learner interface {
	Stateful

	// Parameters returns the same parameters at each call.
	Parameters() []nn.Parameter

	// Learned returns the T of the current parameters.
	Learned() *correction.Matrix
}

// leastEntry is the smallest entry of the initial T, because an entry of 0 has no gradient.
const leastEntry = 1e-4

// newVolume learns T with the network (Li, Liu, Han, Niu and Sugiyama, "Provably End-to-end Label-Noise Learning
// without Anchor Points", ICML 2021, Equation 4):
//
//	L(z, y) = -log sum_j T[j][y] p_j + lambda log |det T|
//
// Among the matrices that explain the labels, the second term prefers the one of smallest volume, which is the true T
// if the posteriors are scattered enough. The entries of T are softmax(V[i])_j, and V starts as log T, with entries
// of at least 1e-4. The paper's sigmoids would force T_ii > T_ij for each j, although a class may be labelled as
// another one more often than as itself. The optimizer of the network moves V, without weight decay; the paper has a
// separate one. Settings.Lambda is above 0, 1e-4 by default as in the paper.
//
// The result is a Trainer and a Learner; Apply, for validation, is the forward-corrected loss with the current T,
// without the volume. It is an error if the initial T is singular or its condition number exceeds MaxCondition, which
// bounds the gradient of the volume. The result holds tensors of T's size that live in the caller's scope.
func newVolume(t *correction.Matrix, o Options) (Loss, error) {
	if err := t.Invertible(); err != nil {
		return nil, fmt.Errorf("volume minimization: %w", err)
	}
	c, logs := t.Dim(), slices.Concat(t.Rows()...)
	for k, p := range logs {
		logs[k] = math.Log(max(p, leastEntry))
	}
	v := torch.FromSlice(logs, c, c).To(o.Options)
	return &volume{
		classes: t.Classes(), v: v.SetRequiresGrad(true), values: v.Detach(),
		clip: o.Clip, lambda: o.Settings.Lambda,
	}, nil
}

type volume struct {
	classes      []string
	v, values    torch.Tensor // [C C], V and the same numbers without a gradient
	clip, lambda float64
}

// State implements Stateful.
func (v *volume) State() map[string]torch.Tensor {
	return map[string]torch.Tensor{"transition": v.values}
}

// Parameters implements Learner. The role is not Weight, so weight decay does not apply.
func (v *volume) Parameters() []nn.Parameter {
	return []nn.Parameter{{Name: "loss.transition", Tensor: v.v, Role: nn.Norm}}
}

// Learned implements Learner.
func (v *volume) Learned() *correction.Matrix {
	values := torch.Slice[float64](torch.Tidy(func() torch.Tensor { return v.values.ToDType(torch.Float64).Softmax(1) }))
	return correction.Normalized(v.classes, slices.Collect(slices.Chunk(values, len(v.classes))))
}

// Apply implements Loss.
func (v *volume) Apply(logits, labels torch.Tensor) torch.Tensor {
	f := forward(jointBy(v.v.LogSoftmax(1).T()))
	return (&softmaxLoss{byAutograd(f.value), v.clip}).Apply(logits, labels)
}

// Train implements Trainer.
func (v *volume) Train(b Batch) torch.Tensor {
	_, size := v.v.Softmax(1).SLogDet()
	return v.Apply(b.Forward(b.X), b.Labels).Add(size.MulScalar(v.lambda))
}
