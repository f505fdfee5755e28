package torch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/torch"
)

func ExampleScope() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
		w := torch.Ones(torch.Options{}, 2, 1).SetRequiresGrad(true)
		loss := x.Mm(w).Square().Mean()
		loss.Backward()
		fmt.Println(loss.Item(), torch.Slice[float32](w.Grad()))
	})
	// Output: 29 [24 34]
}

func ExampleCall() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}).SetRequiresGrad(true)
		sums := torch.Call("aten::cumsum", x, 0)
		sums.Sum().Backward()
		fmt.Println(torch.Slice[float32](sums.Detach()), torch.Slice[float32](x.Grad()))
		a, b := torch.Ones(torch.Options{}, 4, 2), torch.Ones(torch.Options{}, 4, 3)
		batches := torch.Call("aten::einsum", "bi,bj->bij", []torch.Tensor{a, b})
		fmt.Println(batches.Shape())
	})
	// Output:
	// [1 3 6] [3 2 1]
	// [4 2 3]
}

func ExampleTry() {
	err := torch.Try(func() error {
		torch.Scope(func() {
			x := torch.Ones(torch.Options{}, 2, 3)
			x.Mm(x)
		})
		return nil
	})
	var e *torch.Error
	fmt.Println(errors.As(err, &e), e.Kind)
	fmt.Println(err)
	// Output:
	// true shape
	// torch: mm [2 3] float32 cpu, [2 3] float32 cpu: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
}

// cube is x^3, differentiable any number of times.
type cube struct{}

func (cube) Forward(ctx *torch.Context, x ...torch.Tensor) torch.Tensor {
	ctx.Save(x[0])
	return x[0].Mul(x[0].Square())
}

func (cube) Backward(ctx *torch.Context, grad torch.Tensor) []torch.Tensor {
	return []torch.Tensor{grad.Mul(ctx.Saved()[0].Square()).MulScalar(3)}
}

func ExampleApply() {
	torch.Scope(func() {
		x := torch.FromSlice([]float64{1, 2}).SetRequiresGrad(true)
		torch.Apply(cube{}, x).Sum().Backward()
		fmt.Println(torch.Slice[float64](x.Grad()))
	})
	// Output: [3 12]
}

func ExampleSaveSafetensors() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	torch.Scope(func() {
		state := map[string]torch.Tensor{"weight": torch.Eye(2, torch.Options{})}
		if err := torch.SaveSafetensors(path, state, map[string]string{"epoch": "40"}); err != nil {
			fmt.Println(err)
			return
		}
		tensors, metadata, err := torch.LoadSafetensors(path)
		fmt.Println(tensors["weight"], metadata, err)
	})
	// Output: Tensor([2 2] float32 cpu [1 0 0 1]) map[epoch:40] <nil>
}
