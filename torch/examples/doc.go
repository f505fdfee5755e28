// Package examples holds programs over package torch that are read as much as run:
//
//	go run ./torch/examples/vit              a vision transformer on MNIST
//	go run ./torch/examples/gotorch/mnist    gotorch's program for MNIST; also sgd and dcgan
//
// Its tests build and run those that docs/gotorch.md names.
package examples
