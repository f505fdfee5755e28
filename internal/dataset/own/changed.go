package own

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/rows"
)

// Unchanged returns an error if examples are known by their rows alone and the file's hash
// differs from that in files (Dataset.Files). Without files it compares nothing; what cannot
// be read is not changed.
func (s Source) Unchanged(files []dataset.File) error {
	if storageOf(s.Path).byRow(s) && s.Replaced(files) {
		return fmt.Errorf("%s has changed, and nothing but the order of its rows says which example is which", s.Path)
	}
	return nil
}

// Replaced reports whether the hash of the file of examples differs from that in files.
func (s Source) Replaced(files []dataset.File) bool {
	for _, then := range files {
		if then.Path != s.Path {
			continue
		}
		if now, err := fileOf(s.Path); err == nil && now.SHA256 != then.SHA256 {
			return true
		}
	}
	return false
}

// fileOf returns the path and hash of a file, or of the content of a folder of Parquet files.
func fileOf(path string) (dataset.File, error) {
	if shards := shardsOf(path); len(shards) > 0 {
		c, err := embedded(path, shards)
		if err != nil {
			return dataset.File{}, err
		}
		return c.File()
	}
	shards := rows.Shards(path)
	if shards == nil {
		return archive.HashFile(path)
	}
	sums := sha256.New()
	for _, shard := range shards {
		file, err := archive.HashFile(shard)
		if err != nil {
			return dataset.File{}, err
		}
		fmt.Fprintln(sums, filepath.Base(shard), file.SHA256)
	}
	return dataset.File{Path: path, SHA256: hex.EncodeToString(sums.Sum(nil))}, nil
}

// Fingerprint changes when the examples or the labels do, the test set's too: it is over the
// contents of files, and over the names, sizes and times of change of what lies in folders.
func (s Source) Fingerprint() (string, error) {
	var all []string
	for _, path := range s.files() {
		sum, err := fingerprint(path)
		if err != nil {
			return "", fmt.Errorf("dataset: own data: %w", err)
		}
		all = append(all, sum)
	}
	return strings.Join(all, " "), nil
}

func fingerprint(path string) (string, error) {
	if !isVirtual(path) {
		return archive.Fingerprint(path)
	}
	s, err := openContainer(path)
	if err != nil {
		return "", err
	}
	return s.Fingerprint()
}

// Sums returns Original.Sum of training examples, by their names; nil for numbers, and for
// labels alone. That of an example that cannot be read is 0.
func (s Source) Sums(ctx context.Context, ids []string) ([]uint64, error) {
	kind, err := s.Stored()
	var sums []uint64
	if err == nil && kind != dataset.Vector {
		sums, err = storageOf(s.Path).sums(ctx, s, ids)
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: own data: %w", err)
	}
	return sums, nil
}

// ContentHash is the beginning of a hash of what the source has of an example. It is not 0.
func ContentHash(raw []byte) uint64 {
	hash := sha256.Sum256(raw)
	return max(1, binary.LittleEndian.Uint64(hash[:]))
}
