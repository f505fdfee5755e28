package export

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// dtypes maps the schema's numbers to the dtypes that tensors can have here.
var dtypes = map[int]torch.DType{
	1: torch.Uint8, 4: torch.Int32, 5: torch.Int64, 6: torch.Float16, 7: torch.Float32, 8: torch.Float64, 12: torch.Bool,
	13: torch.BFloat16,
}

// scalarTypes maps the schema's numbers of all types to c10::ScalarType's.
var scalarTypes = map[int]int{1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 9: 8, 10: 9, 11: 10, 12: 11, 13: 15}

const (
	weightsDir   = "data/weights/"
	constantsDir = "data/constants/"
)

// configOf reads the list of tensors in a folder of the archive.
func (a *archive) configOf(dir, file string) (map[string]payload, error) {
	if a.entries[dir+file] == nil {
		if a.entries[dir+"model.pt"] != nil {
			return nil, errors.New("weights by pickle: this file is of torch 2.8 or earlier, whose weights only Python reads; " +
				"load it with torch.export.load and save it with torch 2.9 or later")
		}
		return nil, nil
	}
	var c struct {
		Config map[string]payload `json:"config"`
	}
	if err := a.decode(dir+file, &c); err != nil {
		return nil, err
	}
	return c.Config, nil
}

// tensor reads one tensor onto a device.
func (a *archive) tensor(dir, name string, p payload, device torch.Device) (torch.Tensor, error) {
	if p.Pickle {
		return torch.Tensor{}, fmt.Errorf("weights by pickle: %s is stored as a Python object; export the network with "+
			"plain tensors as its parameters", name)
	}
	dtype, known := dtypes[p.Meta.DType]
	if !known {
		return torch.Tensor{}, fmt.Errorf("%s has elements of an unsupported type (number %d of the "+
			"export schema): use float32, float64, bfloat16, float16, int64, int32, uint8 or bool", name, p.Meta.DType)
	}
	shape, strides, offset, err := p.Meta.layout(name)
	if err != nil {
		return torch.Tensor{}, err
	}
	e := a.entries[dir+p.Path]
	if e == nil {
		return torch.Tensor{}, fmt.Errorf("truncated or damaged: no entry %s, which holds %s", dir+p.Path, name)
	}
	need, err := extent(shape, strides, offset)
	if err != nil {
		return torch.Tensor{}, fmt.Errorf("damaged: %s: %w", name, err)
	}
	have := e.UncompressedSize64 / uint64(dtype.Size())
	if need > have && expanded(shape, strides) {
		return torch.Tensor{}, fmt.Errorf("%s of shape %v is expanded from fewer elements (strides %v): "+
			"export it after .clone()", name, shape, strides)
	}
	if need > have || len(shape) > maxDims {
		return torch.Tensor{}, fmt.Errorf("damaged: %s of shape %v needs %d elements, entry %s has %d", name, shape, need,
			dir+p.Path, have)
	}
	data, err := a.read(dir+p.Path, e.UncompressedSize64)
	if err != nil {
		return torch.Tensor{}, err
	}
	if dtype == torch.Bool && slices.ContainsFunc(data, func(b byte) bool { return b > 1 }) {
		return torch.Tensor{}, fmt.Errorf("damaged: %s has bytes other than 0 and 1", name)
	}
	t := torch.FromBytes(gather(data, dtype.Size(), shape, strides, offset), dtype, shape...)
	if channelsLast(shape, strides) {
		t = instead(t, t.ChannelsLast())
	}
	return instead(t, t.ToDevice(device)), nil
}

// layout returns how the elements of a tensor lie in its storage.
func (m tensorMeta) layout(name string) (shape, strides []int, offset int, err error) {
	if shape, err = fixed(m.Sizes); err != nil {
		return nil, nil, 0, fmt.Errorf("damaged: shape of %s: %w", name, err)
	}
	if strides, err = fixed(m.Strides); err != nil || len(strides) != len(shape) {
		return nil, nil, 0, fmt.Errorf("damaged: strides of %s do not match its shape %v", name, shape)
	}
	offset, ok := m.StorageOffset.size()
	if !ok || offset < 0 {
		return nil, nil, 0, fmt.Errorf("damaged: %s needs a storage offset of 0 or more", name)
	}
	return shape, strides, offset, nil
}

