package training

import (
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Evaluate returns the mean loss of model on set, and its accuracy in percent. With a
// nil loss it computes the accuracy only. Examples pass through the model size at a
// time, which bounds memory. Both are NaN for an empty set. The error is that of reading set.
func Evaluate(model nn.Module, loss losses.Loss, set Set, size int) (meanLoss, accuracy float64, err error) {
	n := set.Len()
	torch.Scope(func() {
		device := set.Y.Device()
		right := torch.Zeros(torch.Options{DType: torch.Int64, Device: device})
		total := torch.Zeros(torch.Options{DType: torch.Float64, Device: device})
		err = each(model, set, size, func(logits, y torch.Tensor) {
			right.AddInPlace(logits.Argmax(1).Eq(y).Sum(), 1)
			if loss != nil {
				total.AddInPlace(loss.Apply(logits, y), float64(y.Size(0)))
			}
		})
		sums := torch.Items(right, total) // waits for the device
		accuracy, meanLoss = 100*sums[0]/float64(n), sums[1]/float64(n)
	})
	return meanLoss, accuracy, err
}

// Logits returns model's outputs [N C] for all of set, row-major, computed in batches
// as by Evaluate.
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
