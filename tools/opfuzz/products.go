package main

import (
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// products is matrix products and linear algebra.
func products() []operation {
	matrices := func(name string, tolerance float64, f func([]tensor) []tensor, shapes func(s *source) [][]int) operation {
		return operation{name, func(s *source) call {
			dtype := s.float()
			if s.chance(.1) {
				dtype = s.dtype()
			}
			var in []tensor
			for _, shape := range shapes(s) {
				if s.chance(.03) {
					shape = s.shape(0, 4)
				}
				in = append(in, s.tensor(dtype, shape...))
			}
			return call{in: in, run: f, tolerance: tolerance, apart: s.strange}
		}}
	}
	square := func(s *source) [][]int {
		n := s.IntN(9)
		return [][]int{append(s.shape(0, 1), n, n)}
	}
	small := func(s *source) int { return s.size() }
	return []operation{
		matrices("Mm", 1e-3, double(tensor.Mm), func(s *source) [][]int {
			n, k, m := small(s), small(s), small(s)
			return [][]int{{n, k}, {k, m}}
		}),
		matrices("Matmul", 1e-3, double(tensor.Matmul), func(s *source) [][]int {
			n, k, m := small(s), small(s), small(s)
			return [][]int{append(s.shape(0, 1), n, k), {k, m}}
		}),
		matrices("Bmm", 1e-3, double(tensor.Bmm), func(s *source) [][]int {
			b, n, k, m := s.IntN(5), small(s), small(s), small(s)
			return [][]int{{b, n, k}, {b, k, m}}
		}),
		matrices("Addmm", 1e-3, func(x []tensor) []tensor { return []tensor{torch.Addmm(x[0], x[1], x[2], .5, 2)} }, func(s *source) [][]int {
			n, k, m := small(s), small(s), small(s)
			return [][]int{s.like([]int{n, m}), {n, k}, {k, m}}
		}),
		// The derivative of a singular matrix's is anything.
		matrices("Inverse", 1e9, single(func(t tensor) tensor { return t.Inverse().MulScalar(0).Detach() }), square),
		matrices("SVDVals", 1e-3, single(func(t tensor) tensor { return t.SVDVals().Detach() }), square),
		matrices("EigvalsH", 1e-3, single(func(t tensor) tensor { return t.EigvalsH().Detach() }), square),
		{"SLogDet", func(s *source) call {
			t := s.tensor(torch.Float64, square(s)[0]...)
			return call{in: []tensor{t}, apart: true, run: func(x []tensor) []tensor {
				sign, logabs := x[0].SLogDet()
				return []tensor{sign.Detach(), logabs.Detach()}
			}}
		}},
		{"Einsum", einsum},
		{"Solve", func(s *source) call {
			shape := square(s)[0]
			return call{in: []tensor{s.tensor(torch.Float64, shape...), s.tensor(torch.Float64, append(s.like(shape[:len(shape)-1]), s.IntN(4))...)}, apart: true, run: double(func(a, b tensor) tensor {
				return a.Solve(b).Detach()
			})}
		}},
	}
}

// einsum draws an equation and sizes for its letters.
func einsum(s *source) call {
	equation := pick(s, "ij,jk->ik", "bij,bjk->bik", "bqe,bke->bqk", "ii", "ii->i", "ij->ji", "i,j", "b...d,bc,c->d", "...ij->...ji", "ijk,jil,kl->il", "i,i,i", "ij,ij", "->", "a,a->", "ij,j")
	if s.chance(.1) { // malformed, or of another number of operands
		letters := []byte(equation)
		letters[s.IntN(len(letters))] = pick[byte](s, 'i', 'z', ',', '.', '-', '>', ' ', '1', 0xff)
		equation = string(letters)
	}
	dtype, sizes := s.float(), map[rune]int{}
	var in []tensor
	terms, _, _ := strings.Cut(equation, "->")
	for term := range strings.SplitSeq(terms, ",") {
		shape := []int{}
		for _, letter := range strings.ReplaceAll(term, "...", ".") {
			if _, ok := sizes[letter]; !ok {
				sizes[letter] = pick(s, 0, 1, 1+s.IntN(9), 1+s.IntN(9), 1+s.IntN(9), 1+s.IntN(9), 17)
			}
			shape = append(shape, s.about(sizes[letter]))
		}
		for len(shape) > 6 || count(shape) > 1<<16 {
			shape = shape[1:]
		}
		in = append(in, s.tensor(dtype, shape...))
	}
	return call{in: in, note: " " + equation, tolerance: 1e-3, apart: s.strange, run: func(x []tensor) []tensor { return []tensor{torch.Einsum(equation, x...)} }}
}
