package torch

// #include "loader.h"
import "C"

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
)

// SubScalar is t - s.
func (t Tensor) SubScalar(s float64) Tensor { return t.AddScalar(-s) }

// ClampMin limits t from below.
func (t Tensor) ClampMin(low float64) Tensor { return t.Clamp(low, math.NaN()) }

// T is the transpose of a matrix.
func (t Tensor) T() Tensor { return t.Transpose(0, 1) }

// Window is the geometry of a convolution or pooling, for height and width alike. The
// zero Stride is 1 for convolutions and the kernel size for pooling.
type Window struct {
	Stride  int
	Padding int
	Groups  int // convolutions; 0 is 1
}

// Conv2d convolves t [N C H W] with weight [O C/groups KH KW]; bias [O] may be
// the zero Tensor.
func (t Tensor) Conv2d(weight, bias Tensor, w Window) Tensor {
	return made("conv2d", C.lt_conv2d(t.h, weight.h, bias.h, C.int64_t(cmp.Or(w.Stride, 1)), C.int64_t(w.Padding),
		C.int64_t(cmp.Or(w.Groups, 1))), t, weight)
}

// MaxPool2d takes the maximum in windows of kernel by kernel.
func (t Tensor) MaxPool2d(kernel int, w Window) Tensor {
	const op = "max_pool2d"
	if kernel <= 0 {
		raise(op, Value, fmt.Sprintf("a kernel of %d by %[1]d", kernel), t)
	}
	return made(op, C.lt_max_pool2d(t.h, C.int64_t(kernel), C.int64_t(cmp.Or(w.Stride, kernel)), C.int64_t(w.Padding)), t)
}

// EmbeddingLinear is an embedding, dropout, ReLU and a fully connected layer on all
// steps at once, for sequences index [N T] (Int64 or Int32) of rows of table [V D],
// weight [C T*D] and bias [C]:
//
//	Embedding(table, index).Dropout(p, g, shared...).ReLU().Flatten(1, -1).Linear(weight, bias)
//
// It draws what Dropout would; shared is empty, or 1 for spatial dropout, where one
// draw holds for all steps of a channel. With p 0, as in evaluation, g may be nil.
// For float32 on the CPU with D of 8 or more, the embedded sequences [N T D] are
// never in memory, neither here nor in the gradients.
func EmbeddingLinear(table, index, weight, bias Tensor, p float64, g *Generator, shared ...int) Tensor {
	const op = "embedding_linear"
	if len(shared) > 1 || len(shared) == 1 && shared[0] != 1 {
		raise(op, Index, fmt.Sprintf("shared dimensions %v, expected none or 1, the steps", shared), table, index)
	}
	stream := streamOf(op, p, g, table, index)
	defer runtime.KeepAlive(g)
	return made(op, C.lt_embedding_linear(table.h, index.h, weight.h, bias.h, C.double(p), flag(len(shared) > 0), stream),
		table, index, weight, bias)
}

// LSTM runs a long short-term memory of one layer over t [N T D], from the states h0
// and c0 [1 N H]. params holds the input weights [4H D], the recurrent weights [4H H]
// and both biases [4H]; gates in the order input, forget, cell, output. out [N T H] holds
// the states at each step; h and c, of h0's shape, the last ones. Panics on other shapes.
func (t Tensor) LSTM(h0, c0 Tensor, params []Tensor) (out, h, c Tensor) {
	p := lstmParams("lstm", params, t, h0, c0)
	check("lstm", C.lt_lstm(t.h, h0.h, c0.h, p, &out.h, &h.h, &c.h), t, h0, c0)
	return out, h, c
}

// FlattenLSTM lays params, as for LSTM of inputs of in and a state of hidden, into one
// buffer on a GPU, as cuDNN wants them; on the CPU it does nothing. The tensors stay
// what they are, views of the buffer then, and may be updated in place and copied
// into. It is nn.LSTM.flatten_parameters of PyTorch.
func FlattenLSTM(params []Tensor, in, hidden int) {
	const op = "flatten_lstm"
	check(op, C.lt_lstm_flatten(lstmParams(op, params), C.int64_t(in), C.int64_t(hidden)), params...)
}

// lstmParams panics unless there are four params.
func lstmParams(op string, params []Tensor, args ...Tensor) *C.lt_tensor {
	if len(params) != 4 {
		raise(op, Value, fmt.Sprintf("%d parameters, expected 4: weight_ih, weight_hh, bias_ih and bias_hh", len(params)),
			args...)
	}
	p, _ := handles(params)
	return p
}

// EmbeddingLSTM is an embedding, spatial dropout and a long short-term memory, for
// sequences index [N T] (Int64 or Int32) of rows of table [V D]: the last state
// [N H] of
//
//	Embedding(table, index).Dropout(p, g, 1).LSTM(zeros, zeros, params)
//
// with the four params of one layer with biases, and drawing what Dropout would. With p 0, as in
// evaluation, g may be nil. For float32 and float64 on the CPU, and under Autocast to BFloat16 on a
// processor that multiplies in it (AVX512_BF16), the embedded sequences [N T D] are never in memory, each word's
// product with the input weights is taken once, and sequences that begin with the same word over and over share
// their state until they differ. It has no gradient of its gradient there.
func EmbeddingLSTM(table, index Tensor, params []Tensor, p float64, g *Generator) Tensor {
	const op = "embedding_lstm"
	list := lstmParams(op, params, table, index)
	stream := streamOf(op, p, g, table, index)
	defer runtime.KeepAlive(g)
	return made(op, C.lt_embedding_lstm(table.h, index.h, list, C.double(p), stream), append([]Tensor{table, index},
		params...)...)
}
