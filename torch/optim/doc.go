// Package optim moves parameters along their gradients.
//
// An optimizer is made once, outside the training loop, with all the tensors
// that it will ever need; a step is one call into libtorch per group of
// parameters and leaves nothing behind:
//
//	optimizer := optim.NewSGD(optim.SGD{LearningRate: .1, Momentum: .9, WeightDecay: 2e-4}, model.Parameters())
//	rate := optim.Steps(.1, .1, 40, 80)
//	for epoch := range 120 {
//		optimizer.SetLearningRate(rate(epoch))
//		for x, y := range batches {
//			optimizer.ZeroGrad()
//			loss(model.Forward(x, mode), y).Backward()
//			optimizer.Step()
//		}
//	}
//
// # Learning rates
//
// A [Schedule] gives the rate at an epoch or a step.
//
// # Weight decay
//
// Decay acts on parameters of role nn.Weight alone, not on biases and not on the
// scale and shift of normalizations. It adds
// WeightDecay * w to the gradient. The penalty l2(k) of Keras, k * sum w^2, has
// the gradient 2 k w: write WeightDecay: 2*k for it.
//
// # State
//
// State names all that an optimizer remembers, for torch.SaveSafetensors beside
// the model's own tensors; LoadState takes it back.
//
// # Names
//
// [All] is the table of the optimizers that configurations name.
package optim
