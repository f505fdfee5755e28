package main

import "github.com/losscorr/losscorr/torch"

// Operands and arguments of the generated cases, ops.go.

// operands returns n tensors of shapes that broadcast, mostly of one dtype.
func (s *source) operands(n int) []tensor {
	shape := s.shape(0, 5)
	in := []tensor{s.any(shape...)}
	for len(in) < n {
		dtype := in[0].DType()
		if s.chance(.3) {
			dtype = s.dtype()
		}
		in = append(in, s.tensor(dtype, s.like(shape)...))
	}
	return in
}

// place returns a dimension of the first operand, or another small number.
func (s *source) place(in ...tensor) int {
	if len(in) == 0 || s.chance(.4) {
		return s.number()
	}
	return s.dim(in[0])
}

// sizes returns a shape that the first operand may be reshaped or expanded to.
func (s *source) sizes(in ...tensor) []int {
	if len(in) == 0 || s.chance(.2) {
		shape := s.shape(0, 5)
		if len(shape) > 0 && s.chance(.1) {
			shape[s.IntN(len(shape))] = s.number()
		}
		return shape
	}
	shape := in[0].Shape()
	if s.chance(.4) { // expanded
		for i := range shape {
			if shape[i] == 1 || s.chance(.1) {
				shape[i] = s.number()
			}
		}
		if s.chance(.3) {
			shape = append([]int{s.number()}, shape...)
		}
		return shape
	}
	s.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	if len(shape) > 1 && s.chance(.5) {
		shape = append([]int{shape[0] * shape[1]}, shape[2:]...)
	}
	if len(shape) > 0 && s.chance(.4) {
		shape[s.IntN(len(shape))] = -1
	}
	if s.chance(.1) {
		shape = append(shape, s.number())
	}
	return shape
}

// axes returns some dimensions of t.
func (s *source) axes(t tensor) []int {
	var dims []int
	for range s.IntN(t.Dim() + 2) {
		dims = append(dims, s.dim(t))
	}
	return dims
}

func (s *source) options() torch.Options { return torch.Options{DType: s.dtype()} }

// matrices returns tensors of the given shapes, rarely of others, and of one dtype.
func (s *source) matrices(dtype torch.DType, shapes ...[]int) (in []tensor) {
	for _, shape := range shapes {
		in = append(in, s.tensor(dtype, s.other(shape)...))
	}
	return in
}

// product returns two matrices, or with batches 1 two batches of them, that can be multiplied.
func (s *source) product(batches int) []tensor {
	dtype := s.float()
	if s.chance(.1) {
		dtype = s.dtype()
	}
	batch := []int{s.IntN(5)}[:batches]
	n, k, m := s.size(), s.size(), s.size()
	return s.matrices(dtype, append(batch[:batches:batches], n, k), append(batch[:batches:batches], k, m))
}

// square returns square matrices, and right-hand sides with the given numbers of columns.
func (s *source) square(dtype torch.DType, columns ...int) []tensor {
	n := s.IntN(9)
	shape := append(s.shape(0, 1), n, n)
	in := s.matrices(dtype, shape)
	for _, c := range columns {
		in = append(in, s.tensor(dtype, append(s.like(shape[:len(shape)-1]), c)...))
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
