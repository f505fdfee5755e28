package main

import "github.com/losscorr/losscorr/torch"

// Operands of the generated cases, ops.go.

// operands returns n tensors of shapes that broadcast, mostly of one dtype.
func (s *source) operands(n int) []tensor {
	shape := s.shape(0, 5)
	in := []tensor{s.tensor(s.dtype(), shape...)}
	for len(in) < n {
		dtype := in[0].DType()
		if s.chance(.3) {
			dtype = s.dtype()
		}
		in = append(in, s.tensor(dtype, s.like(shape)...))
	}
	return in
}

// list returns tensors that can be joined along the first dimension.
func (s *source) list() (in []tensor) {
	shape, dtype := s.shape(1, 4), s.dtype()
	for range 1 + s.IntN(4) {
		if s.chance(.3) {
			shape[0] = s.size() % 20
		}
		in = append(in, s.tensor(dtype, s.about(shape...)...))
	}
	return in
}

// indexed returns a tensor, indices of as many dimensions, and for each index a value. Its dimensions are of one size,
// so that the indices are good for all of them.
func (s *source) indexed() []tensor {
	n, shape := 1+s.IntN(9), []int{}
	for range 1 + s.IntN(4) {
		shape = append(shape, n)
	}
	t := s.tensor(s.dtype(), shape...)
	for i := range shape {
		if s.chance(.3) {
			shape[i] = s.IntN(n + 1)
		}
	}
	return []tensor{t, s.index(n, shape...), s.tensor(t.DType(), s.about(shape...)...)}
}

// selected returns a tensor, with dimensions of one size, and a list of indices.
func (s *source) selected() []tensor {
	return []tensor{s.indexed()[0], s.index(s.IntN(10), s.about(s.size())...)}
}

// product returns two matrices, or with batches 1 two batches of them, that can be multiplied.
func (s *source) product(batches int) []tensor {
	batch := []int{s.IntN(5)}[:batches:batches]
	n, k, m := s.size(), s.size(), s.size()
	return s.tensors(s.float(), append(batch, n, k), append(batch, k, m))
}

// square returns square matrices, and right-hand sides with the given numbers of columns.
func (s *source) square(dtype torch.DType, columns ...int) []tensor {
	n := s.IntN(9)
	in := s.tensors(dtype, append(s.shape(0, 1), n, n))
	for _, c := range columns {
		in = append(in, s.tensor(dtype, n, c))
	}
	return in
}

// lookup returns a table and indices of its rows.
func (s *source) lookup() []tensor {
	t := s.tensor(s.float(), s.shape(2, 2)...)
	return []tensor{t, s.index(t.Size(0), s.shape(0, 3)...)}
}

// classified returns logits and classes.
func (s *source) classified() []tensor {
	shape := s.shape(2, 2)
	return []tensor{s.tensor(s.float(), shape...), s.index(shape[1], shape[0])}
}

// linear returns an input, weights and a bias. Wide inputs of mostly zeros take the path of sparse products.
func (s *source) linear() []tensor {
	n, k, m := s.size(), s.size(), s.size()
	if s.chance(.5) {
		n, k, m = s.IntN(140), 250+s.IntN(300), 64*(1+s.IntN(3))
	}
	in := s.tensors(s.float(), []int{n, k}, []int{m, k}, []int{m})
	if s.chance(.1) {
		in[2] = tensor{}
	}
	return in
}

// images may have no pixels; oneDNN has kernels for numbers of channels by the eight and sixteen.
func (s *source) images() tensor {
	return s.tensor(s.float(), s.about(s.IntN(5), s.channels(), s.IntN(12), s.IntN(12))...)
}

func (s *source) channels() int { return pick(s, 0, 1, 2, 3, 4, 8, 16, 24, 32) }

// attention returns queries, keys, values and a mask.
func (s *source) attention() []tensor {
	batch := []int{s.IntN(4), 1 + s.IntN(3)}[:pick(s, 2, 2, 2, 1, 0)]
	batch = batch[:len(batch):len(batch)]
	queries, keys, width := s.IntN(70), s.IntN(70), pick(s, 1, 3, 8, 16, 32, 33)
	in := s.tensors(s.float(), append(batch, queries, width), append(batch, keys, width),
		append(batch, keys, pick(s, width, width, s.IntN(33))))
	if s.chance(.6) {
		return append(in, tensor{})
	}
	return append(in, s.tensor(pick(s, torch.Bool, in[0].DType(), s.dtype()), s.like(append(batch, queries, keys))...))
}
