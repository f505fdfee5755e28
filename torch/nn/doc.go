// Package nn holds the layers that networks are made of.
//
// A layer is a [Module]: it computes its output from its input and lists its
// parameters under PyTorch's names. Layers that learn are made by a New
// function from a struct of sizes and an [Init], which says how weights are
// drawn and from which stream; layers that do not are struct values:
//
//	init := nn.Init{Rand: rand.New(rand.NewPCG(seed, 1)), Scheme: "he_normal"}
//	model := nn.NewSequential(
//		nn.NewLinear(nn.Linear{In: 784, Out: 128}, init),
//		nn.ReLU{},
//		nn.Dropout{P: .2},
//		nn.NewLinear(nn.Linear{In: 128, Out: 10}, init),
//	)
//	logits := model.Forward(x, nn.Train(dropout))
//	logits = model.Forward(x, nn.Eval)
//
// [Func] makes a layer of any function of one tensor. A network that is no chain is
// a struct with a Forward of its own, whose Parameters join those of its parts by
// [Prefix]. A transformer is in torch/examples/vit.
//
// # Training and evaluation
//
// There is no hidden switch: each forward pass gets a [Mode], which also holds
// the stream that dropout draws from.
//
// # Lifetime
//
// Parameters live in the scope that their layer was made in. Make models
// outside the training loop, whose body has a scope of its own.
//
// # State
//
// [StateDict] names a module's tensors for torch.SaveSafetensors; [LoadState]
// copies such tensors back into a module's own, and reports everything that does
// not fit at once.
package nn
