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
	fmt.Printf("%.3g %.3g %.3g\n", rate(39), rate(40), rate(80))
	// Output: 0.1 0.01 0.001
}
