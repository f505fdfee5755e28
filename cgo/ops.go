package main

// An operation is one call of libtorch. From each one the generator writes a line of the C ABI (ops.h), a C++ body
// (shim/ops.cpp), a Go function (torch/ops.go) and a fuzzer's case (tools/opfuzz/ops.go).
type operation struct {
	name string // PyTorch's name, used in errors; with a final _, t is changed
	call string // the Go call; see kinds for the types of arguments
	body string // in C++, with the arguments' names
	doc  string
	fuzz string // fields of the fuzzer's call; a last field in gives the operands, otherwise they have any shapes
}

const byHand = "-" // the fuzzer's case is written by hand, in tools/opfuzz

var operations = []operation{
	// Making and copying.
	{"empty", "Empty(o Options, shape sizes)", "at::empty(shape, o)",
		"Empty makes a tensor with uninitialised elements.", "apart: true"},
	{"full", "Full(v float64, o Options, shape sizes)", "at::full(shape, v, o)",
		"Full makes a tensor with every element v.",
		""},
	{"linspace", "Linspace(start, end float64, steps int, o Options)", "at::linspace(start, end, steps, o)",
		"Linspace makes steps evenly spaced numbers from start to end, both included.", ""},
	{"eye", "Eye(n int, o Options)", "at::eye(n, o)", "Eye makes the n by n identity matrix.", ""},
	{"clone", "t.Clone()", "t.clone()", "Clone copies t.", ""},
	{"contiguous", "t.Contiguous()", "t.contiguous()",
		"Contiguous is t in row-major order, copied if necessary.",
		""},
	{"channels_last", "t.ChannelsLast()", "t.contiguous(at::MemoryFormat::ChannelsLast)", `
ChannelsLast is t, of shape [N C H W], with channels innermost in memory, the fastest layout for convolutions. The shape
does not change.`, ""},
	{"copy_", "t.CopyFrom(src Tensor)", "t.copy_(src)",
		"CopyFrom overwrites t with src, broadcast and converted as needed.",
		"layout: true"},
	{"fill_", "t.Fill(v float64)", "t.fill_(v)", "Fill sets every element of t to v.",
		"layout: true"},
	{"pin", "t.Pin()", "t.pin_memory()",
		"Pin copies t to page-locked memory, which a GPU reads without the host.", byHand},
	{"detach", "t.Detach()", "t.detach()", "Detach is t without its history, sharing its memory.", ""},

	// Views share t's memory. Dimensions count from 0; -1 is the last.
	{"reshape", "t.Reshape(shape sizes)", "t.reshape(shape)", `
Reshape gives t another shape of as many elements, copying only if necessary. One size may be -1 to be inferred.`, ""},
	{"view", "t.View(shape sizes)", "t.view(shape)",
		"View is Reshape without copying; it panics if a copy is necessary.",
		"layout: true"},
	{"expand", "t.Expand(shape sizes)", "t.expand(shape)",
		"Expand repeats dimensions of size 1 without copying; -1 keeps a dimension.", ""},
	{"transpose", "t.Transpose(a, b int)", "t.transpose(a, b)", "Transpose swaps two dimensions.", ""},
	{"squeeze", "t.Squeeze(dim int)", "t.squeeze(dim)", "Squeeze drops a dimension if its size is 1.", ""},
	{"unsqueeze", "t.Unsqueeze(dim int)", "t.unsqueeze(dim)", "Unsqueeze inserts a dimension of size 1.", ""},
	{"flatten", "t.Flatten(start, end int)", "t.flatten(start, end)",
		"Flatten joins dimensions start to end, both included, into one.", ""},
	{"narrow", "t.Narrow(dim, start, length int)", "t.narrow(dim, start, length)",
		"Narrow is the part [start, start+length) of one dimension.", ""},
	{"select", "t.Select(dim, index int)", "t.select(dim, index)",
		"Select is t at one index of a dimension, which is removed.",
		""},
	{"slice", "t.SliceDim(dim, start, end, step int)", "t.slice(dim, start, end, step)", `
SliceDim is every step-th index of one dimension from start up to end, like Python's start:end:step.`, "layout: true"},
	{"pad", "t.Pad(value float64, pads axes)", "at::constant_pad_nd(t, pads, value)", `
Pad surrounds t with value; pads has the numbers before and after, last dimension first.`, ""},
	{"diagonal", "t.Diagonal()", "t.diagonal()", "Diagonal is a view of the main diagonal of the first two dimensions.",
		""},
	{"cat", "Cat(dim int, ts Tensors)", "at::cat(ts, dim)", "Cat joins tensors along an existing dimension.",
		"in: s.list()"},
	{"stack", "Stack(dim int, ts Tensors)", "at::stack(ts, dim)",
		"Stack joins tensors of equal shape along a new dimension.",
		"in: s.list()"},

	// Matrices that are mostly zeros.
	{"to_sparse_csr", "t.ToSparseCSR()", "compress(t)", `
ToSparseCSR returns a matrix (Float32, on the CPU) in compressed sparse rows: libtorch's layout sparse_csr, with indices
of 32 bits. It is for inputs of mostly zeros. IndexSelect of rows, Linear, ToDense and Slice, which gives all elements,
accept it; another operation panics where libtorch has none for this layout. A tensor that requires a gradient is
refused.`, byHand},
	{"to_dense", "t.ToDense()", "dense(t)", `
ToDense returns the matrix with all of its elements. Of a dense t, the result shares its memory.`, byHand},

	// Indexing.
	{"index_select", "t.IndexSelect(dim int, index Tensor)",
		"is_csr(t) && dim == 0 ? rows_of(t, index) : t.index_select(dim, index)",
		"IndexSelect takes the slices of one dimension at the indices (Int64 or Int32, one dimension).", "in: s.selected()"},
	{"gather", "t.Gather(dim int, index Tensor)", "t.gather(dim, written_out(index))", `
Gather takes one element per entry of index:

	out[i][j] = t[i][index[i][j]]   for dim 1`, "in: s.indexed()[:2]"},
	{"scatter_", "t.ScatterInPlace(dim int, index, src Tensor)", "t.scatter_(dim, index, src)",
		"ScatterInPlace writes src into t at the indices, the inverse of Gather.", "apart: true, in: s.indexed()"},
	{"scatter_value", "t.ScatterValue(dim int, index Tensor, value float64)",
		"t.scatter(dim, index, at::Scalar(value))",
		"ScatterValue is a copy of t with value written at the indices.", "in: s.indexed()[:2]"},

	// Element by element.
	{"neg", "t.Neg()", "t.neg()", "Neg is -t.", ""},
	{"abs", "t.Abs()", "t.abs()", "Abs is |t|.", ""},
	{"exp", "t.Exp()", "t.exp()", "Exp is e^t.", ""},
	{"log", "t.Log()", "t.log()", "Log is the natural logarithm.", ""},
	{"log1p", "t.Log1p()", "t.log1p()", "Log1p is log(1 + t), accurate near 0.", ""},
	{"sqrt", "t.Sqrt()", "t.sqrt()", "Sqrt is the square root.", ""},
	{"square", "t.Square()", "t.square()", "Square is t * t.", ""},
	{"sigmoid", "t.Sigmoid()", "t.sigmoid()", "Sigmoid is 1 / (1 + e^-t).", ""},
	{"relu", "t.ReLU()", "t.relu()", "ReLU is max(t, 0).", ""},
	{"gelu", "t.GELU()", "at::gelu(t)", `
GELU is the Gaussian error linear unit (Hendrycks and Gimpel, 2016):

	t Phi(t) = t (1 + erf(t / sqrt(2))) / 2`, ""},
	{"clamp", "t.Clamp(low, high bound)", "t.clamp(low, high)", `
Clamp limits t to [low, high]; NaN stands for no limit. Integers stay integers if the limits are whole numbers.`,
		""},

	// Two operands: shapes are broadcast and dtypes promoted as in PyTorch. A scalar takes t's dtype.
	{"add", "t.Add(u Tensor)", "t.add(u)", "Add is t + u, with shapes broadcast as in PyTorch.", ""},
	{"sub", "t.Sub(u Tensor)", "t.sub(u)", "Sub is t - u.", ""},
	{"mul", "t.Mul(u Tensor)", "t.mul(u)", "Mul is t * u.", ""},
	{"div", "t.Div(u Tensor)", "t.div(u)", "Div is t / u.", ""},
	{"maximum", "t.Maximum(u Tensor)", "at::maximum(t, u)", "Maximum is the larger of t and u.", ""},
	{"eq", "t.Eq(u Tensor)", "t.eq(u)", "Eq is t == u (Bool).", ""},
	{"ne", "t.Ne(u Tensor)", "t.ne(u)", "Ne is t != u (Bool).", ""},
	{"add", "t.AddScalar(v scalar)", "t.add(v)", "AddScalar is t + v, with t's dtype.", ""},
	{"mul", "t.MulScalar(v scalar)", "t.mul(v)", "MulScalar is t * v.", ""},
	{"div", "t.DivScalar(v scalar)", "t.div(v)", "DivScalar is t / v.", ""},
	{"eq", "t.EqScalar(v scalar)", "t.eq(v)", "EqScalar is t == v (Bool).", ""},
	{"ne", "t.NeScalar(v scalar)", "t.ne(v)", "NeScalar is t != v (Bool).", ""},
	{"add_", "t.AddInPlace(u Tensor, alpha scalar)", "t.add_(u, alpha)", `
AddInPlace adds alpha * u to t. Like every in-place operation, it panics on a leaf that requires a gradient, except
inside NoGrad.`, "layout: true"},
	{"mul_", "t.MulScalarInPlace(v scalar)", "t.mul_(v)", "MulScalarInPlace multiplies t by v.",
		"layout: true"},

	// Reductions remove the given dimensions, or all if none is given. The Keep forms keep them with size 1.
	{"sum", "t.Sum(dims axes)", "t.sum(at::OptionalIntArrayRef(dims), false)",
		"Sum adds up over dims and removes them; over all dimensions if none is given.", ""},
	{"sum", "t.SumKeep(dims axes)", "t.sum(at::OptionalIntArrayRef(dims), true)",
		"SumKeep is Sum that keeps the dimensions with size 1.", ""},
	{"mean", "t.Mean(dims axes)", "t.mean(at::OptionalIntArrayRef(dims), false)", "Mean averages over dims.", ""},
	{"mean", "t.MeanKeep(dims axes)", "t.mean(at::OptionalIntArrayRef(dims), true)",
		"MeanKeep is Mean that keeps the dimensions with size 1.", ""},
	{"amax", "t.Amax(dims axes)", "t.amax(over(t, dims), false)", "Amax takes the maximum over dims.", ""},
	{"amin", "t.Amin(dims axes)", "t.amin(over(t, dims), false)", "Amin takes the minimum over dims.", ""},
	{"logsumexp", "t.LogSumExp(dims axes)", "at::logsumexp(t, over(t, dims), false)",
		"LogSumExp is log sum exp, without overflow, over dims.", ""},
	{"logsumexp", "t.LogSumExpKeep(dims axes)", "at::logsumexp(t, over(t, dims), true)",
		"LogSumExpKeep is LogSumExp that keeps the dimensions with size 1.", ""},
	{"norm", "t.Norm(order norm, dims axes)", "at::linalg_vector_norm(t, order, over(t, dims))",
		"Norm is the vector norm of the given order over dims.", ""},
	{"all", "t.All()", "t.all()", "All is true if no element is zero (Bool).", ""},
	{"argmax", "t.Argmax(dim int)", "t.argmax(dim)", "Argmax is the index of the maximum along one dimension (Int64).",
		"apart: true"},
	{"softmax", "t.Softmax(dim int)", "t.softmax(dim)", "Softmax is exp(t) / sum exp(t) along one dimension.", ""},
	{"log_softmax", "t.LogSoftmax(dim int)", "t.log_softmax(dim)",
		"LogSoftmax is t - logsumexp(t) along one dimension.",
		""},
	{"sort", "t.Sort(dim int, descending bool) (values, indices)",
		"t.sort(std::optional<bool>(true), dim, descending)", `
Sort sorts t stably along one dimension, and also returns the indices (Int64).`, ""},
	{"topk", "t.TopK(k, dim int) (values, indices)", "t.topk(k, dim, true, true)", `
TopK is the k largest elements along one dimension, largest first, and their indices (Int64).`, "apart: true"},

	// Linear algebra.
	{"mm", "t.Mm(u Tensor)", "t.mm(u)", "Mm is the product of two matrices.",
		"in: s.product(0)"},
	{"bmm", "t.Bmm(u Tensor)", "t.bmm(u)", "Bmm is the product of two batches of matrices, [B n k] and [B k m].",
		"in: s.product(1)"},
	{"linear", "t.Linear(weight Tensor, bias Tensor?)", "linear(t, weight, bias)",
		"Linear is t weight^T + bias, with weight [out in]; bias may be the zero Tensor.",
		"wide: true, in: s.linear()"},
	{"inverse", "t.Inverse()", "at::linalg_inv(t)", "Inverse is the inverse of a square matrix; panics if it has none.",
		"apart: true, in: s.square(torch.Float64)"},
	{"slogdet", "t.SLogDet() (sign, logabs)", "at::linalg_slogdet(t)", `
SLogDet is the sign of a square matrix's determinant and the logarithm of its absolute value.`,
		"apart: true, in: s.square(torch.Float64)"},
	{"solve", "t.Solve(u Tensor)", "at::linalg_solve(t, u)", "Solve is x with t x = u, for a square matrix t.",
		"apart: true, in: s.square(torch.Float64, s.IntN(4))"},

	// Networks.
	{"adaptive_avg_pool2d", "t.AdaptiveAvgPool2d(height, width int)", "at::adaptive_avg_pool2d(t, {height, width})",
		"AdaptiveAvgPool2d averages to the given height and width; 1, 1 is global average pooling.",
		"in: []tensor{s.images()}"},
	{"upsample_bilinear2d", "t.UpsampleBilinear(height, width int)",
		"at::upsample_bilinear2d(t, {height, width}, false)", `
UpsampleBilinear resizes images t [N C H W] to the given height and width by bilinear interpolation, like PyTorch's
interpolate.`, "in: []tensor{s.images()}"},
	{"batch_norm", "t.BatchNorm(weight, bias, mean, variance Tensor?, training bool, momentum, eps float64)",
		"batch_norm(t, weight, bias, mean, variance, training, momentum, eps)", `
BatchNorm normalises t over all dimensions but the second, scales by weight and shifts by bias (zero Tensors: neither).
In training it uses the batch's moments and moves mean and variance towards them:

	mean = (1 - momentum) mean + momentum batch mean

otherwise it uses mean and variance as they are. In training they may be zero Tensors. Panics in training, before
anything changes, if t has one value per channel: it has no variance.`, byHand},
	{"batch_norm_relu", "t.BatchNormReLU(weight, bias, mean, variance Tensor?, training bool, momentum, eps float64)",
		"batch_norm_relu(t, weight, bias, mean, variance, training, momentum, eps)", `
BatchNormReLU is t.BatchNorm(..).ReLU() in fewer passes over memory: four instead of seven for a training step of
images on the CPU, in float32 or bfloat16, laid out by ChannelsLast, with a multiple of 16 channels and weights and
moments in float32. These have no second derivative.`, byHand},
	{"embedding", "Embedding(weight, index Tensor)", "at::embedding(weight, index)", `
Embedding looks up rows of weight [V D] by index (Int64 or Int32): the result has index's shape and a last dimension
D.`,
		"in: s.lookup()"},
	{"cross_entropy", "t.CrossEntropy(target Tensor)", "at::cross_entropy_loss(t, target)", `
CrossEntropy is the mean of -log softmax(t)[target], for logits t [N C] and classes target [N] (Int64).`,
		"in: s.classified()"},
	{"nll_loss", "t.NLLLoss(target Tensor)", "at::nll_loss_nd(t, target)",
		"NLLLoss is the mean of -t[target], for log-probabilities t [N C].", "in: s.classified()"},
	{"layer_norm", "t.LayerNorm(shape sizes, weight, bias Tensor?, eps float64)",
		"at::layer_norm(t, shape, weight, bias, eps)", `
LayerNorm normalises each example over the last dimensions, of the given shape (Ba et al., 2016), scales by weight and
shifts by bias, both of that shape (zero Tensors: neither):

	y = (t - mean) / sqrt(variance + eps) weight + bias

The variance is the biased one. Panics if t does not end in shape.`, byHand},
	{"attention", "Attention(query, key, value Tensor, mask Tensor?)",
		"attention(query, key, value, mask, false, std::nullopt, false, 0, nullptr)", `
Attention is scaled dot-product attention (Vaswani et al., 2017), for query [.. L E], key [.. S E] and value [.. S V],
with result [.. L V]:

	softmax(query key^T / sqrt(E) + mask) value

The mask, or the zero Tensor, has a shape that broadcasts to the scores' [.. L S]. Of dtype Bool it is true where a
query may look at a key; otherwise it is added to the scores. A query that may look at nothing gets zeros.

It is PyTorch's scaled_dot_product_attention, which picks a fused kernel where there is one; those have no second
derivative. Panics if sizes do not fit.`, "wide: true, layout: true, in: s.attention()"},
}
