package torch

// #include "loader.h"
import "C"

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/guard"
)

// LoadSafetensors reads a file of SaveSafetensors or Python's safetensors. It returns the tensors, on the CPU and in
// the current scope, and the metadata without the checksum, which it verifies if there is one. It is an error if the
// file is damaged or truncated.
func LoadSafetensors(path string) (tensors map[string]Tensor, metadata map[string]string, err error) {
	defer guard.Wrap(&err, "load %s", path)
	f, err := files.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	header, rest, err := readHeader(f)
	if err != nil {
		return nil, nil, err
	}
	data := make([]byte, rest)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, err
	}
	entries, metadata, err := decodeHeader(header, data)
	if err != nil {
		return nil, nil, err
	}
	if err := Open(); err != nil {
		return nil, nil, err
	}
	tensors = make(map[string]Tensor, len(entries))
	err = Try(func() error {
		for name, e := range entries {
			dtype := DType(slices.Index(safetensorsDTypes[:], e.DType))
			tensors[name] = FromBytes(data[e.Offsets[0]:e.Offsets[1]], dtype, e.Shape...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return tensors, metadata, nil
}

// SafetensorsMetadata reads the metadata of a safetensors file, without the checksum and
// without reading the tensors. It needs no libtorch.
func SafetensorsMetadata(path string) (metadata map[string]string, err error) {
	defer guard.Wrap(&err, "load %s", path)
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	header, _, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	_, metadata, err = splitHeader(header)
	delete(metadata, checksumKey)
	return metadata, err
}

// readHeader reads the header and leaves f at the data, which has rest bytes.
func readHeader(f *os.File) (header []byte, rest int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	var prefix [8]byte
	if info.Size() < int64(len(prefix)) {
		return nil, 0, fmt.Errorf("not a safetensors file: %d bytes are too few", info.Size())
	}
	if _, err := io.ReadFull(f, prefix[:]); err != nil {
		return nil, 0, err
	}
	if string(prefix[:4]) == "PK\x03\x04" {
		return nil, 0, errors.New("not a safetensors file but a zip, as torch.save and torch.export.save write it: save " +
			"the weights with safetensors.torch.save_file(model.state_dict(), FILE)")
	}
	length := binary.LittleEndian.Uint64(prefix[:])
	if length > maxHeader {
		return nil, 0, fmt.Errorf("not a safetensors file: a header of %d bytes is over the format's limit of %d", length,
			maxHeader)
	}
	if rest = info.Size() - int64(len(prefix)); int64(length) > rest {
		return nil, 0, fmt.Errorf("truncated: the header has %d bytes, the file ends after %d", length, rest)
	}
	header = make([]byte, length)
	_, err = io.ReadFull(f, header)
	return header, rest - int64(length), err
}

// splitHeader separates the entries of a header, by name, from the metadata.
func splitHeader(header []byte) (raw map[string]json.RawMessage, metadata map[string]string, err error) {
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, nil, fmt.Errorf("not a safetensors file: its header is not a JSON object: %w", err)
	}
	metadata = map[string]string{}
	if text, ok := raw[metadataKey]; ok {
		if err := json.Unmarshal(text, &metadata); err != nil {
			return nil, nil, fmt.Errorf("damaged: its metadata is not an object of texts: %w", err)
		}
		delete(raw, metadataKey)
	}
	return raw, metadata, nil
}

func decodeHeader(header, data []byte) (map[string]safetensor, map[string]string, error) {
	raw, metadata, err := splitHeader(header)
	if err != nil {
		return nil, nil, err
	}
	entries := make(map[string]safetensor, len(raw))
	for name, text := range raw {
		var e safetensor
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, nil, fmt.Errorf("damaged: tensor %q is not described as expected: %w", name, err)
		}
		if err := e.check(data); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		entries[name] = e
	}
	if want, ok := metadata[checksumKey]; ok {
		delete(metadata, checksumKey)
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			return nil, nil, errors.New("damaged: its contents do not match the checksum in its header; restore it from a " +
				"copy or write it again")
		}
	}
	return entries, metadata, nil
}

func (e safetensor) check(data []byte) error {
	code := slices.Index(safetensorsDTypes[:], e.DType)
	if code < 0 {
		return fmt.Errorf("dtype %q has no counterpart here; known are %s", e.DType, strings.Join(safetensorsDTypes[:], ", "))
	}
	if len(e.Shape) > C.LT_MAX_DIM {
		return fmt.Errorf("%d dimensions are more than %d", len(e.Shape), int(C.LT_MAX_DIM))
	}
	begin, end := e.Offsets[0], e.Offsets[1]
	if begin < 0 || end < begin {
		return fmt.Errorf("damaged: its byte range [%d, %d) is invalid", begin, end)
	}
	if end > int64(len(data)) {
		return fmt.Errorf("truncated: it ends at byte %d of the data, the file at %d", end, len(data))
	}
	// Dividing the actual size cannot overflow, unlike multiplying the claimed shape.
	bytes := int(end - begin)
	left, empty := bytes/DType(code).Size(), false
	fits := bytes%DType(code).Size() == 0
	for _, s := range e.Shape {
		switch {
		case s < 0:
			return fmt.Errorf("damaged: shape %v has a negative size", e.Shape)
		case s == 0:
			empty = true
		default:
			fits = fits && left%s == 0
			left /= s
		}
	}
	if empty && bytes != 0 || !empty && (!fits || left != 1) {
		return fmt.Errorf("damaged: %d bytes do not hold shape %v of %s", bytes, e.Shape, e.DType)
	}
	if DType(code) == Bool {
		for _, b := range data[begin:end] {
			if b > 1 {
				return fmt.Errorf("damaged: byte %d is not a truth value", b)
			}
		}
	}
	return nil
}
