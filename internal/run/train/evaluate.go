package train

import (
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// evaluation computes the mean loss of a network on a set, and its accuracy in percent, as
// often as it is run. With a nil loss it computes the accuracy only. Examples pass through
// the network size at a time, which bounds memory. Both are NaN for an empty set.
type evaluation struct {
	model        nn.Module
	loss         losses.Loss
	right, total torch.Tensor // of the examples so far
	steps        recorder
}

// newEvaluation makes an evaluation, whose sums belong to the current scope.
func newEvaluation(model nn.Module, loss losses.Loss, set Set, size int) *evaluation {
	device := set.Y.Device()
	e := &evaluation{
		model: model, loss: loss,
		right: torch.Zeros(torch.Options{DType: torch.Int64, Device: device}),
		total: torch.Zeros(torch.Options{DType: torch.Float64, Device: device}),
	}
	none := func() []*torch.Generator { return nil }
	e.steps = recorder{set: set, size: size, work: e.step, streams: none, changed: e.changed}
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

// changed is what a step changes.
func (e *evaluation) changed() changes {
	sums := []torch.Tensor{e.right, e.total}
	return changes{
		kinds: []kind{{"the sums of an evaluation", apartForward, sums}}, again: e.changed,
		load: func(held []kind) { copyAll(sums, held[0].tensors) },
	}
}

// Logits returns model's outputs [N C] for all of set, row-major, computed size examples
// at a time.
func Logits(model nn.Module, set Set, size int) (out []float32, err error) {
	err = each(model, set, size, func(logits, _ torch.Tensor) {
		out = append(out, torch.Slice[float32](logits)...)
	})
	return out, err
}

// Features returns model's features [N D] for all of set, row-major.
func Features(model nn.Featured, set Set, size int) (out []float32, err error) {
	err = each(featured{model}, set, size, func(features, _ torch.Tensor) {
		out = append(out, torch.Slice[float32](features)...)
	})
	return out, err
}

// featured is a network without its last layer.
type featured struct{ nn.Featured }

func (f featured) Forward(x torch.Tensor, _ nn.Mode) torch.Tensor { return f.Features(x) }

func each(model nn.Module, set Set, size int, f func(logits, y torch.Tensor)) (err error) {
	torch.NoGrad(func() {
		for batch, failed := range set.Batches(set.Index, size) {
			if err = failed; err != nil {
				return
			}
			f(model.Forward(batch.X, nn.Eval), batch.Y)
		}
	})
	return err
}
