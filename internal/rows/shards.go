package rows

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// Shards returns the Parquet files of a table in a folder or its data/. It returns nil for other paths and for files
// with images.
func Shards(folder string) (paths []string) {
	if paths = ParquetFiles(folder); len(paths) == 0 {
		return nil
	}
	if f, err := ReadFeatures(paths[0]); err != nil || f.Image != "" {
		return nil
	}
	return paths
}

// ParquetFiles returns the Parquet files in a folder or its data/, training files first. Hugging Face's datasets names
// them train-00000-of-00002.parquet and so on.
func ParquetFiles(folder string) (paths []string) {
	if folder == "" {
		return nil
	}
	for _, in := range []string{folder, filepath.Join(folder, "data")} {
		paths = append(paths, files.Glob(in, "*-of-*.parquet")...)
	}
	slices.SortStableFunc(paths, func(a, b string) int { return -strings.Compare(SplitOf(a), SplitOf(b)) })
	return paths
}

// SplitOf returns the split of a Parquet file by its name: test, or train for all others.
func SplitOf(path string) string {
	if strings.HasPrefix(filepath.Base(path), "test-") {
		return "test"
	}
	return "train"
}

// SplitColumn is the column of splits, which a table in shards has if there are both and no column of that name.
const SplitColumn = "split"

// shards is a table in several files.
type shards struct {
	folder  string
	paths   []string
	columns []string // of the files
	split   bool     // there is one more column, with the splits
	chosen  []int
	part    *Reader // the current file; nil between files
	at      int     // its place in paths
}

func newShards(folder string, paths []string) (*Reader, error) {
	s := &shards{folder: folder, paths: paths}
	first, err := Open(paths[0])
	if err != nil {
		return nil, err
	}
	defer first.Close()
	s.columns = first.Columns()
	s.split = SplitOf(paths[0]) != SplitOf(paths[len(paths)-1]) && !slices.Contains(s.columns, SplitColumn)
	r := &Reader{Path: folder, table: s, closer: s, columns: slices.Clone(s.columns)}
	if s.split {
		r.columns = append(r.columns, SplitColumn)
	}
	r.chooseAll()
	return r, nil
}

func (s *shards) choose(columns []int) { s.chosen = columns }

func (s *shards) read(row []string) error {
	for {
		if s.part == nil {
			if s.at == len(s.paths) {
				return io.EOF
			}
			if err := s.begin(); err != nil {
				return err
			}
		}
		err := s.part.table.read(s.part.row)
		if err == io.EOF {
			_ = s.Close()
			s.at++
			continue
		}
		if err != nil {
			return s.part.wrap(err)
		}
		next := 0
		for k, c := range s.chosen {
			if c == len(s.columns) {
				row[k] = SplitOf(s.paths[s.at])
				continue
			}
			row[k] = s.part.row[next]
			next++
		}
		return nil
	}
}

// begin opens the next file.
func (s *shards) begin() error {
	part, err := Open(s.paths[s.at])
	if err != nil {
		return err
	}
	s.part = part
	if !slices.Equal(part.Columns(), s.columns) {
		return fmt.Errorf("%s has the columns %q, and %s has %q: keep the files of one table in the folder",
			part.Path, part.Columns(), filepath.Base(s.paths[0]), s.columns)
	}
	part.choose(slices.DeleteFunc(slices.Clone(s.chosen), func(c int) bool { return c == len(s.columns) }))
	return nil
}

func (s *shards) where() string {
	if s.part == nil {
		return ""
	}
	return strings.TrimPrefix(s.part.Where(), s.folder)
}

// Close closes the current file.
func (s *shards) Close() error {
	if s.part == nil {
		return nil
	}
	defer func() { s.part = nil }()
	return s.part.Close()
}
