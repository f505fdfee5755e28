package main

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/losscorr/losscorr/torch"
)

type tensor = torch.Tensor

// operation makes random calls of one operation.
type operation struct {
	name string
	make func(s *source) call
}

// call is an operation with drawn operands and arguments.
type call struct {
	in   []tensor
	run  func(in []tensor) []tensor
	note string // of the arguments
	// want computes the expected result of run from contiguous copies of in, with
	// float32 as float64 if wide; nil means run itself.
	want func(in []tensor) []tensor
	wide bool
	// layout is set if the strides decide whether the call is valid; then an error of
	// only one side is allowed.
	layout bool
	// unused is set if the operation may ignore an operand, so that a freed one may pass.
	unused bool
	// rough means that rounding may change gradients, such as a ReLU's near 0; they are not compared.
	rough bool
	// apart is set if results depend on more than values; they are not compared.
	apart bool
}

// one makes and checks the case of a number. The outcome is "value" or a kind of error.
func one(operations []operation, number uint64, announce bool) (outcome string, err error) {
	s := newSource(number)
	op := operations[s.IntN(len(operations))]
	description := ""
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic %v\n%s", r, debug.Stack())
		}
		if err != nil {
			err = fmt.Errorf("%s%s: %w", op.name, description, err)
		}
	}()
	before := torch.Live()
	torch.Scope(func() {
		c := op.make(s)
		description = describe(c.in) + c.note
		if announce {
			fmt.Println(op.name + description)
		}
		c.apart = c.apart || s.strange
		outcome, err = c.judge(s)
	})
	if after := torch.Live(); err == nil && after != before {
		err = fmt.Errorf("%d tensors before, %d after", before, after)
	}
	return outcome, err
}

func (c *call) judge(s *source) (outcome string, err error) {
	plain := c.arrange(s)
	freed := len(c.in) > 0 && s.chance(.03)
	if freed {
		torch.Scope(func() { c.in[s.IntN(len(c.in))] = torch.Ones(torch.Options{}, 2) })
	}
	outcome = "value"
	got, gradients, err := result(c.run, c.in)
	if err != nil {
		kind := err.(*torch.Error).Kind
		if kind == torch.Internal {
			return "", fmt.Errorf("an internal error: %w", err)
		}
		outcome = kind.String()
	}
	if freed && err == nil && !c.unused {
		return "", fmt.Errorf("a value, but an operand was freed")
	}
	if freed || c.apart || torch.IsKind(err, torch.OutOfMemory) {
		return outcome, nil
	}
	want := c.want
	if want == nil {
		want = c.run
	}
	expected, expectedGradients, expectedErr := result(want, plain)
	switch {
	case torch.IsKind(expectedErr, torch.OutOfMemory):
	case (err == nil) != (expectedErr == nil):
		if !c.layout {
			return "", fmt.Errorf("error %v, expected %v", err, expectedErr)
		}
	case err == nil:
		if err := c.equal(got, expected, .005); err != nil {
			return "", err
		}
		if err := c.equal(gradients, expectedGradients, .02); err != nil && !c.rough {
			return "", fmt.Errorf("gradient: %w", err)
		}
	}
	return outcome, nil
}

// arrange returns plain copies of a call's operands. It makes some operands require gradients.
func (c *call) arrange(s *source) (plain []tensor) {
	record := s.chance(.4)
	plain = make([]tensor, len(c.in))
	for i, t := range c.in {
		if !t.Defined() {
			continue
		}
		plain[i] = t.Contiguous().Clone()
		if c.wide && t.DType() == torch.Float32 {
			plain[i] = plain[i].ToDType(torch.Float64)
		}
		if record && t.DType().IsFloat() && s.chance(.8) {
			c.in[i] = t.Detach().SetRequiresGrad(true)
			plain[i].SetRequiresGrad(true)
		}
	}
	return plain
}

// result runs f and, if its results have a graph, returns the gradients of the operands
// that require them. An error of the backward pass counts as an error of the call.
func result(f func([]tensor) []tensor, in []tensor) (out, gradients []tensor, err error) {
	err = torch.Try(func() error {
		out = f(in)
		total := torch.Zeros(torch.Options{DType: torch.Float64})
		for _, t := range out {
			if !t.RequiresGrad() || t.Numel() > largest {
				continue
			}
			// Different weights, so that a permutation changes the gradients.
			weights := torch.Linspace(.5, 1.5, t.Numel(), torch.Options{}).Reshape(t.Shape()...).ToDType(t.DType())
			total = total.Add(t.Mul(weights).Sum().ToDType(torch.Float64))
		}
		if total.RequiresGrad() {
			gradients = torch.Grad(total, slices.DeleteFunc(slices.Clone(in), func(t tensor) bool {
				return !t.Defined() || !t.RequiresGrad()
			}), false)
		}
		return nil
	})
	return out, gradients, err
}

// largest is the largest number of elements to compare; expanded results may have more
// than fit in memory.
const largest = 1 << 22

// equal compares tensors; the tolerance is relative to the largest element, in float32.
func (c *call) equal(got, want []tensor, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d results, expected %d", len(got), len(want))
	}
	for i, g := range got {
		w, limit := want[i], tolerance
		if !slices.Equal(g.Shape(), w.Shape()) || g.DType() != w.DType() && !c.wide {
			return fmt.Errorf("result %d is %v %v, expected %v %v", i, g.DType(), g.Shape(), w.DType(), w.Shape())
		}
		if g.Numel() > largest {
			continue
		}
		if g.DType() == torch.BFloat16 || g.DType() == torch.Float16 {
			limit *= 20
		}
		a, b := torch.Slice[float64](g.Detach()), torch.Slice[float64](w.Detach())
		scale := 1.
		for _, v := range b {
			if !math.IsInf(v, 0) && math.Abs(v) > scale {
				scale = math.Abs(v)
			}
		}
		for j := range a {
			same := a[j] == b[j] || math.IsNaN(a[j]) && math.IsNaN(b[j])
			if !same && !(math.Abs(a[j]-b[j]) <= limit*scale) {
				return fmt.Errorf("element %d of result %d, %v %v, is %v, expected %v", j, i, g.Shape(), g.DType(), a[j], b[j])
			}
		}
	}
	return nil
}

func describe(in []tensor) string {
	text := ""
	for _, t := range in {
		if t.Defined() {
			text += fmt.Sprintf(" (%v %v strides %v)", t.DType(), t.Shape(), t.Strides())
		} else {
			text += " (none)"
		}
	}
	return text
}
