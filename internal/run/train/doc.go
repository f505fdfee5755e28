// Package train trains one network: it runs the epochs, selects one of them by the loss on the validation set, and
// writes checkpoints. A stopped or killed run resumes from them, bit for bit on a CPU.
//
// A [Run] holds the [Network], the [Data] and the [Random] streams. [Run.Train] trains the remaining epochs:
//
//	run := train.Run{
//		Network: train.Network{Model: model, Loss: loss, Optimizer: optimizer},
//		Data:    train.Data{Train: training, Validation: validation, Test: test, Epochs: 40, Batch: 128},
//		Random: train.Random{
//			Shuffle: rand.NewPCG(config.Stream(seed, "shuffle"), 0),
//			Dropout: torch.NewGenerator(config.Stream(seed, "dropout"), device),
//		},
//		Checkpoints: train.Checkpoints{Dir: "runs/mnist/0a1b2c3d4e5f/checkpoints"},
//	}
//	outcome, err := run.Train(ctx) // ErrStopped: ctx ended, a checkpoint is written
//
// The selected epoch has the lowest validation loss; the first one wins ties:
//
//	s = argmin over epochs e of 1/n sum over the noisy validation set of L(z_e(x), ỹ)
//
// A [Set] holds examples, which [Examples] makes from a dataset.Split, with [Labels]. They are a tensor, or a [Stream]
// if they are too large for memory. [Logits] computes a network's outputs for a Set, and package correction estimates T
// from them. [Crop] is the paper's augmentation of images.
//
// A loss that is a [losses.Trainer] gets the whole batch and the network at each step. The tensors that it keeps, as a
// [losses.Stateful], are in the checkpoints.
//
// A checkpoint is a safetensors file: weights, selected weights, the states of the optimizer, the loss and the random
// streams, and the position in the epoch.
package train
