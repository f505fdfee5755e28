package torch

// #include "loader.h"
import "C"

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/losscorr/losscorr/internal/files"
)

// A file in the safetensors format is the length of its header in 8 bytes,
// little endian; the header, a JSON object that gives each tensor's dtype, shape
// and place; and the elements, row-major, tensor after tensor without gaps.
// https://huggingface.co/docs/safetensors

// maxHeader is the limit that Python's safetensors sets too.
const maxHeader = 100 << 20

// checksumKey names, in a file's metadata, the SHA-256 of all that follows the
// header.
const checksumKey = "losscorr.sha256"

const metadataKey = "__metadata__"

var safetensorsDTypes = [...]string{"F32", "F64", "BF16", "F16", "I64", "I32", "U8", "BOOL"}

var layout = [...]DType{Int64, Float64, Float32, Int32, BFloat16, Float16, Uint8, Bool}

type safetensor struct {
	DType   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// SaveSafetensors writes tensors, wherever they are, and metadata to a file that
// Python's safetensors reads. The file is replaced in one step and is on the
// disk when SaveSafetensors returns; on an error the old one stays. A checksum
// joins the metadata under "losscorr.sha256", which metadata must not have. Panics with *Error on the
// zero Tensor or one whose scope has ended.
func SaveSafetensors(path string, tensors map[string]Tensor, metadata map[string]string) error {
	if err := saveSafetensors(path, tensors, metadata); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

func saveSafetensors(path string, tensors map[string]Tensor, metadata map[string]string) error {
	// The order is that of Python's safetensors: wide elements first, so that
	// each tensor lies on a multiple of its element.
	names := slices.SortedFunc(maps.Keys(tensors), func(a, b string) int {
		p, q := slices.Index(layout[:], tensors[a].DType()), slices.Index(layout[:], tensors[b].DType())
		if p != q {
			return p - q
		}
		return strings.Compare(a, b)
	})
	sum := sha256.New()
	header, err := encodeHeader(names, tensors, metadata, sum.Sum(nil))
	if err != nil {
		return err
	}
	f, err := files.Create(path, 0o644)
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if _, err := f.Write(header); err != nil {
		return err
	}
	var data []byte // of one tensor, so that a checkpoint is never in memory as a whole
	for _, name := range names {
		data = tensors[name].bytes(data)
		sum.Write(data)
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	// The header, whose length a checksum does not change, is before what is summed.
	if header, err = encodeHeader(names, tensors, metadata, sum.Sum(nil)); err != nil {
		return err
	}
	if _, err := f.WriteAt(header, 0); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return files.Sync(path) // the new name, too
}

// encodeHeader returns a file's beginning, up to the elements of the first of names.
func encodeHeader(names []string, tensors map[string]Tensor, metadata map[string]string, sum []byte) ([]byte, error) {
	if _, taken := metadata[checksumKey]; taken {
		return nil, fmt.Errorf("metadata key %q is taken by the checksum", checksumKey)
	}
	if _, taken := tensors[metadataKey]; taken {
		return nil, fmt.Errorf("a tensor cannot be named %q", metadataKey)
	}
	entries := map[string]any{}
	end := int64(0)
	for _, name := range names {
		t := tensors[name]
		begin := end
		end += int64(t.Numel() * t.DType().Size())
		shape := make([]int64, 0, t.Dim())
		for _, s := range t.Shape() {
			shape = append(shape, int64(s))
		}
		entries[name] = safetensor{safetensorsDTypes[t.DType()], shape, [2]int64{begin, end}}
	}
	all := map[string]string{checksumKey: hex.EncodeToString(sum)}
	maps.Copy(all, metadata)
	entries[metadataKey] = all
	text, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes is over the format's limit of %d", len(text), maxHeader)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), nil
}

// bytes returns t's elements, row-major, as they lie in memory: in data if they fit.
func (t Tensor) bytes(data []byte) []byte {
	f := t.facts("save")
	data = slices.Grow(data[:0], int(f.numel)*DType(f.dtype).Size())
	data = data[:int(f.numel)*DType(f.dtype).Size()]
	if len(data) > 0 {
		check("save", C.lt_copy_out(t.h, unsafe.Pointer(&data[0]), C.int64_t(len(data))), t)
	}
	return data
}
