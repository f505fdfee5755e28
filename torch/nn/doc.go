// Package nn holds the layers of networks.
//
// A layer is a [Module]: it computes its output from its input and lists its parameters under PyTorch's names. A New
// function makes a layer with parameters from a struct of sizes and an [Init], the scheme and stream of its weights.
// Layers without parameters are struct values:
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
// [Func] makes a layer of any function of one tensor. A network that is not a chain is a struct with its own Forward;
// its Parameters join the parameters of its parts by [Prefix]. See torch/examples/vit for a transformer.
//
// # Training and evaluation
//
// The mode is explicit: each forward pass gets a [Mode], which also holds the stream that dropout draws from.
//
// # Lifetime
//
// Parameters live in the scope that their layer was made in. Make models outside the training loop, because its body
// has its own scope.
//
// # State
//
// [StateDict] names a module's tensors for torch.SaveSafetensors. [LoadState] copies such tensors back into a module
// and reports all mismatches at once.
package nn
