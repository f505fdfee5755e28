package nn

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// BatchNorm normalises each feature, the second dimension of its input, over
// all others (Ioffe and Szegedy, 2015):
//
//	y = (x - mean) / sqrt(variance + Eps) Weight + Bias
//
// In training mean and variance are the batch's, and the running moments move towards them by the share Momentum
// (with the unbiased variance); in evaluation mean and variance are the running moments. As in PyTorch, Momentum is 1
// minus Keras's momentum.
type BatchNorm struct {
	Features int
	Momentum float64 // 0 is .1
	Eps      float64 // 0 is 1e-5

	Weight, Bias            torch.Tensor // [Features], from 1 and 0
	RunningMean, RunningVar torch.Tensor // [Features], from 0 and 1
	dims                    []int        // that an input may have
}

// NewBatchNorm1d makes the layer for inputs [N Features] or [N Features T].
func NewBatchNorm1d(b BatchNorm, init Init) *BatchNorm { return newBatchNorm(b, init, 2, 3) }

// NewBatchNorm2d makes the layer for images [N Features H W].
func NewBatchNorm2d(b BatchNorm, init Init) *BatchNorm { return newBatchNorm(b, init, 4) }

func newBatchNorm(b BatchNorm, init Init, dims ...int) *BatchNorm {
	b.dims = dims
	b.Momentum, b.Eps = cmp.Or(b.Momentum, .1), cmp.Or(b.Eps, 1e-5)
	b.Weight, b.Bias = init.scaleAndShift(b.Features)
	b.RunningMean = init.buffer(make([]float64, b.Features), b.Features)
	b.RunningVar = init.buffer(slices.Repeat([]float64{1}, b.Features), b.Features)
	return &b
}

// Forward computes y.
func (b *BatchNorm) Forward(x torch.Tensor, mode Mode) torch.Tensor {
	b.check(x)
	return x.BatchNorm(b.Weight, b.Bias, b.RunningMean, b.RunningVar, mode.Training, b.Momentum, b.Eps)
}

// batchNormReLU is max(y, 0).
type batchNormReLU struct{ *BatchNorm }

func (b batchNormReLU) Forward(x torch.Tensor, mode Mode) torch.Tensor {
	b.check(x)
	return x.BatchNormReLU(b.Weight, b.Bias, b.RunningMean, b.RunningVar, mode.Training, b.Momentum, b.Eps)
}

func (b *BatchNorm) check(x torch.Tensor) {
	if !slices.Contains(b.dims, x.Dim()) {
		want := "[N C H W]"
		if b.dims[0] == 2 {
			want = "[N C] or [N C T]"
		}
		panic(&torch.Error{Op: "batch_norm", Kind: torch.Shape, Msg: fmt.Sprintf("shape %v, expected %s", x.Shape(), want)})
	}
}

// Parameters lists weight and bias, and the buffers running_mean and running_var.
func (b *BatchNorm) Parameters() []Parameter {
	return []Parameter{
		{"weight", b.Weight, Norm}, {"bias", b.Bias, Norm},
		{"running_mean", b.RunningMean, Buffer}, {"running_var", b.RunningVar, Buffer},
	}
}

func (i Init) scaleAndShift(n int) (scale, shift torch.Tensor) {
	return i.parameter(slices.Repeat([]float64{1}, n), n), i.parameter(make([]float64, n), n)
}
