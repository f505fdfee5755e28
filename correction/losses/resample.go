package losses

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var resampleEntry = Entry{
	Name: "resample", About: "cross-entropy of examples drawn by the ratio of their labels' clean and noisy probability",
	T: KnownT, Clips: true, New: newResample,
}

// newResample is the resampling of Bae, Shin, Na, Jang and Moon, "Dirichlet-based Per-Sample Weighting by Transition
// Matrix for Noisy Label Learning" (ICLR 2024, "RENT", Algorithm 1). As many examples as a batch has are drawn from it,
// with replacement, each with a probability in proportion to the weight of importance reweighting by the network as it
// is, and the step follows their cross-entropy:
//
//	w_i = p_{y_i} / sum_j T[j][y_i] p_j
//	L   = -1/N sum_n log p_{y_{i_n}},    i_n = i with probability w_i / sum w
//
// It is a Trainer: Apply, for validation, is forward correction's loss. Fails if a class never keeps its label,
// T[y][y] = 0, for then w has no bound.
func newResample(t *correction.Matrix, o Options) (Loss, error) {
	if err := checkKept(t); err != nil {
		return nil, fmt.Errorf("resampling: %w", err)
	}
	noisy := jointBy(logColumns(t, o.Options))
	return resample{&softmaxLoss{forward(noisy), o.Clip}, NewCrossEntropy(o), noisy}, nil
}

type resample struct {
	Loss  // forward correction
	drawn Loss
	noisy joint
}

// Train implements Trainer.
func (r resample) Train(b Batch) torch.Tensor {
	z := b.Forward(b.X)
	w := importance(r.noisy, z.Detach().LogSoftmax(1), b.Labels)
	n := b.Labels.Size(0)
	at := make([]float64, n) // where a draw falls among the weights, one after the other
	for k := range at {
		at[k] = b.Rand.Float64()
	}
	ends := torch.Call("aten::cumsum", w.Reshape(1, -1), 1)
	total := ends.Narrow(1, n-1, 1) // w.Sum() may differ in its last bits, and draw an example past the last
	draws := torch.FromSlice(at).To(torch.Options{DType: w.DType(), Device: w.Device()}).Unsqueeze(1).Mul(total)
	rows := torch.Call("aten::gt.Tensor", draws, ends).ToDType(torch.Int64).SumKeep(1).Reshape(-1)
	return r.drawn.Apply(z.IndexSelect(0, rows), b.Labels.IndexSelect(0, rows))
}
