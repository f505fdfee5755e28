package main

import (
	"fmt"
	"math"
	"runtime/debug"

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
	// tolerance is relative to the largest element, in float32; 0 means 1e-4.
	tolerance float64
	// unused is set if the operation may ignore an operand, so that a freed one may pass.
	unused bool
	// apart is set if results depend on more than values; they are not compared.
	apart bool
}

// outcome is the result of a call.
type outcome struct {
	name     string
	value    bool
	gradient bool
	typed    bool
	kind     torch.Kind
	announce bool // print the call before it is made
}

func (o outcome) String() string {
	if o.value {
		return o.name + ": a value"
	}
	return fmt.Sprintf("%s: an error of kind %v", o.name, o.kind)
}

// one makes and checks the case of a number.
func one(operations []operation, number uint64, announce bool) (o outcome, err error) {
	o.announce = announce
	s := newSource(number)
	op := operations[s.IntN(len(operations))]
	o.name = op.name
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic %v\n%s", op.name, r, debug.Stack())
		} else if err != nil {
			err = fmt.Errorf("%s: %w", op.name, err)
		}
	}()
	before := torch.Live()
	torch.Scope(func() { err = judge(s, op, &o) })
	if after := torch.Live(); err == nil && after != before {
		err = fmt.Errorf("%d tensors before, %d after", before, after)
	}
	return o, err
}

func judge(s *source, op operation, o *outcome) error {
	var c call
	if err := torch.Try(func() error { c = op.make(s); return nil }); err != nil {
		return fmt.Errorf("drawing the case: %w", err)
	}
	description := describe(c.in) + c.note
	if o.announce {
		fmt.Println(op.name, description)
	}
	plain, ended := c.arrange(s)
	got, gradients, err := result(c.run, c.in)
	if err != nil {
		e, ok := err.(*torch.Error)
		if !ok {
			return fmt.Errorf("%s: %w, not a *torch.Error", description, err)
		}
		o.typed, o.kind = true, e.Kind
		if e.Kind == torch.Internal {
			return fmt.Errorf("%s: an internal error: %w", description, err)
		}
		if e.Kind == torch.OutOfMemory {
			return nil
		}
	} else {
		o.value = true
		o.gradient = gradients != nil
	}
	if ended >= 0 {
		if err == nil && !c.unused {
			return fmt.Errorf("%s: a value, but operand %d was freed", description, ended)
		}
		return nil
	}
	if c.apart {
		return nil
	}
	return c.compare(got, gradients, err, plain, description)
}

// arrange returns plain copies of a call's operands. It makes some operands require gradients, or frees one
// and returns its number, else -1.
func (c *call) arrange(s *source) (plain []tensor, ended int) {
	ended = -1
	if len(c.in) > 0 && s.chance(.03) {
		ended = s.IntN(len(c.in))
	}
	record := ended < 0 && s.chance(.4)
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
	if ended >= 0 {
		torch.Scope(func() { c.in[ended] = torch.Ones(torch.Options{}, 2) })
	}
	return plain, ended
}

// compare compares the result of a call with the expected one for plain operands.
func (c *call) compare(got, gradients []tensor, err error, plain []tensor, description string) error {
	want := c.want
	if want == nil {
		want = c.run
	}
	expected, expectedGradients, expectedErr := result(want, plain)
	if torch.IsKind(expectedErr, torch.OutOfMemory) {
		return nil
	}
	if (err == nil) != (expectedErr == nil) {
		if c.layout {
			return nil
		}
		return fmt.Errorf("%s: error %v, expected %v", description, err, expectedErr)
	}
	if err != nil {
		return nil
	}
	tolerance := c.tolerance
	if tolerance == 0 {
		tolerance = 1e-4
	}
	if err := equal(got, expected, tolerance, c.wide); err != nil {
		return fmt.Errorf("%s: %w", description, err)
	}
	if err := equal(gradients, expectedGradients, 10*tolerance, c.wide); err != nil {
		return fmt.Errorf("%s: gradient: %w", description, err)
	}
	return nil
}

// result runs f and, if its results have a graph, returns the gradients of the operands
// that require them. An error of the backward pass counts as an error of the call.
func result(f func([]tensor) []tensor, in []tensor) (out, gradients []tensor, err error) {
	err = torch.Try(func() error {
		out = f(in)
		var total tensor
		for _, t := range out {
			if !t.RequiresGrad() || t.Numel() > largest {
				continue
			}
			// Different weights, so that a permutation changes the gradients.
			part := t.Mul(torch.Linspace(.5, 1.5, t.Numel(), torch.Options{}).Reshape(t.Shape()...).ToDType(t.DType())).Sum()
			if part.DType() != torch.Float64 {
				part = part.ToDType(torch.Float64)
			}
			if total.Defined() {
				part = part.Add(total)
			}
			total = part
		}
		if !total.Defined() {
			return nil
		}
		var wanted []tensor
		for _, t := range in {
			if t.Defined() && t.RequiresGrad() {
				wanted = append(wanted, t)
			}
		}
		gradients = torch.Grad(total, wanted, false)
		return nil
	})
	return out, gradients, err
}

// largest is the largest number of elements to compare; expanded results may have more
// than fit in memory.
const largest = 1 << 22

func equal(got, want []tensor, tolerance float64, wide bool) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d results, expected %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		if fmt.Sprint(g.Shape()) != fmt.Sprint(w.Shape()) {
			return fmt.Errorf("result %d has shape %v, expected %v", i, g.Shape(), w.Shape())
		}
		if g.DType() != w.DType() && !wide {
			return fmt.Errorf("result %d has dtype %v, expected %v", i, g.DType(), w.DType())
		}
		if g.Numel() > largest {
			continue
		}
		limit := tolerance
		switch g.DType() {
		case torch.BFloat16:
			limit *= 500
		case torch.Float16:
			limit *= 100
		}
		a, b := torch.Slice[float64](g.Detach()), torch.Slice[float64](w.Detach())
		scale := 1.
		for _, v := range b {
			if !math.IsInf(v, 0) && math.Abs(v) > scale {
				scale = math.Abs(v)
			}
		}
		for j := range a {
			if a[j] == b[j] || math.IsNaN(a[j]) && math.IsNaN(b[j]) {
				continue
			}
			if math.Abs(a[j]-b[j]) <= limit*scale {
				continue
			}
			return fmt.Errorf("element %d of result %d, %v %v, is %v, expected %v", j, i, g.Shape(), g.DType(), a[j], b[j])
		}
	}
	return nil
}

func describe(in []tensor) string {
	text := ""
	for i, t := range in {
		if i > 0 {
			text += ", "
		}
		if !t.Defined() {
			text += "none"
			continue
		}
		text += fmt.Sprintf("%v %v strides %v", t.DType(), t.Shape(), t.Strides())
	}
	return "(" + text + ")"
}
