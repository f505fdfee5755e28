// Code generated from cgo/ops.go. DO NOT EDIT.

package torch

// #include "loader.h"
import "C"

// Empty makes a tensor with uninitialised elements.
func Empty(o Options, shape ...int) Tensor {
	mustOpen("empty")
	p, n := ints(shape)
	return made("empty", C.lt_empty(o.c(), p, n))
}

// Full makes a tensor with every element v.
func Full(v float64, o Options, shape ...int) Tensor {
	mustOpen("full")
	p, n := ints(shape)
	return made("full", C.lt_full(C.double(v), o.c(), p, n))
}

// Linspace makes steps evenly spaced numbers from start to end, both included.
func Linspace(start, end float64, steps int, o Options) Tensor {
	mustOpen("linspace")
	return made("linspace", C.lt_linspace(C.double(start), C.double(end), C.int64_t(steps), o.c()))
}

// Eye makes the n by n identity matrix.
func Eye(n int, o Options) Tensor {
	mustOpen("eye")
	return made("eye", C.lt_eye(C.int64_t(n), o.c()))
}

// Clone copies t.
func (t Tensor) Clone() Tensor {
	return made("clone", C.lt_clone(t.h), t)
}

// Contiguous is t in row-major order, copied if necessary.
func (t Tensor) Contiguous() Tensor {
	return made("contiguous", C.lt_contiguous(t.h), t)
}

// ChannelsLast is t, of shape [N C H W], with channels innermost in memory, the fastest layout for convolutions. The shape
// does not change.
func (t Tensor) ChannelsLast() Tensor {
	return made("channels_last", C.lt_channels_last(t.h), t)
}

// CopyFrom overwrites t with src, broadcast and converted as needed.
func (t Tensor) CopyFrom(src Tensor) {
	check("copy_", C.lt_copy_from(t.h, src.h), t, src)
}

// Fill sets every element of t to v.
func (t Tensor) Fill(v float64) {
	check("fill_", C.lt_fill(t.h, C.double(v)), t)
}

// Pin copies t to page-locked memory, which a GPU reads without the host.
func (t Tensor) Pin() Tensor {
	return made("pin", C.lt_pin(t.h), t)
}

// Detach is t without its history, sharing its memory.
func (t Tensor) Detach() Tensor {
	return made("detach", C.lt_detach(t.h), t)
}

// Reshape gives t another shape of as many elements, copying only if necessary. One size may be -1 to be inferred.
func (t Tensor) Reshape(shape ...int) Tensor {
	p, n := ints(shape)
	return made("reshape", C.lt_reshape(t.h, p, n), t)
}

// View is Reshape without copying; it panics if a copy is necessary.
func (t Tensor) View(shape ...int) Tensor {
	p, n := ints(shape)
	return made("view", C.lt_view(t.h, p, n), t)
}

// Expand repeats dimensions of size 1 without copying; -1 keeps a dimension.
func (t Tensor) Expand(shape ...int) Tensor {
	p, n := ints(shape)
	return made("expand", C.lt_expand(t.h, p, n), t)
}

// Transpose swaps two dimensions.
func (t Tensor) Transpose(a, b int) Tensor {
	return made("transpose", C.lt_transpose(t.h, C.int64_t(a), C.int64_t(b)), t)
}

// Squeeze drops a dimension if its size is 1.
func (t Tensor) Squeeze(dim int) Tensor {
	return made("squeeze", C.lt_squeeze(t.h, C.int64_t(dim)), t)
}

// Unsqueeze inserts a dimension of size 1.
func (t Tensor) Unsqueeze(dim int) Tensor {
	return made("unsqueeze", C.lt_unsqueeze(t.h, C.int64_t(dim)), t)
}

// Flatten joins dimensions start to end, both included, into one.
func (t Tensor) Flatten(start, end int) Tensor {
	return made("flatten", C.lt_flatten(t.h, C.int64_t(start), C.int64_t(end)), t)
}

// Narrow is the part [start, start+length) of one dimension.
func (t Tensor) Narrow(dim, start, length int) Tensor {
	return made("narrow", C.lt_narrow(t.h, C.int64_t(dim), C.int64_t(start), C.int64_t(length)), t)
}

