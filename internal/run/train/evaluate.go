package train

import (
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// EvaluationBatches is the size of an evaluation batch in training batches. If a training step fits into memory, so
// does an evaluation batch, which keeps no activations.
const EvaluationBatches = 2

// evaluation computes the mean loss of a network on a set and its accuracy in percent, each time it runs. With a nil
// loss it computes only the accuracy. Examples pass through the network size at a time, which bounds memory. Both are
// NaN for an empty set.
type evaluation struct {
	model        nn.Module
	loss         losses.Loss
	right, total torch.Tensor // of the examples so far
	steps        recorder
}

// newEvaluation makes an evaluation; its sums belong to the current scope.
func newEvaluation(model nn.Module, loss losses.Loss, set Set, size int) *evaluation {
	device := set.Y.Device()
	e := &evaluation{
		model: model, loss: loss,
		right: torch.Zeros(torch.Options{DType: torch.Int64, Device: device}),
		total: torch.Zeros(torch.Options{DType: torch.Float64, Device: device}),
	}
	e.steps = recorder{worker: e, set: set, size: size}
	return e
}

func (e *evaluation) run() (meanLoss, accuracy float64, err error) {
	e.right.Fill(0)
	e.total.Fill(0)
	set := e.steps.set
	torch.NoGrad(func() {
		for p, failed := range set.picks(set.Index, e.steps.size) {
			if err = failed; err != nil {
				return
			}
			e.steps.do(p)
		}
	})
	torch.Scope(func() {
		n, sums := float64(set.Len()), torch.Items(e.right, e.total) // waits for the device
		accuracy, meanLoss = 100*sums[0]/n, sums[1]/n
	})
	return meanLoss, accuracy, err
}

func (e *evaluation) step(b Batch) {
	logits := e.model.Forward(b.X, nn.Eval)
	e.right.AddInPlace(logits.Argmax(1).Eq(b.Y).Sum(), 1)
	if e.loss != nil {
		e.total.AddInPlace(e.loss.Apply(logits, b.Y), float64(b.Y.Size(0)))
	}
}

func (e *evaluation) streams() []*torch.Generator { return nil }

func (e *evaluation) changed() []kind {
	return []kind{{"the sums of an evaluation", toleranceForward, []torch.Tensor{e.right, e.total}}}
}

func (e *evaluation) restore(held []kind) { copyAll([]torch.Tensor{e.right, e.total}, held[0].tensors) }

// Logits returns model's outputs [N C] for all of set, row-major, computed as training evaluates with the given batch
// size.
func Logits(model nn.Module, set Set, batch int) ([]float32, error) {
	return outputs(set, batch, func(x torch.Tensor) torch.Tensor { return model.Forward(x, nn.Eval) })
}

// Features returns model's features [N D] for all of set, computed as Logits computes outputs.
func Features(model nn.Featured, set Set, batch int) ([]float32, error) {
	return outputs(set, batch, model.Features)
}

func outputs(set Set, batch int, f func(x torch.Tensor) torch.Tensor) (out []float32, err error) {
	torch.NoGrad(func() {
		for p, failed := range set.picks(set.Index, EvaluationBatches*batch) {
			if err = failed; err != nil {
				return
			}
			out = append(out, torch.Slice[float32](f(set.batch(p).X))...)
		}
	})
	return out, err
}
