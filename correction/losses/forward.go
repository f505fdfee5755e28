package losses

import (
	"math"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var (
	forwardEntry = Entry{
		Name: "forward", About: "cross-entropy of predictions pushed through T", T: KnownT, Clips: true,
		New: forwardOf,
	}
	forwardEstimatedEntry = Entry{
		Name: "forward-estimated", FormOf: "forward", Title: "forward, T estimated", About: "forward with an estimate of T",
		T: EstimatedT, Clips: true,
		New: forwardOf,
	}
)

func forwardOf(t *correction.Matrix, o Options) (Loss, error) { return NewForward(t, o), nil }

// NewForward is the forward-corrected loss of Theorem 2: the network's
// prediction is pushed through T before it is compared with the noisy label,
//
//	L(z, y) = -log sum_j T[j][y] p_j
//	dL/dz   = p - q,    q_j = T[j][y] p_j / sum_k T[k][y] p_k
//
// so that its minimiser under noise is that of cross-entropy on the true labels. A
// label with probability 0 for every class has gradient zero.
//
// The result holds a tensor of T's size that lives in the caller's scope.
func NewForward(t *correction.Matrix, o Options) Loss {
	c := t.Dim()
	possible := make([]bool, c) // labels that some class gives
	for j := range c {
		for y, p := range t.Row(j) {
			possible[y] = possible[y] || p != 0
		}
	}
	logs := make([]float64, 0, c*c) // row j holds log T[j][.]
	for j := range c {
		for y, p := range t.Row(j) {
			if !possible[y] {
				p = math.SmallestNonzeroFloat32
			}
			logs = append(logs, math.Log(p))
		}
	}
	columns := torch.Tidy(func() torch.Tensor { return torch.FromSlice(logs, c, c).To(o.Options).T().Contiguous() })
	return &softmaxLoss{rule: forward{columns}, name: "forward", clip: o.Clip}
}

type forward struct{ logColumns torch.Tensor }

func (f forward) joint(l, labels torch.Tensor) torch.Tensor {
	return f.logColumns.IndexSelect(0, labels).Add(l)
}

func (f forward) value(l, labels torch.Tensor) torch.Tensor {
	return f.joint(l, labels).LogSumExp(1).Mean().Neg()
}

func (f forward) weights(l, labels torch.Tensor) torch.Tensor {
	return f.joint(l, labels).Softmax(1)
}
