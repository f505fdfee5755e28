package main

import (
	"math"
	"slices"
	"strings"
)

// table returns every operation, and those with the shim's own loops several
// times.
func table() []operation {
	all := slices.Concat(plain, making(), shapes(), indexing(), reductions(), windows(), networks(), transformers(),
		draws())
	for range 4 {
		all = append(all, own()...)
		all = append(all, optimizers()...)
	}
	// A case's number must have the same meaning in every process.
	slices.SortStableFunc(all, func(a, b operation) int { return strings.Compare(a.name, b.name) })
	return all
}

func both(a, b tensor) []tensor { return []tensor{a, b} }

func single(f func(tensor) tensor) func([]tensor) []tensor {
	return func(in []tensor) []tensor { return []tensor{f(in[0])} }
}

func double(f func(a, b tensor) tensor) func([]tensor) []tensor {
	return func(in []tensor) []tensor { return []tensor{f(in[0], in[1])} }
}

// changing calls an in-place operation on a copy of the first operand with the same strides.
func changing(f func(in []tensor)) func([]tensor) []tensor {
	return func(in []tensor) []tensor {
		moved := append([]tensor{in[0].Detach()}, in[1:]...)
		f(moved)
		return moved[:1]
	}
}

// extreme reports whether libtorch's vector and scalar loops may round v differently.
func extreme(v float64) bool { return math.Abs(v) > 100 || v != 0 && math.Abs(v) < 1e-6 }

func unary(name string, f func(tensor) tensor) operation {
	return operation{name, func(s *source) call {
		return call{in: []tensor{s.any(s.shape(0, 5)...)}, run: single(f)}
	}}
}
