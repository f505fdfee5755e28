package torch_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// expOf is e^x times a factor, with a differentiable backward.
type expOf struct{ factor float64 }

func (f expOf) Forward(ctx *torch.Context, x ...tensor) tensor {
	ctx.Save(x[0])
	return x[0].Exp().MulScalar(f.factor)
}

func (f expOf) Backward(ctx *torch.Context, grad tensor) []tensor {
	return []tensor{grad.Mul(ctx.Saved()[0].Exp()).MulScalar(f.factor)}
}

// product is x y.
type product struct{}

func (product) Forward(ctx *torch.Context, x ...tensor) tensor {
	ctx.Save(x...)
	return x[0].Mul(x[1])
}

func (product) Backward(ctx *torch.Context, grad tensor) []tensor {
	saved := ctx.Saved()
	return []tensor{grad.Mul(saved[1]), grad.Mul(saved[0])}
}

// faulty is the identity with any backward.
type faulty struct {
	backward func(grad tensor) []tensor
}

func (faulty) Forward(_ *torch.Context, x ...tensor) tensor      { return x[0].Clone() }
func (f faulty) Backward(_ *torch.Context, grad tensor) []tensor { return f.backward(grad) }

func TestFunctionValueAndGradient(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torchtest.FromSlice([]float64{-1, .5, 2})
	torchtest.Close(t, "value", torch.Apply(expOf{3}, x), torch.Slice[float64](x.Exp().MulScalar(3)), 0)
	torchtest.GradCheck(t, "exp", func(x tensor) tensor { return torch.Apply(expOf{3}, x.Square()).Sum() }, x)
	y := torchtest.FromSlice([]float64{4, 5, 6})
	torchtest.GradCheck(t, "product by its first", func(x tensor) tensor {
		return torch.Apply(product{}, x, y.Exp()).Sum()
	}, x)
	torchtest.GradCheck(t, "product by its second", func(y tensor) tensor {
		return torch.Apply(product{}, x, y).Square().Sum()
	}, y)
	torchtest.GradCheck(t, "product by both", func(x tensor) tensor { return torch.Apply(product{}, x, x).Sum() }, x)
	// float32, and only one of two inputs requires a gradient.
	half := torchtest.FromSlice([]float32{1, 2}).SetRequiresGrad(true)
	torch.Apply(product{}, half, torchtest.FromSlice([]float32{3, 4})).Sum().Backward()
	torchtest.Close(t, "one input", half.Grad(), []float64{3, 4}, 0)
}

// (3 e^(x^2))' = 6 x e^(x^2), and ” = (6 + 12 x^2) e^(x^2).
func TestFunctionSecondDerivative(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := leaf(-.5, 1)
	first := torch.Grad(torch.Apply(expOf{3}, x.Square()).Sum(), []tensor{x}, true)[0]
	second := torch.Grad(first.Sum(), []tensor{x}, false)[0]
	e := x.Detach().Square().Exp()
	torchtest.Close(t, "first", first, torch.Slice[float64](x.Detach().MulScalar(6).Mul(e)), 1e-13)
	torchtest.Close(t, "second", second, torch.Slice[float64](x.Detach().Square().MulScalar(12).AddScalar(6).Mul(e)),
		1e-13)
}

// A function is recorded if an input requires a gradient, and its Backward if the gradient is to be differentiated. A
// panic in Forward reaches the caller of Apply, and gradients are recorded afterwards.
func TestFunctionRecords(t *testing.T) {
	defer torchtest.Scoped(t)()
	y := torch.Apply(expOf{1}, torchtest.FromSlice([]float64{1}))
	expect.Same(t, false, y.RequiresGrad(), "recorded although no input requires a gradient")
	torch.NoGrad(func() { y = torch.Apply(expOf{1}, leaf(1)) })
	expect.Same(t, false, y.RequiresGrad(), "recorded inside NoGrad")
	torchtest.Raises(t, torch.Shape, func() { torch.Apply(product{}, torch.Ones(f64, 2), torch.Ones(f64, 3)) })
	recorded := []bool{torch.GradEnabled()}
	f := faulty{func(grad tensor) []tensor {
		recorded = append(recorded, torch.GradEnabled())
		return []tensor{grad}
	}}
	x := leaf(1)
	torch.Grad(torch.Apply(f, x).Sum(), []tensor{x}, false)
	torch.Grad(torch.Apply(f, x).Sum(), []tensor{x}, true)
	expect.Same(t, []bool{true, false, true}, recorded, "GradEnabled after a panic and in Backward")
}

