package optim_test

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// The minimum of (w - 3)^2.
func ExampleNewSGD() {
	torch.Scope(func() {
		w := torch.Zeros(torch.Options{}).SetRequiresGrad(true)
		optimizer := optim.NewSGD(optim.SGD{LearningRate: .25}, []nn.Parameter{{Name: "w", Tensor: w}})
		for range 20 {
			torch.Scope(func() {
				optimizer.ZeroGrad()
				w.SubScalar(3).Square().Backward()
				optimizer.Step()
			})
		}
		fmt.Printf("%.3f\n", w.Item())
	})
	// Output: 3.000
}

func ExampleSteps() {
	rate := optim.Steps(.1, .1, 40, 80)
	fmt.Printf("%.3g %.3g %.3g\n", rate(0), rate(40), rate(80))
	// Output: 0.1 0.01 0.001
}

func ExampleNewEMA() {
	torch.Scope(func() {
		params := []nn.Parameter{{Name: "weight", Tensor: torch.Zeros(torch.Options{}, 1).SetRequiresGrad(true)}}
		optimizer := optim.NewSGD(optim.SGD{LearningRate: 1}, params)
		average := optim.NewEMA(optim.EMA{Decay: .5}, params)
		for range 3 { // each step lowers the weight by 1
			optimizer.ZeroGrad()
			params[0].Tensor.Sum().Backward()
			optimizer.Step()
			average.Update()
		}
		average.Use(func() { fmt.Println("average", params[0].Tensor.Item()) })
		fmt.Println("weight", params[0].Tensor.Item())
	})
	// Output:
	// average -2.25
	// weight -3
}

func ExampleByPrefix() {
	factor := optim.ByPrefix(map[string]float64{"backbone.": .1, "backbone.stem.": 0})
	for _, name := range []string{"backbone.stem.weight", "backbone.4.weight", "head.weight"} {
		fmt.Println(name, factor(nn.Parameter{Name: name}))
	}
	// Output:
	// backbone.stem.weight 0
	// backbone.4.weight 0.1
	// head.weight 1
}