// Select is t at one index of a dimension, which is removed.
func (t Tensor) Select(dim, index int) Tensor {
	return made("select", C.lt_select(t.h, C.int64_t(dim), C.int64_t(index)), t)
}

// SliceDim is every step-th index of one dimension from start up to end, like Python's start:end:step.
func (t Tensor) SliceDim(dim, start, end, step int) Tensor {
	return made("slice", C.lt_slice_dim(t.h, C.int64_t(dim), C.int64_t(start), C.int64_t(end), C.int64_t(step)), t)
}

// Pad surrounds t with value; pads has the numbers before and after, last dimension first.
func (t Tensor) Pad(value float64, pads ...int) Tensor {
	p, n := ints(pads)
	return made("pad", C.lt_pad(t.h, C.double(value), p, n), t)
}

// Diagonal is a view of the main diagonal of the first two dimensions.
func (t Tensor) Diagonal() Tensor {
	return made("diagonal", C.lt_diagonal(t.h), t)
}

// Cat joins tensors along an existing dimension.
func Cat(dim int, ts ...Tensor) Tensor {
	p, n := handles(ts)
	return made("cat", C.lt_cat(C.int64_t(dim), p, n), ts...)
}

// Stack joins tensors of equal shape along a new dimension.
func Stack(dim int, ts ...Tensor) Tensor {
	p, n := handles(ts)
	return made("stack", C.lt_stack(C.int64_t(dim), p, n), ts...)
}

// ToSparseCSR returns a matrix (Float32, on the CPU) in compressed sparse rows: libtorch's layout sparse_csr, with indices
// of 32 bits. It is for inputs of mostly zeros. IndexSelect of rows, Linear, ToDense and Slice, which gives all elements,
// accept it; another operation panics where libtorch has none for this layout. A tensor that requires a gradient is
// refused.
func (t Tensor) ToSparseCSR() Tensor {
	return made("to_sparse_csr", C.lt_to_sparse_csr(t.h), t)
}

// ToDense returns the matrix with all of its elements. Of a dense t, the result shares its memory.
func (t Tensor) ToDense() Tensor {
	return made("to_dense", C.lt_to_dense(t.h), t)
}

// IndexSelect takes the slices of one dimension at the indices (Int64 or Int32, one dimension).
func (t Tensor) IndexSelect(dim int, index Tensor) Tensor {
	return made("index_select", C.lt_index_select(t.h, C.int64_t(dim), index.h), t, index)
}

// Gather takes one element per entry of index:
//
//	out[i][j] = t[i][index[i][j]]   for dim 1
func (t Tensor) Gather(dim int, index Tensor) Tensor {
	return made("gather", C.lt_gather(t.h, C.int64_t(dim), index.h), t, index)
}

// ScatterInPlace writes src into t at the indices, the inverse of Gather.
func (t Tensor) ScatterInPlace(dim int, index, src Tensor) {
	check("scatter_", C.lt_scatter_in_place(t.h, C.int64_t(dim), index.h, src.h), t, index, src)
}

// ScatterValue is a copy of t with value written at the indices.
func (t Tensor) ScatterValue(dim int, index Tensor, value float64) Tensor {
	return made("scatter_value", C.lt_scatter_value(t.h, C.int64_t(dim), index.h, C.double(value)), t, index)
}

// Neg is -t.
func (t Tensor) Neg() Tensor {
	return made("neg", C.lt_neg(t.h), t)
}

// Abs is |t|.
func (t Tensor) Abs() Tensor {
	return made("abs", C.lt_abs(t.h), t)
}

// Exp is e^t.
func (t Tensor) Exp() Tensor {
	return made("exp", C.lt_exp(t.h), t)
}

// Log is the natural logarithm.
func (t Tensor) Log() Tensor {
	return made("log", C.lt_log(t.h), t)
}

// Log1p is log(1 + t), accurate near 0.
func (t Tensor) Log1p() Tensor {
	return made("log1p", C.lt_log1p(t.h), t)
}

// Sqrt is the square root.
func (t Tensor) Sqrt() Tensor {
	return made("sqrt", C.lt_sqrt(t.h), t)
}