// A tensor error in Backward, or wrong gradients, become a *torch.Error of the caller, and the next Backward works.
func TestFunctionErrors(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := leaf(1, 2)
	for _, c := range []struct {
		name     string
		backward func(grad tensor) []tensor
		kind     torch.Kind
		want     string
	}{
		{"index error", func(g tensor) []tensor { return []tensor{g.Select(0, 7)} }, torch.Index, "select [2] "},
		{"error of one's own", func(tensor) []tensor {
			panic(&torch.Error{Op: "own", Kind: torch.NotImplemented, Msg: "no such shape"})
		}, torch.NotImplemented, "torch: own: no such shape"},
		{"too few", func(tensor) []tensor { return nil }, torch.Value, "returned 0 gradients for 1 inputs"},
		{"too many", func(g tensor) []tensor { return []tensor{g, g} }, torch.Value, "returned 2 gradients for 1 inputs"},
		{"wrong shape", func(g tensor) []tensor { return []tensor{torch.Ones(f64, 5)} }, torch.Shape, "shape"},
		{"ended tensor", func(g tensor) []tensor {
			var gone tensor
			torch.Scope(func() { gone = g.Clone() })
			return []tensor{gone}
		}, torch.StaleHandle, "scope ended"},
	} {
		e := torchtest.Raises(t, c.kind, func() { torch.Apply(faulty{c.backward}, x).Sum().Backward() })
		expect.Says(t, e, c.want)
		expect.Same(t, "backward", e.Op, c.name)
		expect.Same(t, true, torch.GradEnabled(), c.name+": recording afterwards")
	}
	torch.ZeroGrad([]tensor{x})
	torch.Apply(expOf{1}, x).Sum().Backward()
	torchtest.Close(t, "afterwards", x.Grad(), torch.Slice[float64](x.Exp()), 0)
}

// takeFirst raises the runtime error of the next test, whose stack must name it.
func takeFirst(none []tensor) []tensor { return none[:1:1] }

// Any other panic in Backward is a bug of the program. It reaches the caller of Backward with its value and stack,
// passes through Try, and the next backward works.
func TestFunctionPanics(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := leaf(1, 2)
	type own struct{ text string }
	run := func(call func(y tensor), backward func(grad tensor) []tensor) (p *torch.BackwardPanic) {
		defer func() {
			r := recover()
			if p, _ = r.(*torch.BackwardPanic); p == nil {
				t.Fatalf("recovered %v, want a *BackwardPanic", r)
			}
			expect.Same(t, true, torch.GradEnabled(), "recording afterwards")
		}()
		_ = torch.Try(func() error { call(torch.Apply(faulty{backward}, x).Sum()); return nil })
		return nil
	}
	for name, call := range map[string]func(y tensor){
		"Backward": tensor.Backward,
		"Grad":     func(y tensor) { torch.Grad(y, []tensor{x}, false) },
	} {
		p := run(call, func(tensor) []tensor { return takeFirst(nil) })
		var fault runtime.Error
		if !errors.As(p, &fault) || !strings.Contains(fault.Error(), "slice bounds out of range") {
			t.Errorf("%s: value %v, want the runtime's error", name, p.Value)
		}
		expect.Says(t, string(p.Stack), "takeFirst")
		expect.Says(t, p, "takeFirst")
		p = run(call, func(tensor) []tensor { panic(own{"no gradient today"}) })
		if p.Value != (own{"no gradient today"}) || p.Unwrap() != nil {
			t.Errorf("%s: value %v", name, p.Value)
		}
	}
	torch.Apply(expOf{1}, x).Sum().Backward()
	torchtest.Close(t, "afterwards", x.Grad(), torch.Slice[float64](x.Exp()), 0)
}

func TestFunctionWithoutGradientForAnInput(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := leaf(1, 2)
	torch.Apply(faulty{func(tensor) []tensor { return []tensor{{}} }}, x).Sum().Backward()
	expect.Same(t, false, x.Grad().Defined(), "a gradient where Backward gave none")
}

// The handles that a record holds are freed with it, used or not.
func TestFunctionIsReleased(t *testing.T) {
	torchtest.Open(t)
	released := make(chan bool, 100)
	torch.Scope(func() {
		before := torch.Live()
		for i := range 100 {
			torch.Scope(func() {
				payload := new([1 << 10]float64)
				runtime.SetFinalizer(payload, func(*[1 << 10]float64) { released <- true })
				x := leaf(1)
				y := torch.Apply(faulty{func(g tensor) []tensor {
					payload[0]++
					return []tensor{g}
				}}, x).Sum()
				if i%2 == 0 {
					y.Backward()
				}
			})
		}
		expect.Same(t, before, torch.Live(), "tensors")
		torch.Apply(expOf{1}, leaf(1)) // releases functions with freed records
	})
	for range 5 {
		runtime.GC()
		runtime.Gosched()
	}
	runtime.GC()
	if n := len(released); n < 99 {
		t.Errorf("%d of 100 functions were released", n)
	}
}

// Each goroutine's backward calls its own functions on its own thread and in its own scope.
func TestFunctionsInParallel(t *testing.T) {
	defer torchtest.Scoped(t)()
	var waiting sync.WaitGroup
	for g := range 8 {
		waiting.Go(func() {
			torch.Scope(func() {
				x := leaf(float64(g))
				for range 100 {
					torch.Scope(func() {
						torch.ZeroGrad([]tensor{x})
						torch.Apply(product{}, x, x).Sum().Backward()
						expect.Same(t, 2*float64(g), x.Grad().Item(), "gradient")
					})
				}
			})
		})
	}
	waiting.Wait()
}
