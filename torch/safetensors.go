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
	"github.com/losscorr/losscorr/internal/guard"
)

// A safetensors file holds the length of its header in 8 bytes, little endian; the header, a JSON object with each
// tensor's dtype, shape and byte range; and the elements, row-major, tensor after tensor without gaps.
// https://huggingface.co/docs/safetensors

// maxHeader is the same limit as in Python's safetensors.
const maxHeader = 100 << 20

// checksumKey is the metadata key of the SHA-256 of everything after the header.
const checksumKey = "losscorr.sha256"

const metadataKey = "__metadata__"

var safetensorsDTypes = [...]string{"F32", "F64", "BF16", "F16", "I64", "I32", "U8", "BOOL"}

var layout = [...]DType{Int64, Float64, Float32, Int32, BFloat16, Float16, Uint8, Bool}

type safetensor struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// SaveSafetensors writes tensors of any device, and metadata, to a file that Python's safetensors reads. It replaces
// the file atomically and durably; after an error the old file stays. It adds a checksum to the metadata under
// "losscorr.sha256", so metadata must not have that key. Panics with *Error on the zero Tensor and on a tensor whose
// scope has ended.
func SaveSafetensors(path string, tensors map[string]Tensor, metadata map[string]string) (err error) {
	defer guard.Wrap(&err, "save %s", path)
	// Wide elements come first, as in Python's safetensors, so that each tensor starts at a multiple of its element
	// size.
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
	var data []byte // one tensor at a time: a checkpoint may not fit in memory
	for _, name := range names {
		data = tensors[name].bytes(data)
		sum.Write(data)
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	// The header comes before the summed bytes, and its length does not depend on the checksum.
	if header, err = encodeHeader(names, tensors, metadata, sum.Sum(nil)); err != nil {
		return err
	}
	if _, err := f.WriteAt(header, 0); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return files.Sync(path) // with the new name
}

// encodeHeader returns the beginning of a file, up to the elements of the first tensor.
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
		entries[name] = safetensor{safetensorsDTypes[t.DType()], t.Shape(), [2]int64{begin, end}}
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

// bytes returns t's elements, row-major, as they lie in memory. It reuses data if they fit.
func (t Tensor) bytes(data []byte) []byte {
	f := t.facts("save")
	data = slices.Grow(data[:0], int(f.numel)*DType(f.dtype).Size())
	data = data[:int(f.numel)*DType(f.dtype).Size()]
	if len(data) > 0 {
		check("save", C.lt_copy_out(t.h, unsafe.Pointer(&data[0]), C.int64_t(len(data))), t)
	}
	return data
}
