package torch

// Window is the geometry of a convolution or pooling, for height and width alike. The
// zero Stride is 1 for convolutions and the kernel size for pooling.
type Window struct {
	Stride  int
	Padding int
	Groups  int // convolutions; 0 is 1
}
