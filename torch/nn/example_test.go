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
