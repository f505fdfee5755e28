package archive

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// A cache file holds a data set after decoding:
//
//	cacheMagic, with the version of the format
//	length of the head    uint64, little-endian
//	head                  a cacheHead as JSON
//	training examples     bytes, or tokens as little-endian uint16
//	test examples         likewise
//	CRC-32C of the above  uint32, little-endian
//
// The version also covers the processing of the source: a change of the tokenizer or
// of the decoding raises it.
const cacheMagic = "losscorr data 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type cacheHead struct {
	Key     string          // the source's fingerprint
	Dataset dataset.Dataset // without examples
	Tokens  bool            // the examples are tokens
}

// Cached returns the result of build for a source, from the user's cache folder if it
// is there.
func Cached(kind string, s Container, build func() (*dataset.Dataset, error)) (*dataset.Dataset, error) {
	key, err := s.Fingerprint()
	if err != nil {
		return nil, err
	}
	return CachedAs(CachePath(kind, key), key, s, build)
}

// CachedAs is Cached with a key that the caller makes of the fingerprint. A cache that is missing, damaged,
// of another version or cannot be written costs time and is no error.
func CachedAs(path, key string, s Container, build func() (*dataset.Dataset, error)) (*dataset.Dataset, error) {
	if d, err := readCache(path, key); err == nil {
		d.Files[0].Path = s.Path // the same content may be at another path now
		return d, nil
	}
	d, err := Fresh(s, build)
	if err != nil {
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

var errCache = errors.New("damaged cache")

// readCache reads the file at once; the examples of the data set are slices of its
// bytes, not copies.
func readCache(path, key string) (*dataset.Dataset, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const start = len(cacheMagic) + 8
	body := len(raw) - 4
	if body < start || string(raw[:len(cacheMagic)]) != cacheMagic ||
		crc32.Checksum(raw[:body], castagnoli) != binary.LittleEndian.Uint32(raw[body:]) {
		return nil, errCache
	}
	length := binary.LittleEndian.Uint64(raw[len(cacheMagic):])
	text, rest := raw[start:start+int(length)], raw[start+int(length):body]
	var head cacheHead
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	if head.Key != key {
		return nil, errCache
	}
	d := &head.Dataset
	for _, s := range []*dataset.Split{&d.Train, &d.Test} {
		size := s.Len() * s.Size()
		if !head.Tokens {
			s.X, rest = rest[:size:size], rest[size:]
			continue
		}
		s.Tokens = make([]int32, size)
		for k := range s.Tokens {
			s.Tokens[k] = int32(binary.LittleEndian.Uint16(rest[2*k:]))
		}
		rest = rest[2*size:]
	}
	return d, nil
}

func writeCache(path, key string, d *dataset.Dataset) error {
	head := cacheHead{Key: key, Dataset: *d, Tokens: d.Train.Tokens != nil}
	for _, s := range []*dataset.Split{&head.Dataset.Train, &head.Dataset.Test} {
		s.X, s.Tokens = nil, nil
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	sweep(dir)
	file, err := files.Create(path, 0o644)
	if err != nil {
		return err
	}
	defer file.Cleanup()
	sum := crc32.New(castagnoli)
	w := io.MultiWriter(file, sum)
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	for _, part := range [][]byte{[]byte(cacheMagic), length, text, packed(d.Train), packed(d.Test)} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	if _, err := file.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// abandoned is the age from which an unfinished cache file counts as that of a writer
// that was killed.
const abandoned = 24 * time.Hour

// sweep removes the temporary files of killed writers, whose names begin with a dot. A
// file that cannot be removed stays.
func sweep(dir string) {
	for _, path := range files.Glob(dir, ".*.bin*") {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(path)
		}
	}
}

// packed returns the examples as the file holds them.
func packed(s dataset.Split) []byte {
	if s.Tokens == nil {
		return s.X
	}
	b := make([]byte, 0, 2*len(s.Tokens))
	for _, id := range s.Tokens {
		b = binary.LittleEndian.AppendUint16(b, uint16(id))
	}
	return b
}
