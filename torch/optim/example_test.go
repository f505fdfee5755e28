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