// Square is t * t.
func (t Tensor) Square() Tensor {
	return made("square", C.lt_square(t.h), t)
}

// Sigmoid is 1 / (1 + e^-t).
func (t Tensor) Sigmoid() Tensor {
	return made("sigmoid", C.lt_sigmoid(t.h), t)
}

// ReLU is max(t, 0).
func (t Tensor) ReLU() Tensor {
	return made("relu", C.lt_re_lu(t.h), t)
}

// GELU is the Gaussian error linear unit (Hendrycks and Gimpel, 2016):
//
//	t Phi(t) = t (1 + erf(t / sqrt(2))) / 2
func (t Tensor) GELU() Tensor {
	return made("gelu", C.lt_gelu(t.h), t)
}

// Clamp limits t to [low, high]; NaN stands for no limit. Integers stay integers if the limits are whole numbers.
func (t Tensor) Clamp(low, high float64) Tensor {
	return made("clamp", C.lt_clamp(t.h, C.double(low), C.double(high)), t)
}

// Add is t + u, with shapes broadcast as in PyTorch.
func (t Tensor) Add(u Tensor) Tensor {
	return made("add", C.lt_add(t.h, u.h), t, u)
}

// Sub is t - u.
func (t Tensor) Sub(u Tensor) Tensor {
	return made("sub", C.lt_sub(t.h, u.h), t, u)
}

// Mul is t * u.
func (t Tensor) Mul(u Tensor) Tensor {
	return made("mul", C.lt_mul(t.h, u.h), t, u)
}

// Div is t / u.
func (t Tensor) Div(u Tensor) Tensor {
	return made("div", C.lt_div(t.h, u.h), t, u)
}

// Maximum is the larger of t and u.
func (t Tensor) Maximum(u Tensor) Tensor {
	return made("maximum", C.lt_maximum(t.h, u.h), t, u)
}

// Eq is t == u (Bool).
func (t Tensor) Eq(u Tensor) Tensor {
	return made("eq", C.lt_eq(t.h, u.h), t, u)
}

// Ne is t != u (Bool).
func (t Tensor) Ne(u Tensor) Tensor {
	return made("ne", C.lt_ne(t.h, u.h), t, u)
}

// AddScalar is t + v, with t's dtype.
func (t Tensor) AddScalar(v float64) Tensor {
	return made("add", C.lt_add_scalar(t.h, C.double(v)), t)
}

// MulScalar is t * v.
func (t Tensor) MulScalar(v float64) Tensor {
	return made("mul", C.lt_mul_scalar(t.h, C.double(v)), t)
}

// DivScalar is t / v.
func (t Tensor) DivScalar(v float64) Tensor {
	return made("div", C.lt_div_scalar(t.h, C.double(v)), t)
}

// EqScalar is t == v (Bool).
func (t Tensor) EqScalar(v float64) Tensor {
	return made("eq", C.lt_eq_scalar(t.h, C.double(v)), t)
}

// NeScalar is t != v (Bool).
func (t Tensor) NeScalar(v float64) Tensor {
	return made("ne", C.lt_ne_scalar(t.h, C.double(v)), t)
}

// AddInPlace adds alpha * u to t. Like every in-place operation, it panics on a leaf that requires a gradient, except
// inside NoGrad.
func (t Tensor) AddInPlace(u Tensor, alpha float64) {
	check("add_", C.lt_add_in_place(t.h, u.h, C.double(alpha)), t, u)
}

// MulScalarInPlace multiplies t by v.
func (t Tensor) MulScalarInPlace(v float64) {
	check("mul_", C.lt_mul_scalar_in_place(t.h, C.double(v)), t)
}

// Sum adds up over dims and removes them; over all dimensions if none is given.
func (t Tensor) Sum(dims ...int) Tensor {
	p, n := ints(dims)
	return made("sum", C.lt_sum(t.h, p, n), t)
}

// SumKeep is Sum that keeps the dimensions with size 1.
func (t Tensor) SumKeep(dims ...int) Tensor {
	p, n := ints(dims)
	return made("sum", C.lt_sum_keep(t.h, p, n), t)
}

