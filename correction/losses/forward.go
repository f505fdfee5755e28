package losses

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var forwardEntry = Entry{
	Name: "forward", About: "cross-entropy of predictions pushed through T", T: KnownT, Clips: true,
	New: func(t *correction.Matrix, o Options) (Loss, error) { return NewForward(t, o), nil },
}

// NewForward returns the forward-corrected loss of Theorem 2, which pushes the network's prediction through T before
// comparing it with the noisy label:
//
//	L(z, y) = -log sum_j T[j][y] p_j
//	dL/dz   = p - q,    q_j = T[j][y] p_j / sum_k T[k][y] p_k
//
// Its minimiser under noise equals the minimiser of cross-entropy on the true labels. A label with probability 0 for
// every class has gradient zero.
//
// The result holds a tensor of T's size that lives in the caller's scope.
func NewForward(t *correction.Matrix, o Options) Loss {
	return &softmaxLoss{forward(jointBy(logColumns(t, o.Options))), o.Clip}
}

// joint returns log T[j][y] + log p_j of all classes j and the label y of each example, [N C].
type joint = func(l, labels torch.Tensor) torch.Tensor

// forward is the formula -log sum_j exp(joint_j), with weights softmax(joint).
func forward(of joint) formula {
	return formula{
		value:   func(l, labels torch.Tensor) torch.Tensor { return of(l, labels).LogSumExp(1).Mean().Neg() },
		weights: func(l, labels torch.Tensor) torch.Tensor { return of(l, labels).Softmax(1) },
	}
}

// jointBy takes log T[.][y] from the rows of columns.
func jointBy(columns torch.Tensor) joint {
	return func(l, labels torch.Tensor) torch.Tensor { return columns.IndexSelect(0, labels).Add(l) }
}

// logColumns returns log T, transposed. Equal entries replace a column of zeros, the column of an impossible label.
func logColumns(t *correction.Matrix, o torch.Options) torch.Tensor {
	c, columns := t.Dim(), t.ByLabel()
	var logs []float64
	for y := range c {
		column := columns.RawRowView(y)
		if floats.Max(column) == 0 {
			floats.AddConst(math.SmallestNonzeroFloat32, column)
		}
		for _, p := range column {
			logs = append(logs, math.Log(p))
		}
	}
	return torch.Tidy(func() torch.Tensor { return torch.FromSlice(logs, c, c).To(o) })
}
