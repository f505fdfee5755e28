package main

import (
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// A second of the fuzzer, always the same cases.
func TestCalls(t *testing.T) {
	torchtest.Open(t)
	expect.OK(t, run(settings{duration: time.Second, seed: 1}))
}

// The checks find wrong values, wrong gradients, untyped errors, results of freed
// tensors and leaked tensors.
func TestJudgeFindsFaults(t *testing.T) {
	torchtest.Open(t)
	operand := func(s *source) []tensor { return []tensor{s.tensor(torch.Float32, 3, 4)} }
	for want, f := range map[string]func(s *source) call{
		"element": func(s *source) call {
			return call{in: operand(s), run: single(tensor.Exp), want: single(func(t tensor) tensor {
				return t.Exp().MulScalar(1.01)
			})}
		},
		"gradient": func(s *source) call {
			return call{in: operand(s), run: single(func(t tensor) tensor {
				return t.Detach().Exp().Add(t.MulScalar(0))
			}), want: single(tensor.Exp)}
		},
		"error": func(s *source) call {
			return call{in: operand(s), run: single(func(t tensor) tensor {
				return t.Add(torch.Ones(torch.Options{}, 9))
			}), want: single(tensor.Exp)}
		},
		"was freed": func(s *source) call { return call{in: operand(s), run: func([]tensor) []tensor { return nil }} },
		"internal": func(s *source) call {
			return call{in: operand(s), run: func([]tensor) []tensor { panic(&torch.Error{Kind: torch.Internal}) }}
		},
		"panic no type": func(s *source) call {
			return call{in: operand(s), run: func([]tensor) []tensor { panic("no type") }}
		},
		"tensors before": func(s *source) call {
			return call{in: operand(s), run: func([]tensor) []tensor {
				torch.Ones(torch.Options{}).Keep().Keep()
				return nil
			}, unused: true}
		},
	} {
		found := false
		torch.Scope(func() { // frees the leaked tensors
			for number := uint64(1); number < 400 && !found; number += 2 {
				_, err := one([]operation{{"faulty", f}}, number, false)
				found = err != nil && strings.Contains(err.Error(), want)
			}
		})
		if !found {
			t.Errorf("no case finds what should say %q", want)
		}
	}
}
