package training

import (
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// evalBatch bounds the memory that a pass without gradients takes.
const evalBatch = 1000

// Evaluate is the mean loss of model on set, and its accuracy in percent. With
// a nil loss only the accuracy is computed.
func Evaluate(model nn.Module, loss correction.Loss, set Set) (meanLoss, accuracy float64) {
	n := set.Len()
	torch.Scope(func() {
		device := set.Y.Device()
		right := torch.Zeros(torch.Options{DType: torch.Int64, Device: device})
		total := torch.Zeros(torch.Options{DType: torch.Float64, Device: device})
		batches(model, set, func(logits, y torch.Tensor) {
			right.AddInPlace(logits.Argmax(1).Eq(y).Sum(), 1)
			if loss != nil {
				total.AddInPlace(loss.Apply(logits, y), float64(y.Size(0)))
			}
		})
		sums := torch.Items(right, total) // waits for the device
		accuracy, meanLoss = 100*sums[0]/float64(n), sums[1]/float64(n)
	})
	return meanLoss, accuracy
}

// Logits are model's outputs [N C] for all of set, row-major.
func Logits(model nn.Module, set Set) []float32 {
	var out []float32
	batches(model, set, func(logits, _ torch.Tensor) {
		out = append(out, torch.Slice[float32](logits)...)
	})
	return out
}

func batches(model nn.Module, set Set, f func(logits, y torch.Tensor)) {
	n := set.Len()
	torch.NoGrad(func() {
		for start := 0; start < n; start += evalBatch {
			torch.Scope(func() {
				x, y := set.Take(set.Index.Narrow(0, start, min(evalBatch, n-start)))
				f(model.Forward(x, nn.Eval), y)
			})
		}
	})
}
