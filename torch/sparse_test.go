package torch_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// mostlyZeros draws a matrix [n k] with a share of nonzero elements. The first row has only zeros, the last none.
func mostlyZeros(rng *rand.Rand, n, k int, share float64) torch.Tensor {
	x := make([]float32, n*k)
	for i := range x {
		if row := i / k; row == n-1 || row > 0 && rng.Float64() < share {
			x[i] = float32(rng.NormFloat64())
		}
	}
	return torch.FromSlice(x, n, k)
}

func TestSparseCSR(t *testing.T) {
	defer torchtest.Scoped(t)()
	rng := rand.New(rand.NewPCG(1, 0))
	for _, size := range [][2]int{{1, 1}, {3, 7}, {40, 300}, {5, 784}, {4, 0}, {0, 4}} {
		x := mostlyZeros(rng, size[0], size[1], .2)
		c := x.ToSparseCSR()
		if !c.IsSparse() || x.IsSparse() || !slices.Equal(c.Shape(), x.Shape()) || c.Numel() != x.Numel() ||
			c.DType() != torch.Float32 {
			t.Fatalf("%v became %v, sparse %v", x.Shape(), c.Shape(), c.IsSparse())
		}
		torchtest.Near(t, "all elements", torch.Slice[float64](c), torch.Slice[float64](x), 0)
		torchtest.Near(t, "back", torch.Slice[float64](c.ToDense()), torch.Slice[float64](x), 0)
		sparse := []bool{c.ToDense().IsSparse(), c.ToSparseCSR().IsSparse(), x.ToDense().IsSparse()}
		expect.Same(t, []bool{false, true, false}, sparse, "sparse after a conversion")
		var rows []int
		for range min(9, 9*size[0]) {
			rows = append(rows, rng.IntN(size[0]))
		}
		for _, index := range []torch.Tensor{torch.FromSlice(rows), torch.FromSlice(rows).ToDType(torch.Int32)} {
			some := c.IndexSelect(0, index)
			expect.Same(t, true, some.IsSparse(), "rows of compressed rows are compressed")
			torchtest.Near(t, "rows", torch.Slice[float64](some), torch.Slice[float64](x.IndexSelect(0, index)), 0)
		}
	}
}

// The linear layer and its gradients equal the dense ones, bit for bit if these also use the sparse product: for any
// width of the input, full or partial last parts of its columns, and numbers of outputs that the sparse product does
// not support.
func TestSparseCSRLinear(t *testing.T) {
	defer torchtest.Scoped(t)()
	rng := rand.New(rand.NewPCG(2, 0))
	g := torch.NewGenerator(1, torch.CPU)
	for _, size := range [][3]int{{128, 784, 128}, {33, 288, 64}, {1, 300, 192}, {20, 1000, 64}, {7, 96, 64},
		{9, 300, 10}, {40, 3000, 2}, {40, 3000, 10}} {
		n, k, m := size[0], size[1], size[2]
		share := .1
		if k == 3000 {
			share = .02 // low enough for the products with few outputs
		}
		x := mostlyZeros(rng, n, k, share)
		grad := g.Normal(0, 1, torch.Options{}, n, m)
		weight, bias := g.Normal(0, .1, torch.Options{}, m, k), g.Normal(0, 1, torch.Options{}, m)
		layer := func(x torch.Tensor, o torch.Options) (out [3][]float64) {
			w, b := weight.To(o).Detach().Clone(), bias.To(o).Detach().Clone()
			w.SetRequiresGrad(true)
			b.SetRequiresGrad(true)
			y := x.Linear(w, b)
			y.Mul(grad.To(o)).Sum().Backward()
			return [3][]float64{torch.Slice[float64](y.Detach()), torch.Slice[float64](w.Grad()),
				torch.Slice[float64](b.Grad())}
		}
		got, all := layer(x.ToSparseCSR(), torch.Options{}), layer(x, torch.Options{})
		want := layer(x.ToDType(torch.Float64), torch.Options{DType: torch.Float64})
		for i, name := range []string{"output", "gradient of W", "gradient of b"} {
			torchtest.Near(t, name, got[i], want[i], 1e-4)
			torchtest.Near(t, name+" of all elements", all[i], want[i], 2e-5)
			if n > 1 && k >= 256 && share == .1 && !slices.Equal(got[i], all[i]) {
				t.Errorf("%v: the %s differs from the dense one", size, name)
			}
		}
	}
}

// SparseCSR returns the matrix that its elements describe, with the same rows and products as the dense matrix.
func TestSparseCSROfElements(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torch.SparseCSR([]int32{0, 2, 2, 3}, []int32{0, 3, 1}, []float32{1, 2, 5}, 4)
	if !x.IsSparse() || !slices.Equal(x.Shape(), []int{3, 4}) {
		t.Fatalf("%v, sparse %v", x.Shape(), x.IsSparse())
	}
	torchtest.Near(t, "all elements", torch.Slice[float64](x), []float64{1, 0, 0, 2, 0, 0, 0, 0, 0, 5, 0, 0}, 0)
}

func TestSparseCSRErrors(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torch.Eye(3, torch.Options{}).ToSparseCSR()
	layer, bias, leaf := torch.Ones(torch.Options{}, 64, 4), torch.Ones(torch.Options{}, 64),
		torch.Ones(torch.Options{}, 2, 2)
	leaf.SetRequiresGrad(true)
	for _, c := range []struct {
		kind torch.Kind
		f    func()
	}{
		{torch.Index, func() { torch.SparseCSR([]int32{0, 1}, []int32{4}, []float32{1}, 4) }},
		{torch.Index, func() { torch.SparseCSR([]int32{0, 1}, []int32{-1}, []float32{1}, 4) }},
		{torch.Value, func() { torch.SparseCSR([]int32{1, 1}, []int32{0}, []float32{1}, 4) }},
		{torch.Value, func() { torch.SparseCSR([]int32{0, 2, 1}, []int32{0}, []float32{1}, 4) }},
		{torch.Value, func() { torch.SparseCSR([]int32{0, 1}, []int32{0, 1}, []float32{1, 2}, 4) }},
		{torch.Value, func() { torch.SparseCSR([]int32{0, 2}, []int32{0, 1}, []float32{1}, 4) }},
		{torch.Value, func() { torch.SparseCSR([]int32{0, 2, 1, 3}, []int32{0, 1, 2}, []float32{1, 1, 1}, 4) }},
		{torch.Shape, func() { torch.Ones(torch.Options{}, 3).ToSparseCSR() }},
		{torch.DTypeMismatch, func() { torch.Ones(torch.Options{DType: torch.Int64}, 3, 3).ToSparseCSR() }},
		{torch.Value, func() { leaf.ToSparseCSR() }},
		{torch.Index, func() { x.IndexSelect(0, torch.FromSlice([]int{0, 3})) }},
		{torch.Index, func() { x.IndexSelect(0, torch.FromSlice([]int{-1})) }},
		{torch.DTypeMismatch, func() { x.IndexSelect(0, torch.Ones(torch.Options{}, 1)) }},
		{torch.Shape, func() { x.IndexSelect(0, torch.FromSlice([]int{0, 1}).Reshape(1, 2)) }},
		{torch.NotImplemented, func() { x.IndexSelect(1, torch.FromSlice([]int{0})) }},
		{torch.Shape, func() { x.Linear(layer, bias) }},
	} {
		torchtest.Raises(t, c.kind, c.f)
	}
}