// bytes returns the positions of a tensor's bytes in its storage. Call it only after reading the tensor.
func (m tensorMeta) bytes() iter.Seq[int] {
	return func(yield func(int) bool) {
		shape, strides, offset, err := m.layout("")
		if err != nil || slices.Contains(shape, 0) {
			return
		}
		size := dtypes[m.DType].Size()
		for at := range places(shape, strides, offset) {
			for b := range size {
				if !yield(at*size + b) {
					return
				}
			}
		}
	}
}

// span returns the range of a tensor's bytes in its storage. Call it only after reading the tensor.
func (m tensorMeta) span() (from, to int) {
	shape, strides, offset, err := m.layout("")
	if err != nil || slices.Contains(shape, 0) {
		return 0, 0
	}
	last := offset
	for k, n := range shape {
		last += (n - 1) * strides[k]
	}
	size := dtypes[m.DType].Size()
	return offset * size, (last + 1) * size
}

// overlaps reports whether two tensors of one storage share bytes.
func (m tensorMeta) overlaps(other tensorMeta) bool {
	from, to := m.span()
	if otherFrom, otherTo := other.span(); to <= otherFrom || otherTo <= from {
		return false
	}
	var own []bool
	for at := range m.bytes() {
		if len(own) <= at {
			own = append(own, make([]bool, at+1-len(own))...)
		}
		own[at] = true
	}
	for at := range other.bytes() {
		if at < len(own) && own[at] {
			return true
		}
	}
	return false
}

// instead frees old, an intermediate result, and returns t.
func instead(old, t torch.Tensor) torch.Tensor {
	if old != t {
		old.Free()
	}
	return t
}

const maxDims = 8

func fixed(sizes []union) ([]int, error) {
	shape := shapeOf(sizes)
	if i := slices.IndexFunc(shape, func(n int) bool { return n < 0 }); i >= 0 {
		return nil, fmt.Errorf("size %d is not a number", i)
	}
	return shape, nil
}

// expanded reports whether a tensor repeats elements of its storage.
func expanded(shape, strides []int) bool {
	for i, n := range shape {
		if n > 1 && strides[i] == 0 {
			return true
		}
	}
	return false
}

// extent returns the number of elements that a storage needs. Sizes come from a file, so no product may overflow.
func extent(shape, strides []int, offset int) (uint64, error) {
	const limit = 1 << 48
	last, numel := uint64(offset), uint64(1)
	for i, n := range shape {
		if n == 0 {
			return 0, nil
		}
		if n > limit || strides[i] > limit || uint64(n-1) > limit/uint64(max(1, strides[i])) {
			return 0, fmt.Errorf("shape %v with strides %v is invalid", shape, strides)
		}
		last += uint64(n-1) * uint64(strides[i])
		// Strides of 0 would let a small file claim a large tensor.
		if numel > limit/uint64(n) {
			return 0, fmt.Errorf("shape %v is invalid", shape)
		}
		numel *= uint64(n)
	}
	return max(last+1, numel+uint64(offset)), nil
}

// gather copies a strided tensor's elements, row-major.
func gather(data []byte, size int, shape, strides []int, offset int) []byte {
	numel, plain := 1, true
	for i := len(shape) - 1; i >= 0; i-- {
		plain = plain && (strides[i] == numel || shape[i] == 1)
		numel *= shape[i]
	}
	if numel == 0 {
		return nil
	}
	if plain {
		return data[offset*size : (offset+numel)*size]
	}
	out := make([]byte, 0, numel*size)
	for at := range places(shape, strides, offset) {
		out = append(out, data[at*size:(at+1)*size]...)
	}
	return out
}

// places returns the positions of a strided tensor's elements in its storage, row-major. No size may be 0.
func places(shape, strides []int, offset int) iter.Seq[int] {
	return func(yield func(int) bool) {
		index := make([]int, len(shape))
		for {
			at := offset
			for d, i := range index {
				at += i * strides[d]
			}
			if !yield(at) {
				return
			}
			d := len(index) - 1
			for ; d >= 0; d-- {
				if index[d]++; index[d] < shape[d] {
					break
				}
				index[d] = 0
			}
			if d < 0 {
				return
			}
		}
	}
}

// channelsLast reports whether images or kernels lie with channels innermost.
func channelsLast(shape, strides []int) bool {
	if len(shape) != 4 || shape[1] == 1 || shape[2]*shape[3] == 1 {
		return false
	}
	c, h, w := shape[1], shape[2], shape[3]
	return slices.Equal(strides, []int{h * w * c, 1, w * c, c})
}
