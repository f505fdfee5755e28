package train_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func BenchmarkStepParts(b *testing.B) {
	torchtest.Open(b)
	torch.SetThreads(1)
	torch.Scope(func() {
		m, _ := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"})
		g := torch.NewGenerator(1, torch.CPU)
		mnist, err := published.Open("mnist", dataset.Options{Root: "../../../data"})
		if err != nil {
			b.Fatal(err)
		}
		X := torch.FromSlice(mnist.Train.X[:6000*784], 6000, 784).ToDType(torch.Float32).DivScalar(255)
		Y := g.Integers(0, 10, torch.Options{DType: torch.Int64}, 6000)
		perm := g.Permutation(6000)
		loss := losses.NewCrossEntropy(10, losses.Options{Clip: 1e-7})
		var params, sums []torch.Tensor
		for _, p := range m.Parameters() {
			params = append(params, p.Tensor)
			sums = append(sums, torch.ZerosLike(p.Tensor))
		}
		i := 0
		take := func() (torch.Tensor, torch.Tensor) {
			rows := perm.Narrow(0, i%46*128, 128)
			i++
			return X.IndexSelect(0, rows), Y.IndexSelect(0, rows)
		}
		run := func(name string, f func()) {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					torch.Scope(f)
				}
			})
		}
		x0, y0 := take()
		run("take", func() { take() })
		run("forward", func() { m.Forward(x0, nn.Train(g)) })
		run("loss", func() { z := torch.Zeros(torch.Options{}, 128, 10).SetRequiresGrad(true); loss.Apply(z, y0).Backward() })
		run("builtinloss", func() {
			z := torch.Zeros(torch.Options{}, 128, 10).SetRequiresGrad(true)
			z.CrossEntropy(y0).Backward()
		})
		run("forward+backward", func() { loss.Apply(m.Forward(x0, nn.Train(g)), y0).Backward(); torch.ZeroGrad(params) })
		run("step", func() {
			x, y := take()
			l := loss.Apply(m.Forward(x, nn.Train(g)), y)
			torch.ZeroGrad(params)
			l.Backward()
			torch.AdaGrad{LearningRate: .01, Epsilon: 1e-8}.Step(params, sums)
		})
		run("adagrad", func() { torch.AdaGrad{LearningRate: .01, Epsilon: 1e-8}.Step(params, sums) })
		h := torch.Zeros(torch.Options{}, 128, 128)
		run("relu_dropout", func() { h.ReLUDropout(.2, g) })
		run("dropout", func() { h.Dropout(.2, g) })
		w := params[0].Detach()
		g1 := torch.Zeros(torch.Options{}, 128, 128).AddScalar(1)
		run("gemm fwd", func() { x0.Linear(w, torch.Tensor{}) })
		run("gemm dW", func() { g1.T().Mm(x0) })
		run("gemm l2", func() { g1.Mm(g1) })
	})
}
