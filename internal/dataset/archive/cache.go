package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// A cache file is a decoded data set:
//
//	cacheStart, with the version of the format and the CRC-32C of the rest
//	a cacheHead as JSON, in one line
//	the training and then the test examples: bytes, or tokens as little-endian int32
//
// A change of the tokenizer or the decoding raises the version as well.
func cacheStart(rest ...[]byte) string {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, part := range rest {
		_, _ = sum.Write(part)
	}
	return fmt.Sprintf("losscorr data 2 %08x", sum.Sum32())
}

type cacheHead struct {
	Key     string          // the source's fingerprint
	Dataset dataset.Dataset // without examples
	Tokens  bool            // the examples are tokens
}

// Cached returns the result of build for a source, from the user's cache folder if possible. The default key is the
// source's fingerprint. A cache that is missing, damaged, of another version or not writable costs time but is not an
// error.
func Cached(kind, key string, s Container, build func() (*dataset.Dataset, error)) (d *dataset.Dataset, err error) {
	if key == "" {
		if key, err = s.Fingerprint(); err != nil {
			return nil, err
		}
	}
	path := CachePath(kind, key)
	if d, err := readCache(path, key); err == nil {
		d.Files[0].Path = s.Path // the same content may have moved
		return d, nil
	}
	if d, err = Fresh(s, build); err != nil {
		return nil, err
	}
	_ = writeCache(path, key, d)
	return d, nil
}

// Fresh returns the result of build for a source, with the source's hash.
func Fresh(s Container, build func() (*dataset.Dataset, error)) (*dataset.Dataset, error) {
	d, err := build()
	if err != nil {
		return nil, err
	}
	f, err := s.File()
	d.Files = []dataset.File{f}
	return d, err
}

// CachePath returns "" if the system has no cache folder.
func CachePath(kind, key string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "losscorr", "decoded", kind+"-"+key+".bin")
}

// readCache reads the whole file. Examples are slices of its bytes, not copies, except for tokens.
func readCache(path, key string) (*dataset.Dataset, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	start, rest, _ := bytes.Cut(raw, []byte("\n"))
	text, examples, _ := bytes.Cut(rest, []byte("\n"))
	var head cacheHead
	if string(start) != cacheStart(rest) || json.Unmarshal(text, &head) != nil || head.Key != key {
		return nil, errors.New("damaged cache")
	}
	d := &head.Dataset
	for _, s := range []*dataset.Split{&d.Train, &d.Test} {
		size := s.Len() * s.Size()
		if head.Tokens {
			s.Tokens = make([]int32, size)
			if size, err = binary.Decode(examples, binary.LittleEndian, s.Tokens); err != nil {
				return nil, err
			}
		} else {
			s.X = examples[:size:size]
		}
		examples = examples[size:]
	}
	return d, nil
}

func writeCache(path, key string, d *dataset.Dataset) error {
	head := cacheHead{Key: key, Dataset: *d, Tokens: d.Train.Tokens != nil}
	examples := [][]byte{d.Train.X, d.Test.X}
	for k, s := range []*dataset.Split{&head.Dataset.Train, &head.Dataset.Test} {
		if head.Tokens {
			examples[k], _ = binary.Append(nil, binary.LittleEndian, s.Tokens) // cannot fail for numbers
		}
		s.X, s.Tokens = nil, nil
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	start := cacheStart(text, examples[0], examples[1]) + "\n"
	return files.WriteParts(path, 0o644, strings.NewReader(start), bytes.NewReader(text), bytes.NewReader(examples[0]),
		bytes.NewReader(examples[1]))
}
