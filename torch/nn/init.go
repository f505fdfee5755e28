package nn

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/losscorr/losscorr/torch"
)

// Init determines how a layer's parameters are drawn and where they are stored.
//
// With fan_in and fan_out the number of inputs and outputs of one unit (times
// the kernel's area in convolutions), weights are drawn by Scheme from
//
//	he_normal       normal, cut off at two sigma, sigma = sqrt(2 / fan_in)
//	he_uniform      uniform in +-sqrt(6 / fan_in)
//	glorot_normal   normal, cut off at two sigma, sigma = sqrt(2 / (fan_in + fan_out))
//	glorot_uniform  uniform in +-sqrt(6 / (fan_in + fan_out))
//	uniform_0.05    uniform in +-0.05
//	orthogonal      rows or columns orthonormal, uniform over all such matrices
//	zeros           zero, for a single layer
//	torch_default   as in PyTorch's layers: uniform in +-1/sqrt(fan_in)
//
// The normal schemes are Keras's: values beyond two sigma are drawn again without rescaling, so the standard
// deviation is .8796 sigma. Biases are zero, but uniform in +-1/sqrt(fan_in) under torch_default.
type Init struct {
	Rand   *rand.Rand
	Scheme string // "" is he_normal
	Output string // scheme of the last layer, see Last; "" is Scheme
	Device torch.Device
	DType  torch.DType

	// Left is the number of weights that layers may still draw; nil: any number. A layer that needs more panics with a
	// *torch.Error before it allocates memory.
	Left *int
}

// scheme draws the weights of a matrix within a bound, or with a sigma.
type scheme struct {
	draw  func(r *rand.Rand, rows, cols int, bound float64) []float64
	bound func(fanIn, fanOut float64) float64
}

var schemes = map[string]scheme{
	"he_normal":      {truncated, func(in, _ float64) float64 { return math.Sqrt(2 / in) }},
	"he_uniform":     {uniform, func(in, _ float64) float64 { return math.Sqrt(6 / in) }},
	"glorot_normal":  {truncated, func(in, out float64) float64 { return math.Sqrt(2 / (in + out)) }},
	"glorot_uniform": {uniform, func(in, out float64) float64 { return math.Sqrt(6 / (in + out)) }},
	"uniform_0.05":   {uniform, func(_, _ float64) float64 { return .05 }},
	"orthogonal":     {orthogonal, unbounded},
	"zeros":          {zeros, unbounded},
	torchDefault:     {uniform, func(in, _ float64) float64 { return 1 / math.Sqrt(in) }},
}

func unbounded(_, _ float64) float64 { return math.Inf(1) }

const torchDefault = "torch_default"

// InitNames lists the schemes, sorted.
func InitNames() []string {
	return slices.Sorted(maps.Keys(schemes))
}

// Last returns the init of a network's last layer, which no ReLU follows.
func (i Init) Last() Init {
	i.Scheme = cmp.Or(i.Output, i.Scheme)
	return i
}

// Check returns an error if a scheme is unknown. Layers panic on an unknown scheme, so check a user's choice first.
func (i Init) Check() error {
	for _, scheme := range []string{i.Scheme, i.Output} {
		if _, ok := schemes[scheme]; !ok && scheme != "" {
			return fmt.Errorf("initialiser %q is unknown: choose one of %s", scheme, strings.Join(InitNames(), ", "))
		}
	}
	return nil
}

// weight draws a parameter. The scheme sees a matrix: the first dimension by the product of the others.
func (i Init) weight(fanIn, fanOut int, shape ...int) torch.Tensor {
	if err := i.Check(); err != nil {
		panic(&torch.Error{Op: "init", Kind: torch.Value, Msg: err.Error()})
	}
	i.claim(shape...)
	s := schemes[cmp.Or(i.Scheme, "he_normal")]
	cols := 1
	for _, n := range shape[1:] {
		cols *= n
	}
	return i.parameter(s.draw(i.Rand, shape[0], cols, s.bound(float64(fanIn), float64(fanOut))), shape...)
}

// claim subtracts the weights of a shape from Left.
func (i Init) claim(shape ...int) {
	if i.Left == nil {
		return
	}
	n := 1
	for _, s := range shape {
		if s < 0 || s > *i.Left/max(n, 1) {
			panic(&torch.Error{Op: "init", Kind: torch.Value, Msg: fmt.Sprintf("weights of shape %v: only %d are left", shape,
				*i.Left)})
		}
		n *= s
	}
	*i.Left -= n
}

func (i Init) bias(fanIn, n int) torch.Tensor { return i.parameter(i.biases(fanIn, n), n) }

func (i Init) biases(fanIn, n int) []float64 {
	if i.Scheme == torchDefault {
		return uniform(i.Rand, n, 1, 1/math.Sqrt(float64(fanIn)))
	}
	return make([]float64, n)
}

func (i Init) parameter(values []float64, shape ...int) torch.Tensor {
	return i.buffer(values, shape...).SetRequiresGrad(true)
}

func (i Init) buffer(values []float64, shape ...int) torch.Tensor {
	return torch.Tidy(func() torch.Tensor {
		return torch.FromSlice(values, shape...).To(torch.Options{DType: i.DType, Device: i.Device})
	})
}

func uniform(r *rand.Rand, rows, cols int, bound float64) []float64 {
	return drawn(rows*cols, func() float64 { return bound * (2*r.Float64() - 1) })
}

func truncated(r *rand.Rand, rows, cols int, sigma float64) []float64 {
	return drawn(rows*cols, func() float64 {
		z := r.NormFloat64()
		for math.Abs(z) > 2 {
			z = r.NormFloat64()
		}
		return sigma * z
	})
}

func zeros(_ *rand.Rand, rows, cols int, _ float64) []float64 { return make([]float64, rows*cols) }

func normal(r *rand.Rand, n int) []float64 {
	return drawn(n, r.NormFloat64)
}

func drawn(n int, draw func() float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = draw()
	}
	return values
}

// orthogonal is Q of the QR decomposition of a normal matrix, its columns'
// signs set by R's diagonal: without that Q would not be uniform (Mezzadri,
// "How to generate random matrices from the classical compact groups", 2007).
func orthogonal(r *rand.Rand, rows, cols int, bound float64) []float64 {
	if rows < cols {
		wide := orthogonal(r, cols, rows, bound)
		flipped := make([]float64, len(wide))
		for i := range rows {
			for j := range cols {
				flipped[i*cols+j] = wide[j*rows+i]
			}
		}
		return flipped
	}
	a := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: normal(r, rows*cols)}
	tau := make([]float64, cols)
	size := make([]float64, 1)
	lapack64.Geqrf(a, tau, size, -1)
	work := make([]float64, int(size[0]))
	lapack64.Geqrf(a, tau, work, len(work))
	signs := make([]float64, cols)
	for j := range signs {
		signs[j] = math.Copysign(1, a.Data[j*cols+j])
	}
	lapack64.Orgqr(a, tau, size, -1)
	work = make([]float64, int(size[0]))
	lapack64.Orgqr(a, tau, work, len(work))
	for i := range a.Data {
		a.Data[i] *= signs[i%cols]
	}
	return a.Data
}
