// Package torch provides tensors and automatic differentiation over libtorch, the C++ half of PyTorch, with PyTorch's
// names in Go case.
//
//	torch.Scope(func() {
//		x := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
//		w := torch.Ones(torch.Options{}, 2, 1).SetRequiresGrad(true)
//		loss := x.Mm(w).Square().Mean()
//		loss.Backward()
//		fmt.Println(loss.Item(), w.Grad())
//	})
//
// Package nn holds layers, and package optim optimizers.
//
// # Opening
//
// The binary does not link libtorch. The first operation opens the shim, a shared library over the libtorch that it
// was built for, which package libtorch finds. Call [Open] at the start of a program to get its error.
//
// # Scopes
//
// A tensor lives until the scope that it was made in ends. Scopes nest, and the
// program is the outermost one:
//
//	for step := range steps {
//		torch.Scope(func() { train(step) }) // frees all that train has made
//	}
//
// [Tensor.Keep] moves a tensor one scope out, and [Tidy] moves the result of an expression out. Make whatever
// outlives a step (parameters, the state of an optimizer, data) before the loop. Finalizers would not help, because
// the garbage collector cannot see how much memory a handle refers to. Using a tensor after its scope is an error,
// not a crash.
//
// # Errors
//
// An operation panics with an [*Error] that names the operation, the shape,
// dtype and device of each operand, and the [Kind] of the error:
//
//	torch: mm [2 3] float32 cpu, [2 3] float32 cpu: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
//
// [Try] turns the panic into an error, at the entry of a run rather than around each expression. Functions that
// return an error ([Open], [CheckDevice], functions of files) report a missing file, device or libtorch; an operation
// panics without libtorch.
//
// # Threads
//
// Recording, autocast and the current GPU belong to an OS thread in libtorch. So they are set inside closures
// ([NoGrad], [Autocast], [OnStream], and [Scope] for scopes) that keep the goroutine on its thread and restore the
// old state at their end. Use a tensor in one goroutine only, with one exception: several may read a tensor that was
// made in the outermost scope, is never changed, and is freed after its last use. Backward runs on the thread that
// called it. An operation on the CPU uses one thread unless [SetThreads] or OMP_NUM_THREADS sets another number.
//
// # Random numbers
//
// Each draw names its [Generator]. libtorch's global generator is never used, so a run repeats exactly whatever else
// runs in the process.
//
// # Shapes
//
// Dimensions count from 0; -1 is the last. Elementwise operations broadcast shapes and promote dtypes as in PyTorch:
// an integer tensor keeps its dtype with a whole scalar, except in division, and becomes float32 with any other
// scalar. A reduction without dimensions is over all of them. Reshape, View, Narrow, Select, Transpose, Expand and
// Detach share memory with their tensor where they can.
//
// # Images and sequences
//
// Images are [N C H W]. A [Window] gives the geometry of convolutions and pooling:
//
//	x.Conv2d(weight, bias, torch.Window{Stride: 2, Padding: 1})
//
// Sequences are [N T D]. [Cat] and [Stack] put tensors together.
//
// # Differentiation
//
// [Tensor.Backward] gathers gradients in the leaves. [Grad] returns them and can record them for second derivatives,
// as [Hessian] does. A [Function] is an operation whose forward and backward are written in Go:
//
//	type cube struct{}
//
//	func (cube) Forward(ctx *torch.Context, x ...torch.Tensor) torch.Tensor {
//		ctx.Save(x[0])
//		return x[0].Mul(x[0].Square())
//	}
//
//	func (cube) Backward(ctx *torch.Context, grad torch.Tensor) []torch.Tensor {
//		return []torch.Tensor{grad.Mul(ctx.Saved()[0].Square()).MulScalar(3)}
//	}
//
//	y := torch.Apply(cube{}, x)
//
// # Files
//
// [SaveSafetensors] and [LoadSafetensors] exchange tensors with Python.
package torch

//go:generate go run ../cgo
