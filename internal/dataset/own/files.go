package own

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
)

// Unchanged returns an error if examples are only identified by their rows and the file's hash differs from the one
// in files (Dataset.Files). Without files it compares nothing. A file that cannot be read counts as unchanged.
func (s Source) Unchanged(files []dataset.File) error {
	if s.byRow() && s.Replaced(files) {
		return fmt.Errorf("%s has changed, and only the order of its rows identifies the examples", s.Path)
	}
	return nil
}

// byRow reports whether only the order of the rows identifies examples. Images outside Parquet have file names.
func (s Source) byRow() bool {
	switch formOf(s.Path) {
	case arrays:
		return true
	case images:
		return IsEmbedded(s.Path)
	case tables:
		t, err := s.readTableWith(context.Background(), nil)
		return err == nil && t.byRow
	}
	return false
}

// Replaced reports whether the hash of the file of examples differs from the one in files.
func (s Source) Replaced(files []dataset.File) bool {
	return Changed(slices.DeleteFunc(slices.Clone(files), func(f dataset.File) bool { return f.Path != s.Path })) != ""
}

// Changed returns the path of the first file whose content has changed, or "". A file that cannot be read counts as
// unchanged.
func Changed(files []dataset.File) string {
	for _, then := range files {
		if now, err := fileOf(then.Path); err == nil && now.SHA256 != then.SHA256 {
			return then.Path
		}
	}
	return ""
}

// fileOf returns the path and hash of a file, or of the content of a folder of Parquet files.
func fileOf(path string) (dataset.File, error) {
	shards, images := shardsOf(path)
	if images {
		c, err := embedded(path, shards)
		if err != nil {
			return dataset.File{}, err
		}
		return c.File()
	}
	if len(shards) == 0 || shards[0].path == path {
		return archive.HashFile(path)
	}
	sums := sha256.New()
	for _, shard := range shards {
		file, err := archive.HashFile(shard.path)
		if err != nil {
			return dataset.File{}, err
		}
		fmt.Fprintln(sums, filepath.Base(shard.path), file.SHA256)
	}
	return dataset.File{Path: path, SHA256: fmt.Sprintf("%x", sums.Sum(nil))}, nil
}

// hashFiles adds the hashes of files to a data set. It skips empty paths.
func hashFiles(d *dataset.Dataset, paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		f, err := fileOf(path)
		if err != nil {
			return err
		}
		d.Files = append(d.Files, f)
	}
	return nil
}