// Mean averages over dims.
func (t Tensor) Mean(dims ...int) Tensor {
	p, n := ints(dims)
	return made("mean", C.lt_mean(t.h, p, n), t)
}

// MeanKeep is Mean that keeps the dimensions with size 1.
func (t Tensor) MeanKeep(dims ...int) Tensor {
	p, n := ints(dims)
	return made("mean", C.lt_mean_keep(t.h, p, n), t)
}

// Amax takes the maximum over dims.
func (t Tensor) Amax(dims ...int) Tensor {
	p, n := ints(dims)
	return made("amax", C.lt_amax(t.h, p, n), t)
}

// Amin takes the minimum over dims.
func (t Tensor) Amin(dims ...int) Tensor {
	p, n := ints(dims)
	return made("amin", C.lt_amin(t.h, p, n), t)
}

// LogSumExp is log sum exp, without overflow, over dims.
func (t Tensor) LogSumExp(dims ...int) Tensor {
	p, n := ints(dims)
	return made("logsumexp", C.lt_log_sum_exp(t.h, p, n), t)
}

// LogSumExpKeep is LogSumExp that keeps the dimensions with size 1.
func (t Tensor) LogSumExpKeep(dims ...int) Tensor {
	p, n := ints(dims)
	return made("logsumexp", C.lt_log_sum_exp_keep(t.h, p, n), t)
}

// Norm is the vector norm of the given order over dims.
func (t Tensor) Norm(order float64, dims ...int) Tensor {
	p, n := ints(dims)
	return made("norm", C.lt_norm(t.h, C.double(order), p, n), t)
}

// All is true if no element is zero (Bool).
func (t Tensor) All() Tensor {
	return made("all", C.lt_all(t.h), t)
}

// Argmax is the index of the maximum along one dimension (Int64).
func (t Tensor) Argmax(dim int) Tensor {
	return made("argmax", C.lt_argmax(t.h, C.int64_t(dim)), t)
}

// Softmax is exp(t) / sum exp(t) along one dimension.
func (t Tensor) Softmax(dim int) Tensor {
	return made("softmax", C.lt_softmax(t.h, C.int64_t(dim)), t)
}

// LogSoftmax is t - logsumexp(t) along one dimension.
func (t Tensor) LogSoftmax(dim int) Tensor {
	return made("log_softmax", C.lt_log_softmax(t.h, C.int64_t(dim)), t)
}

// Sort sorts t stably along one dimension, and also returns the indices (Int64).
func (t Tensor) Sort(dim int, descending bool) (values, indices Tensor) {
	return pair("sort", C.lt_sort(t.h, C.int64_t(dim), flag(descending)), t)
}

// TopK is the k largest elements along one dimension, largest first, and their indices (Int64).
func (t Tensor) TopK(k, dim int) (values, indices Tensor) {
	return pair("topk", C.lt_top_k(t.h, C.int64_t(k), C.int64_t(dim)), t)
}

// Mm is the product of two matrices.
func (t Tensor) Mm(u Tensor) Tensor {
	return made("mm", C.lt_mm(t.h, u.h), t, u)
}

// Bmm is the product of two batches of matrices, [B n k] and [B k m].
func (t Tensor) Bmm(u Tensor) Tensor {
	return made("bmm", C.lt_bmm(t.h, u.h), t, u)
}

// Linear is t weight^T + bias, with weight [out in]; bias may be the zero Tensor.
func (t Tensor) Linear(weight, bias Tensor) Tensor {
	return made("linear", C.lt_linear(t.h, weight.h, bias.h), t, weight, bias)
}

// Inverse is the inverse of a square matrix; panics if it has none.
func (t Tensor) Inverse() Tensor {
	return made("inverse", C.lt_inverse(t.h), t)
}

// SLogDet is the sign of a square matrix's determinant and the logarithm of its absolute value.
func (t Tensor) SLogDet() (sign, logabs Tensor) {
	return pair("slogdet", C.lt_slog_det(t.h), t)
}

// Solve is x with t x = u, for a square matrix t.
func (t Tensor) Solve(u Tensor) Tensor {
	return made("solve", C.lt_solve(t.h, u.h), t, u)
}

