// Package examples holds programs over package torch that are read as much as run:
//
//	go run ./torch/examples/vit    a vision transformer on MNIST
//
// Its tests build and run those of docs/gotorch.md.
package examples
