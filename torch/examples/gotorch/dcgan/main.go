// Dcgan is a step of gotorch's DCGAN. The discriminator ends before the sigmoid, which is part of
// BCEWithLogits; the scheme of nn.Init draws the weights.
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

func generator(nz, nc, ngf int, init nn.Init) *nn.Sequential {
	up := func(in, out, stride, padding int) nn.Module {
		return nn.NewConvTranspose2d(nn.ConvTranspose2d{In: in, Out: out, Kernel: 4, Stride: stride, Padding: padding, NoBias: true}, init)
	}
	norm := func(n int) nn.Module { return nn.NewBatchNorm2d(nn.BatchNorm{Features: n}, init) }
	return nn.NewSequential(
		up(nz, 8*ngf, 1, 0), norm(8*ngf), nn.ReLU{},
		up(8*ngf, 4*ngf, 2, 1), norm(4*ngf), nn.ReLU{},
		up(4*ngf, 2*ngf, 2, 1), norm(2*ngf), nn.ReLU{},
		up(2*ngf, ngf, 2, 1), norm(ngf), nn.ReLU{},
		up(ngf, nc, 2, 1), nn.Func(torch.Tensor.Tanh),
	)
}

func discriminator(nc, ndf int, init nn.Init) *nn.Sequential {
	down := func(in, out, stride, padding int) nn.Module {
		return nn.NewConv2d(nn.Conv2d{In: in, Out: out, Kernel: 4, Stride: stride, Padding: padding, NoBias: true}, init)
	}
	norm := func(n int) nn.Module { return nn.NewBatchNorm2d(nn.BatchNorm{Features: n}, init) }
	leaky := nn.LeakyReLU{Slope: .2}
	return nn.NewSequential(
		down(nc, ndf, 2, 1), leaky,
		down(ndf, 2*ndf, 2, 1), norm(2*ndf), leaky,
		down(2*ndf, 4*ndf, 2, 1), norm(4*ndf), leaky,
		down(4*ndf, 8*ndf, 2, 1), norm(8*ndf), leaky,
		down(8*ndf, 1, 1, 0), nn.Flatten{},
	)
}

func main() {
	torch.Scope(func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(999, 0)), Scheme: "torch_default"}
		netG, netD := generator(100, 3, 8, init), discriminator(3, 8, init)
		optG := optim.NewAdam(optim.Adam{LearningRate: .0002, Beta1: .5}, netG.Parameters())
		optD := optim.NewAdam(optim.Adam{LearningRate: .0002, Beta1: .5}, netD.Parameters())
		noise := torch.NewGenerator(999, torch.CPU)
		mode := nn.Train(nil) // there is no dropout to draw

		images := noise.Uniform(-1, 1, torch.Options{}, 4, 3, 64, 64) // yours: [N 3 64 64] in [-1, 1]
		torch.Scope(func() {
			real, fake := torch.Ones(torch.Options{}, 4, 1), torch.Zeros(torch.Options{}, 4, 1)

			optD.ZeroGrad()
			made := netG.Forward(noise.Normal(0, 1, torch.Options{}, 4, 100, 1, 1), mode)
			lossD := netD.Forward(images, mode).BCEWithLogits(real, torch.ReduceMean).
				Add(netD.Forward(made.Detach(), mode).BCEWithLogits(fake, torch.ReduceMean))
			lossD.Backward()
			optD.Step()

			optG.ZeroGrad()
			lossG := netD.Forward(made, mode).BCEWithLogits(real, torch.ReduceMean)
			lossG.Backward()
			optG.Step()
			fmt.Printf("step: loss_D %.3f, loss_G %.3f\n", lossD.Item(), lossG.Item())
		})
	})
}
