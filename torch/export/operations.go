package export

import (
	"fmt"
	"strings"
)

// allowed lists the operations of libtorch that a file may call: those in forward passes of networks. Most have the
// names of Python's functions. A name with a dot is one overload; other names include all overloads and the in-place
// operation.
//
// libtorch has thousands more. Some open files or take memory addresses, which a file of weights and a graph must not
// do.
var allowed = names(`
	abs absolute acos acosh add addcdiv addcmul angle arccos arccosh arcsin arcsinh arctan arctan2
	arctanh asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or
	bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clip complex conj copysign cos
	cosh deg2rad div divide elu eq erf erfc erfinv exp exp2 expm1 fix float_power floor floor_divide
	fmax fmin fmod frac ge gelu glu greater greater_equal gt hardshrink hardsigmoid hardswish hardtanh
	heaviside hypot isclose isfinite isinf isnan isneginf isposinf ldexp le leaky_relu lerp less
	less_equal lgamma log log10 log1p log2 log_sigmoid logaddexp logaddexp2 logical_and logical_not
	logical_or logical_xor logit lt masked_fill maximum minimum mish mul multiply nan_to_num ne neg
	negative not_equal polar positive pow prelu rad2deg real imag reciprocal relu relu6 remainder
	resolve_conj resolve_neg round rrelu rsqrt rsub selu sgn sigmoid sign signbit silu sin sinc sinh
	softplus softshrink special_erf special_erfc special_expit special_log1p special_xlog1py sqrt
	square sub subtract tan tanh threshold true_divide trunc where xlogy
	__and__ __or__ __xor__ __iand__ __ior__ __ixor__ __lshift__ __rshift__

	all amax amin aminmax any argmax argmin count_nonzero cummax cummin cumprod cumsum
	frobenius_norm linalg_matrix_norm linalg_norm linalg_vector_norm logcumsumexp logsumexp max mean
	median min mode nanmean nanmedian nansum norm norm_except_dim prod std std_mean sum sum_to_size
	var var_mean

	adjoint alias atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors broadcast_to
	cartesian_prod cat channel_shuffle chunk clone column_stack concat concatenate constant_pad_nd
	contiguous detach diag diag_embed diagflat diagonal dsplit dstack expand expand_as flatten flip
	fliplr flipud hsplit hstack lift_fresh lift_fresh_copy mH mT matrix_H meshgrid moveaxis movedim
	narrow numpy_T pad permute pixel_shuffle pixel_unshuffle ravel reflection_pad1d reflection_pad2d
	reflection_pad3d repeat repeat_interleave.self_int replication_pad1d replication_pad2d
	replication_pad3d reshape reshape_as roll rot90 select slice split split_with_sizes squeeze stack
	swapaxes swapdims t tensor_split tile transpose tril triu unbind unflatten unfold unsqueeze
	view.default view_as view_as_complex view_as_real vsplit vstack

	_local_scalar_dense _to_copy arange copy empty empty_like empty_permuted eye fill full full_like
	item linspace logspace new_empty new_full new_ones new_zeros one_hot ones ones_like scalar_tensor
	sym_numel sym_size sym_stride to tril_indices triu_indices type_as zero zeros zeros_like

	argsort bucketize diagonal_scatter embedding gather index index_add index_copy index_fill index_put
	index_select kthvalue masked_scatter masked_select msort nonzero scatter scatter_add scatter_reduce
	select_scatter slice_scatter sort take take_along_dim topk

	addbmm addmm addmv addr baddbmm bilinear bmm cdist cosine_similarity cross dot einsum fft_fft
	fft_fft2 fft_fftn fft_fftshift fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_irfft fft_irfft2
	fft_irfftn fft_rfft fft_rfft2 fft_rfftn inner inverse kron linalg_cross linalg_inv
	linalg_matmul linalg_matrix_exp linalg_multi_dot linalg_solve linalg_vecdot linear matmul
	matrix_exp matrix_power mm mv outer pairwise_distance tensordot trace vdot

	_adaptive_avg_pool2d _adaptive_avg_pool3d _log_softmax _native_batch_norm_legit
	_native_batch_norm_legit_functional _native_batch_norm_legit_no_training _softmax
	_upsample_bicubic2d_aa.vec _upsample_bilinear2d_aa.vec _weight_norm adaptive_avg_pool1d
	adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
	adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d batch_norm col2im
	conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution
	group_norm gru.input gru_cell im2col instance_norm layer_norm log_softmax lstm.input lstm_cell
	max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
	max_pool3d_with_indices native_batch_norm native_group_norm native_layer_norm renorm rms_norm
	rnn_relu.input rnn_relu_cell rnn_tanh.input rnn_tanh_cell scaled_dot_product_attention softmax
	upsample_bicubic2d.vec upsample_bilinear2d.vec upsample_linear1d.vec upsample_nearest1d.vec
	upsample_nearest2d.vec upsample_nearest3d.vec upsample_trilinear3d.vec

	alpha_dropout bernoulli dropout feature_alpha_dropout feature_dropout native_dropout normal
	rand rand_like randn randn_like uniform
	exponential multinomial poisson randint randint_like random randperm
`)

func names(list string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}

// mayCall returns an error for operations outside the list. The last ones in the list draw from libtorch's global
// generator, which torch.NewProgram refuses with its own message.
func mayCall(namespace, op, overload string) error {
	if namespace == "aten" {
		for _, name := range []string{op, strings.TrimSuffix(op, "_")} {
			if allowed[name] || allowed[name+"."+overload] {
				return nil
			}
		}
	}
	return fmt.Errorf("%s.%s.%s is not among the operations that a file may call, which read and write only their own "+
		"tensors: write this part of the network with other operations", namespace, op, overload)
}
