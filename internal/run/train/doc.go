// Package train trains one network: it runs the epochs, selects one of them by the
// loss on the validation set, and writes checkpoints from which a stopped or killed
// run resumes bit for bit on a CPU.
//
// A [Run] holds the [Network], the [Data] and the [Random] streams. [Run.Train] does the epochs that are left:
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
// The selected epoch is the one with the lowest validation loss, the first of equals:
//
//	s = argmin over epochs e of 1/n sum over the noisy validation set of L(z_e(x), ỹ)
//
// A [Set] is examples, which [Examples] makes of a dataset.Split, with [Labels]. They are a tensor,
// or a [Stream] if they are too large for memory. [Logits] computes the outputs of a network for a Set,
// from which package correction estimates T. [Crop] is the paper's augmentation of images.
//
// A loss that is a [losses.Trainer] has the whole batch and the network at each step;
// the tensors that it keeps, as a [losses.Stateful], are in the checkpoints.
//
// A checkpoint is a safetensors file: weights, selected weights, the optimizer's state,
// that of the loss, the states of the random streams and the position in the epoch.
package train
