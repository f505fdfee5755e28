// Package optim holds optimizers, which move parameters along their gradients.
//
// Make an optimizer once, outside the training loop, with all tensors that it will ever need. A step is one call into
// libtorch per group of parameters and leaves no tensors behind:
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
// Decay acts only on parameters of role nn.Weight, not on biases or the scale and shift of normalizations. It adds
// WeightDecay * w to the gradient. Keras's penalty l2(k), k * sum w^2, has the gradient 2 k w: use WeightDecay: 2*k.
//
// # State
//
// State names all tensors of an optimizer, to be saved with the model's by torch.SaveSafetensors; LoadState restores
// them.
//
// # Names
//
// [All] is the table of optimizers for configurations.
package optim
