package train

import (
	"encoding/binary"
	"math"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/torch"
)

// Examples puts examples on a device, without their labels. X is Uint8 for bytes, a quarter of the size of floats,
// Int32 for texts, Float32 or Float16 for numbers; examples too large for memory become a Stream. Its tensors belong to
// the current scope.
func Examples(split dataset.Split, device torch.Device) Set {
	set := Set{
		Index: torch.Arange(0, float64(split.Len()), 1, torch.Options{DType: torch.Int64, Device: device}),
	}
	shape := append([]int{split.Len()}, split.Shape...)
	switch {
	case split.Images != nil:
		set.Stream = &Stream{Shape: split.Shape, Read: split.Images.Batches}
	case split.Tokens != nil:
		set.X = moved(torch.FromSlice(split.Tokens, shape...), device)
	case split.Halves != nil:
		set.X = moved(halves(split.Halves, shape), device)
	case split.Sparse != nil: // on the CPU
		set.X = torch.SparseCSR(split.Sparse.Starts, split.Sparse.Columns, split.Sparse.Values, split.Size())
	case split.Features != nil:
		set.X = moved(torch.FromSlice(split.Features, shape...), device)
	default:
		set.X = moved(torch.FromSlice(split.X, shape...), device)
	}
	return set
}

// Compressed returns examples x [N K] that are mostly zeros, such as images of digits or bags of words, in compressed
// sparse rows, and frees x. On the CPU they take less memory, and the first layer of a fully connected network skips
// the zeros with the same results. Other examples are returned unchanged.
func Compressed(x torch.Tensor) torch.Tensor {
	const columns, share = 256, .25 // limits for the sparse product to be faster
	if o := x.Options(); x.IsSparse() || o.Device != torch.CPU || o.DType != torch.Float32 || x.Dim() != 2 ||
		x.Size(1) < columns {
		return x
	}
	nonzero := float64(x.Numel())
	const rows = 1024 // at a time: summing all at once would take more memory than x
	for start, n := 0, x.Size(0); start < n; start += rows {
		torch.Scope(func() { nonzero -= x.Narrow(0, start, min(rows, n-start)).EqScalar(0).Sum().Item() })
	}
	if nonzero >= share*float64(x.Numel()) || nonzero >= math.MaxInt32 {
		return x
	}
	defer x.Free()
	return x.ToSparseCSR()
}

// Labels puts class numbers on a device, as Int64 [N].
func Labels(labels []int, device torch.Device) torch.Tensor {
	return moved(torch.FromSlice(labels), device)
}

// halves returns float16 numbers as a tensor, copied in pieces.
func halves(bits []uint16, shape []int) torch.Tensor {
	out := torch.Empty(torch.Options{DType: torch.Float16}, shape...)
	flat := out.Reshape(len(bits))
	const piece = 1 << 20
	raw := make([]byte, 0, 2*piece)
	for start := 0; start < len(bits); start += piece {
		raw = raw[:0]
		for _, b := range bits[start:min(start+piece, len(bits))] {
			raw = binary.LittleEndian.AppendUint16(raw, b)
		}
		torch.Scope(func() {
			flat.Narrow(0, start, len(raw)/2).CopyFrom(torch.FromBytes(raw, torch.Float16, len(raw)/2))
		})
	}
	return out
}

// moved returns t on a device and frees t, so that the host keeps no second copy of data on a GPU.
func moved(t torch.Tensor, device torch.Device) torch.Tensor {
	defer t.Free()
	return t.ToDevice(device)
}