// AdaptiveAvgPool2d averages to the given height and width; 1, 1 is global average pooling.
func (t Tensor) AdaptiveAvgPool2d(height, width int) Tensor {
	return made("adaptive_avg_pool2d", C.lt_adaptive_avg_pool2d(t.h, C.int64_t(height), C.int64_t(width)), t)
}

// UpsampleBilinear resizes images t [N C H W] to the given height and width by bilinear interpolation, like PyTorch's
// interpolate.
func (t Tensor) UpsampleBilinear(height, width int) Tensor {
	return made("upsample_bilinear2d", C.lt_upsample_bilinear(t.h, C.int64_t(height), C.int64_t(width)), t)
}

// BatchNorm normalises t over all dimensions but the second, scales by weight and shifts by bias (zero Tensors: neither).
// In training it uses the batch's moments and moves mean and variance towards them:
//
//	mean = (1 - momentum) mean + momentum batch mean
//
// otherwise it uses mean and variance as they are. In training they may be zero Tensors. Panics in training, before
// anything changes, if t has one value per channel: it has no variance.
func (t Tensor) BatchNorm(weight, bias, mean, variance Tensor, training bool, momentum, eps float64) Tensor {
	return made("batch_norm", C.lt_batch_norm(t.h, weight.h, bias.h, mean.h, variance.h, flag(training), C.double(momentum), C.double(eps)), t, weight, bias, mean, variance)
}

// BatchNormReLU is t.BatchNorm(..).ReLU() in fewer passes over memory: four instead of seven for a training step of
// images on the CPU, in float32 or bfloat16, laid out by ChannelsLast, with a multiple of 16 channels and weights and
// moments in float32. These have no second derivative.
func (t Tensor) BatchNormReLU(weight, bias, mean, variance Tensor, training bool, momentum, eps float64) Tensor {
	return made("batch_norm_relu", C.lt_batch_norm_re_lu(t.h, weight.h, bias.h, mean.h, variance.h, flag(training), C.double(momentum), C.double(eps)), t, weight, bias, mean, variance)
}

// Embedding looks up rows of weight [V D] by index (Int64 or Int32): the result has index's shape and a last dimension
// D.
func Embedding(weight, index Tensor) Tensor {
	return made("embedding", C.lt_embedding(weight.h, index.h), weight, index)
}

// CrossEntropy is the mean of -log softmax(t)[target], for logits t [N C] and classes target [N] (Int64).
func (t Tensor) CrossEntropy(target Tensor) Tensor {
	return made("cross_entropy", C.lt_cross_entropy(t.h, target.h), t, target)
}

// NLLLoss is the mean of -t[target], for log-probabilities t [N C].
func (t Tensor) NLLLoss(target Tensor) Tensor {
	return made("nll_loss", C.lt_nllloss(t.h, target.h), t, target)
}

// LayerNorm normalises each example over the last dimensions, of the given shape (Ba et al., 2016), scales by weight and
// shifts by bias, both of that shape (zero Tensors: neither):
//
//	y = (t - mean) / sqrt(variance + eps) weight + bias
//
// The variance is the biased one. Panics if t does not end in shape.
func (t Tensor) LayerNorm(shape []int, weight, bias Tensor, eps float64) Tensor {
	p, n := ints(shape)
	return made("layer_norm", C.lt_layer_norm(t.h, p, n, weight.h, bias.h, C.double(eps)), t, weight, bias)
}

// Attention is scaled dot-product attention (Vaswani et al., 2017), for query [.. L E], key [.. S E] and value [.. S V],
// with result [.. L V]:
//
//	softmax(query key^T / sqrt(E) + mask) value
//
// The mask, or the zero Tensor, has a shape that broadcasts to the scores' [.. L S]. Of dtype Bool it is true where a
// query may look at a key; otherwise it is added to the scores. A query that may look at nothing gets zeros.
//
// It is PyTorch's scaled_dot_product_attention, which picks a fused kernel where there is one; those have no second
// derivative. Panics if sizes do not fit.
func Attention(query, key, value, mask Tensor) Tensor {
	return made("attention", C.lt_attention(query.h, key.h, value.h, mask.h), query, key, value, mask)
}
