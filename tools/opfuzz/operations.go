package main

import (
	"math"
	"slices"
	"strings"
)

// table is every operation, those with loops of the shim's own several times as
// often.
func table() []operation {
	all := slices.Concat(plain, making(), shapes(), indexing(), reductions(), windows(), networks(), transformers(),
		draws())
	for range 4 {
		all = append(all, own()...)
		all = append(all, optimizers()...)
	}
	// A case's number must mean the same in every process.
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

// changing is for operations on a copy of the first operand, which has its strides.
func changing(f func(in []tensor)) func([]tensor) []tensor {
	return func(in []tensor) []tensor {
		moved := append([]tensor{in[0].Detach()}, in[1:]...)
		f(moved)
		return moved[:1]
	}
}

// extreme is a scalar that libtorch's vector loops and scalar ones round differently.
func extreme(v float64) bool { return math.Abs(v) > 100 || v != 0 && math.Abs(v) < 1e-6 }

func unary(name string, f func(tensor) tensor) operation {
	return operation{name, func(s *source) call {
		return call{in: []tensor{s.any(s.shape(0, 5)...)}, run: single(f)}
	}}
}
