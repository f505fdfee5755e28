// Package pickle reads the tensors of files that PyTorch's torch.save wrote (.pth), as archives or, before
// version 1.6, as pickles. It knows numbers, texts, dictionaries and tensors, and refuses every other object of
// Python: nothing in a file is run.
package pickle

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Tensor is an array of numbers, row by row. Values is nil for one of whole numbers, which are
// not read.
type Tensor struct {
	Shape  []int
	Values []float32
}

// Limits of what is read, so that a damaged file cannot ask for all memory.
const (
	maxObjects  = 1 << 20 // on the stack, in the memo, and steps
	maxText     = 1 << 16 // bytes
	maxElements = 1 << 31 // of all tensors
	maxDims     = 8
)

// Read returns the tensors of a state dict, by their names.
func Read(path string) (map[string]Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(f, 1<<16)
	var tensors map[string]Tensor
	if start, _ := r.Peek(len(zipMagic)); string(start) == zipMagic {
		tensors, err = readArchive(f, info.Size())
	} else {
		tensors, err = read(r, info.Size())
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tensors, nil
}

// header begins each file: torch.save writes a magic number, its protocol, a description of
// the machine, the object, and the keys of the storages, after which these follow.
const magic, protocol = "119547037146038801333356", "1001"

func read(r *bufio.Reader, size int64) (map[string]Tensor, error) {
	storages := map[string]*storage{}
	var parts [5]any
	for k := range parts {
		m := &machine{r: r, storages: storages}
		var err error
		if parts[k], err = m.run(); err != nil {
			return nil, fmt.Errorf("part %d: %w", k+1, err)
		}
		if k < 2 && fmt.Sprint(parts[k]) != []string{magic, protocol}[k] {
			return nil, errors.New("not a file of torch.save: save the weights as safetensors")
		}
	}
	keys, ok := parts[4].(*list)
	if !ok {
		return nil, errors.New("it lists no storages")
	}
	for _, key := range keys.items {
		if err := readStorage(r, storages, key, size); err != nil {
			return nil, err
		}
	}
	return tensorsOf(parts[3])
}

// tensorsOf returns the tensors of a state dict whose storages were read.
func tensorsOf(object any) (map[string]Tensor, error) {
	entries, ok := object.(*dict)
	if !ok {
		return nil, errors.New("it holds no state dict, which are tensors by name")
	}
	tensors := map[string]Tensor{}
	for k, key := range entries.keys {
		name, isText := key.(string)
		view, isTensor := entries.values[k].(*view)
		if !isText || !isTensor {
			return nil, fmt.Errorf("%v is no tensor", key)
		}
		t, err := view.tensor()
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		tensors[name] = t
	}
	return tensors, nil
}

// storage is the memory of tensors.
type storage struct {
	kind   string // Float, Long
	size   int
	read   bool
	values []float32
}

func readStorage(r *bufio.Reader, all map[string]*storage, key any, limit int64) error {
	name, _ := key.(string)
	s := all[name]
	if s == nil || s.read {
		return fmt.Errorf("storage %v belongs to no tensor, or is there twice", key)
	}
	var n int64
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return err
	}
	if n != int64(s.size) || s.bytes() > limit {
		return fmt.Errorf("storage %s has %d elements, want %d in a file of %d bytes", name, n, s.size, limit)
	}
	return s.fill(r)
}

// bytes is the size of a storage in a file.
func (s *storage) bytes() int64 {
	return int64(s.size) * map[string]int64{"FloatStorage": 4, "LongStorage": 8}[s.kind]
}

// fill reads a storage.
func (s *storage) fill(r io.Reader) error {
	s.read = true
	if s.kind != "FloatStorage" {
		_, err := io.CopyN(io.Discard, r, s.bytes())
		return err
	}
	raw := make([]byte, s.bytes())
	if _, err := io.ReadFull(r, raw); err != nil {
		return err
	}
	s.values = make([]float32, s.size)
	for k := range s.values {
		s.values[k] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:]))
	}
	return nil
}

// view is a tensor before its storage is read.
type view struct {
	of             *storage
	offset         int
	shape, stride  []int
	elements, last int // their number, and the place of the last one
}

// newView checks the arguments of torch._utils._rebuild_tensor_v2: storage, offset, sizes,
// strides, and others that do not change the values.
func newView(args []any) (*view, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("a tensor of %d arguments", len(args))
	}
	of, isStorage := args[0].(*storage)
	offset, isNumber := args[1].(int)
	shape, ok1 := numbers(args[2])
	stride, ok2 := numbers(args[3])
	if !isStorage || !isNumber || !ok1 || !ok2 || len(shape) != len(stride) || len(shape) > maxDims || offset < 0 {
		return nil, fmt.Errorf("a tensor with offset %v, sizes %v and strides %v", args[1], args[2], args[3])
	}
	v := &view{of: of, offset: offset, shape: shape, stride: stride, elements: 1, last: offset}
	for k, d := range shape {
		if d < 1 || stride[k] < 0 || d > maxElements/v.elements || stride[k] > maxElements/d {
			return nil, fmt.Errorf("a tensor of sizes %v and strides %v", shape, stride)
		}
		v.elements *= d
		v.last += (d - 1) * stride[k]
	}
	if v.last >= of.size {
		return nil, fmt.Errorf("a tensor of sizes %v and strides %v in a storage of %d elements", shape, stride, of.size)
	}
	return v, nil
}

func numbers(v any) ([]int, bool) {
	t, ok := v.(tuple)
	out := make([]int, len(t))
	for k, item := range t {
		n, isNumber := item.(int)
		out[k], ok = n, ok && isNumber
	}
	return out, ok
}

// tensor returns the elements row by row.
func (v *view) tensor() (Tensor, error) {
	t := Tensor{Shape: v.shape}
	if !v.of.read {
		return t, errors.New("its storage is missing")
	}
	if v.of.kind != "FloatStorage" {
		return t, nil
	}
	if v.elements > 16*v.of.size+16 { // strides of 0 repeat elements
		return t, fmt.Errorf("%d elements in a storage of %d", v.elements, v.of.size)
	}
	t.Values = make([]float32, v.elements)
	at := make([]int, len(v.shape))
	from := v.offset
	for k := range t.Values {
		t.Values[k] = v.of.values[from]
		for d := len(at) - 1; d >= 0; d-- {
			at[d]++
			from += v.stride[d]
			if at[d] < v.shape[d] {
				break
			}
			from -= at[d] * v.stride[d]
			at[d] = 0
		}
	}
	return t, nil
}
