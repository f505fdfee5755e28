// Sgd is the first example of gotorch: it draws inputs for two linear layers and takes steps
// that lower the mean square of their outputs. (The sum, which the original lowers, has no minimum.)
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

func main() {
	torch.Scope(func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "torch_default"}
		net := nn.NewSequential(
			nn.NewLinear(nn.Linear{In: 100, Out: 200, NoBias: true}, init),
			nn.NewLinear(nn.Linear{In: 200, Out: 10, NoBias: true}, init),
		)
		opt := optim.NewSGD(optim.SGD{LearningRate: .001}, net.Parameters())
		g := torch.NewGenerator(1, torch.CPU)
		for step := range 100 {
			torch.Scope(func() { // what a step makes is freed at its end
				data := g.Normal(0, 1, torch.Options{}, 32, 100)
				loss := net.Forward(data, nn.Train(g)).Square().Mean()
				opt.ZeroGrad()
				loss.Backward()
				opt.Step()
				if step%20 == 0 {
					fmt.Println(step, loss.Item())
				}
			})
		}
	})
}
