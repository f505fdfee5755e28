package nn_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

func ExampleNewSequential() {
	torch.Scope(func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 1)), Scheme: "he_normal"}
		model := nn.NewSequential(
			nn.NewLinear(nn.Linear{In: 784, Out: 128}, init),
			nn.ReLU{},
			nn.Dropout{P: .2},
			nn.NewLinear(nn.Linear{In: 128, Out: 10}, init),
		)
		logits := model.Forward(torch.Zeros(torch.Options{}, 32, 784), nn.Eval)
		fmt.Println(logits.Shape(), nn.CountParameters(model.Parameters()))
		for _, p := range model.Parameters() {
			fmt.Println(p.Name, p.Tensor.Shape())
		}
	})
	// Output:
	// [32 10] 101770
	// 0.weight [128 784]
	// 0.bias [128]
	// 3.weight [10 128]
	// 3.bias [10]
}

func ExampleInit_Check() {
	fmt.Println(nn.Init{Scheme: "he"}.Check())
	// Output:
	// initialiser "he" is unknown: choose one of glorot_normal, glorot_uniform, he_normal, he_uniform, orthogonal, torch_default, uniform_0.05, zeros
}

func ExampleFunc() {
	torch.Scope(func() {
		model := nn.NewSequential(nn.Func(torch.Tensor.ReLU), nn.Func(func(x torch.Tensor) torch.Tensor {
			return x.MulScalar(2)
		}))
		fmt.Println(model.Forward(torch.Zeros(torch.Options{}, 2), nn.Eval))
	})
	// Output: Tensor([2] float32 cpu [0 0])
}

func ExampleConv2d() {
	torch.Scope(func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 1))}
		layer := nn.NewConv2d(nn.Conv2d{In: 3, Out: 16, Kernel: 3, Padding: 1}, init)
		x := torch.Zeros(torch.Options{}, 1, 3, 32, 32)
		fmt.Println(layer.Forward(x, nn.Eval).Shape())
	})
	// Output: [1 16 32 32]
}
