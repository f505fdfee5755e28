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

// EmbeddingLinear is an embedding, dropout, ReLU and a fully connected layer over all steps. index [N T] (Int64 or
// Int32) holds sequences of rows of table [V D]; weight is [C T*D] and bias [C]:
//
//	Embedding(table, index).Dropout(p, g, shared...).ReLU().Flatten(1, -1).Linear(weight, bias)
//
// It draws the same numbers as Dropout. shared is empty, or 1 for spatial dropout, which draws once for all steps of
// a channel. With p 0, as in evaluation, g may be nil. For float32 on the CPU with D of 8 or more, neither forward
// nor backward stores the embedded sequences [N T D].
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

// LSTM runs a one-layer long short-term memory over t [N T D], from the states h0 and c0 [1 N H]. params holds the
// input weights [4H D], the recurrent weights [4H H] and both biases [4H], with gates in the order input, forget,
// cell, output. out [N T H] holds the state of each step; h and c [1 N H] are the last states. Panics on other
// shapes.
func (t Tensor) LSTM(h0, c0 Tensor, params []Tensor) (out, h, c Tensor) {
	p := lstmParams("lstm", params, t, h0, c0)
	check("lstm", C.lt_lstm(t.h, h0.h, c0.h, p, &out.h, &h.h, &c.h), t, h0, c0)
	return out, h, c
}

// FlattenLSTM moves the params of an LSTM with in inputs and hidden units into one buffer on a GPU, as cuDNN prefers;
// on the CPU it does nothing. The tensors become views of the buffer and may still be updated in place. It is
// PyTorch's nn.LSTM.flatten_parameters.
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

// EmbeddingLSTM is an embedding, spatial dropout and a long short-term memory. For index [N T] (Int64 or Int32),
// sequences of rows of table [V D], it returns the last state [N H] of
//
//	Embedding(table, index).Dropout(p, g, 1).LSTM(zeros, zeros, params)
//
// with the four params of one layer with biases. It draws the same numbers as Dropout. With p 0, as in evaluation, g
// may be nil. On the CPU, for float32, float64 and Autocast to BFloat16 on a processor with AVX512_BF16, a faster
// form never stores the embedded sequences [N T D], multiplies each word by the input weights once, and shares the
// state of sequences that begin with the same repeated word until they differ. That form has no second derivative.
func EmbeddingLSTM(table, index Tensor, params []Tensor, p float64, g *Generator) Tensor {
	const op = "embedding_lstm"
	list := lstmParams(op, params, table, index)
	stream := streamOf(op, p, g, table, index)
	defer runtime.KeepAlive(g)
	return made(op, C.lt_embedding_lstm(table.h, index.h, list, C.double(p), stream), append([]Tensor{table, index},
		params...)...)
}
