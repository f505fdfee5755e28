package losses

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var backwardEntry = Entry{
	Name: "backward", About: "cross-entropy of all classes, weighted by the inverse of T", T: KnownT, Clips: true,
	Inverts: true, New: NewBackward,
}

// NewBackward returns the backward-corrected loss of Theorem 1, the losses of all classes weighted by a row of T's
// inverse:
//
//	L(z, y) = sum_j Tinv[y][j] (-log p_j)
//	dL/dz   = p - Tinv[y][.]
//
// Its expectation over the noise is the cross-entropy with the true label. It has no lower bound unless Options.Clip
// is set. It is an error if T is singular or its condition number exceeds MaxCondition.
//
// The result holds a tensor of T's size that lives in the caller's scope.
func NewBackward(t *correction.Matrix, o Options) (Loss, error) {
	inverse, err := t.Inverse()
	if err != nil {
		return nil, fmt.Errorf("backward correction: %w", t.Invertible())
	}
	rows := torch.Tidy(func() torch.Tensor { return torch.FromDense(inverse).To(o.Options) })
	weights := func(_, labels torch.Tensor) torch.Tensor { return rows.IndexSelect(0, labels) }
	return &softmaxLoss{linear(weights), o.Clip}, nil
}
