package own

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// shard is a Parquet file of examples, as written by Hugging Face's datasets.
type shard struct {
	path   string
	split  string // train or test, by its name
	folder string // of its images: train/ or test/ if there are both
	rows.Features
}

// IsEmbedded reports whether a path is a Parquet file with images in it, or a folder of such files with names like
// train-00000-of-00002.parquet.
func IsEmbedded(path string) bool { _, images := shardsOf(path); return images }

// shardsOf returns the Parquet files of a path, training first, and whether all have images. It returns nil if there
// are none or one cannot be read.
func shardsOf(path string) (found []shard, images bool) {
	if path == "" {
		return nil, false
	}
	paths := []string{path}
	if !strings.EqualFold(filepath.Ext(path), ".parquet") {
		paths = rows.ParquetFiles(path)
	}
	images = len(paths) > 0
	for _, file := range paths {
		f, err := rows.ReadFeatures(file)
		if err != nil {
			return nil, false
		}
		found, images = append(found, shard{path: file, split: rows.SplitOf(file), Features: f}), images && f.Image != ""
	}
	for k := range found {
		if found[0].split != found[len(found)-1].split {
			found[k].folder = found[k].split + "/"
		}
	}
	return found, images
}

// Described fills in what the data itself describes. A table's column text is used if no content is named. Parquet
// files of Hugging Face's datasets name the classes of a column label or of the only column of class labels. A table
// in several files has splits. On errors the source stays as it is, since reading the data gives better errors.
func (s Source) Described() Source {
	s.Text = s.usualText()
	all, images := shardsOf(s.Path)
	if len(all) > 0 && all[0].folder != "" && !images && s.Split == "" && s.Test == "" &&
		!slices.Contains(all[0].Columns, rows.SplitColumn) {
		s.Split = rows.SplitColumn
	}
	if len(all) == 0 || s.Labels != "" {
		return s
	}
	column := s.columns().label
	if s.Label == "" && all[0].LabelColumn() != column {
		column = all[0].LabelColumn()
		s.Label = column
	}
	if len(s.ClassNames) > 0 {
		return s
	}
	there := map[string]bool{}
	for _, part := range all {
		if !images || part.split == all[0].split {
			if err := rows.Distinct(part.path, column, there); err != nil {
				return s
			}
		}
	}
	s.ClassNames = all[0].Numbered(column, there)
	return s
}

// Shard is a Parquet file whose rows are examples.
type Shard struct {
	Path  string
	Names []string // by row
}

// Shards returns the Parquet files of a source with the names of their rows, or nil if the source is not Parquet.
func (s Source) Shards(ctx context.Context) (out []Shard, err error) {
	all, images := shardsOf(s.Path)
	var names []string
	if len(all) > 0 && !images {
		if names, err = s.Names(ctx); err != nil {
			return nil, err
		}
	}
	next := map[string]int{}
	for _, part := range all {
		shard := Shard{Path: part.path}
		if images {
			for range part.Rows {
				shard.Names = append(shard.Names, part.folder+strconv.Itoa(next[part.folder]))
				next[part.folder]++
			}
		} else if part.Rows > len(names) {
			return nil, fmt.Errorf("%s changed while it was read", s.Path)
		} else {
			shard.Names, names = names[:part.Rows], names[part.Rows:]
		}
		out = append(out, shard)
	}
	return out, nil
}

// shardContent is the columns of a file except the images, and the images' sizes and hashes.
type shardContent struct {
	shard
	columns []string
	lines   [][]string
	sizes   []int64
	sums    []uint64

	files  map[int]string // paths of images outside the file, by row
	images func() (*rows.Images, error)
}

// mostCell is the largest size of a label, a split or a group in a row; columns with longer values are texts.
const mostCell = 4 << 10

func (s shard) read() (*shardContent, error) {
	table, err := rows.OpenDetails(s.path)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	c := &shardContent{shard: s, files: map[int]string{}}
	c.images = sync.OnceValues(func() (*rows.Images, error) { return rows.OpenImages(s.path, s.Image) })
	inFile := []string{s.Image + ".bytes"}
	if path := s.Image + ".path"; table.Has(path) {
		inFile = append(inFile, path)
	}
	for _, name := range table.Columns() {
		if !strings.Contains(name, ".") && name != "file_name" {
			c.columns = append(c.columns, name)
		}
	}
	long := make([]bool, len(c.columns))
	if err := table.Select(append(inFile, c.columns...)...); err != nil {
		return nil, err
	}
	err = table.EachBytes(func(values []string) error {
		line := make([]string, len(c.columns))
		for k, v := range values[len(inFile):] {
			line[k] = strings.Clone(v)
			if long[k] = long[k] || len(line[k]) > mostCell || !utf8.ValidString(line[k]); long[k] {
				line[k] = ""
			}
		}
		raw := []byte(values[0])
		if len(raw) == 0 && len(inFile) > 1 && values[1] != "" {
			c.files[len(c.lines)] = strings.Clone(values[1])
			var err error
			if raw, err = c.image(len(c.lines)); err != nil {
				return err
			}
		}
		c.lines, c.sizes, c.sums = append(c.lines, line), append(c.sizes, int64(len(raw))), append(c.sums, ContentHash(raw))
		return nil
	})
	if err != nil {
		return nil, err
	}
	var short []int // columns without long values
	for k := range long {
		if !long[k] {
			short = append(short, k)
		}
	}
	c.columns = dataset.Pick(c.columns, short)
	for k, line := range c.lines {
		c.lines[k] = dataset.Pick(line, short)
	}
	return c, nil
}

// member returns the image of a row.
func (c *shardContent) member(row int, name string) archive.Member {
	m := archive.Member{Name: name, Size: c.sizes[row], Time: int64(c.sums[row]), Open: func() (io.ReadCloser, error) {
		raw, err := c.image(row)
		return io.NopCloser(bytes.NewReader(raw)), err
	}}
	if m.Size == 0 {
		m.Problem = errors.New("the file has neither the bytes of the image nor the path of an existing file")
	}
	return m
}

// image returns the image of a row, or nil if it is missing. Before an upload, datasets writes only a path, which is
// absolute or relative to the folder of the file.
func (c *shardContent) image(row int) ([]byte, error) {
	name := c.files[row]
	if name == "" {
		images, err := c.images()
		if err != nil {
			return nil, err
		}
		return images.Read(row)
	}
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(c.path), name)
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || !files.IsImage(name) {
		return nil, nil
	}
	return files.Read(name, archive.MaxMember)
}
