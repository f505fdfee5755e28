package scaling

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// mlp is the training step of the MNIST block with other sizes and random inputs.
type mlp struct {
	batch   int // examples per step
	width   int // of both hidden layers
	classes int
	loss    losses.Loss
}

// steps makes the network and returns a function that does a number of steps. The tensors belong to the caller's scope.
func (m mlp) steps(b *testing.B) func(steps int) {
	const inputs = 784
	model := expect.Got(models.MLP{Inputs: inputs, Classes: m.classes, Hidden: []int{m.width, m.width}, Dropout: .2}.New(
		nn.Init{Rand: rand.New(rand.NewPCG(1, 0))}))(b)
	examples, g := 4*m.batch, torch.NewGenerator(3, torch.CPU)
	set := train.Set{
		X: g.Normal(0, 1, torch.Options{}, examples, inputs),
		Y: g.Integers(0, m.classes, torch.Options{DType: torch.Int64}, examples),
	}
	optimizer := optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters())
	rows, dropout := torch.NewGenerator(2, torch.CPU).Permutation(examples), torch.NewGenerator(1, torch.CPU)
	return func(steps int) {
		for step := range steps {
			torch.Scope(func() {
				x, y := set.Take(rows.Narrow(0, step*m.batch%examples, m.batch))
				loss := m.loss.Apply(model.Forward(x, nn.Train(dropout)), y)
				optimizer.ZeroGrad()
				loss.Backward()
				optimizer.Step()
			})
		}
	}
}
