// Mnist is gotorch's program for MNIST: three linear layers, trained and tested each epoch.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

func main() {
	epochs := flag.Int("epochs", 5, "how often to see all images")
	save := flag.String("save", "mnist.safetensors", "the model's file")
	flag.Parse()
	data, err := published.Open("mnist", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := torch.Open(); err != nil {
		log.Fatal(err)
	}
	torch.Scope(func() {
		net := mlp(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "torch_default"})
		train(net, data, *epochs)
		if err := torch.SaveSafetensors(*save, nn.StateDict(net.Parameters()), nil); err != nil {
			log.Fatal(err)
		}
	})
}

func mlp(init nn.Init) *nn.Sequential {
	return nn.NewSequential(
		nn.NewLinear(nn.Linear{In: 784, Out: 512}, init), nn.Func(torch.Tensor.Tanh),
		nn.NewLinear(nn.Linear{In: 512, Out: 512}, init), nn.Func(torch.Tensor.Tanh),
		nn.NewLinear(nn.Linear{In: 512, Out: 10}, init),
	)
}

func train(net nn.Module, data *dataset.Dataset, epochs int) {
	x, y := tensors(data.Train)
	opt := optim.NewSGD(optim.SGD{LearningRate: .01, Momentum: .5}, net.Parameters())
	shuffle := torch.NewGenerator(1, torch.CPU)
	for epoch := range epochs {
		torch.Scope(func() {
			for _, rows := range shuffle.Permutation(y.Numel()).Split(64, 0) {
				torch.Scope(func() {
					pred := net.Forward(scaled(x.IndexSelect(0, rows)), nn.Train(nil))
					loss := pred.CrossEntropy(y.IndexSelect(0, rows), torch.ReduceMean)
					opt.ZeroGrad()
					loss.Backward()
					opt.Step()
				})
			}
			fmt.Printf("epoch %d: %.2f %% of the test images\n", epoch, 100*test(net, data.Test))
		})
	}
}

func test(net nn.Module, split dataset.Split) (accuracy float64) {
	torch.NoGrad(func() {
		x, y := tensors(split)
		pred := net.Forward(scaled(x), nn.Eval).Argmax(1)
		accuracy = pred.Eq(y).ToDType(torch.Float32).Mean().Item()
	})
	return accuracy
}

// tensors is a split as pixels [N 784] (Uint8) and classes [N] (Int64).
func tensors(split dataset.Split) (x, y torch.Tensor) {
	classes := make([]int64, split.Len())
	for i, class := range split.Labels {
		classes[i] = int64(class)
	}
	return torch.FromSlice(split.X, split.Len(), 784), torch.FromSlice(classes)
}

// scaled is ToTensor and Normalize of gotorch's transforms.
func scaled(pixels torch.Tensor) torch.Tensor {
	return pixels.ToDType(torch.Float32).DivScalar(255).SubScalar(.1307).DivScalar(.3081)
}
