package own

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// lazyImages opens a file at the first image that is read.
type lazyImages struct {
	shard
	files  map[int]string // paths of the images that are not in the file, by row
	once   sync.Once
	images *rows.Images
	err    error
}

func (l *lazyImages) read(row int) ([]byte, error) {
	if l.files[row] != "" {
		return l.file(l.files[row])
	}
	l.once.Do(func() { l.images, l.err = rows.OpenImages(l.path, l.image) })
	if l.err != nil {
		return nil, l.err
	}
	return l.images.Read(row)
}

// file reads an image whose path alone is in the file, as datasets writes it until it uploads: an absolute
// path, or one relative to the folder of the file. nil without an error: it is not there.
func (l *lazyImages) file(name string) ([]byte, error) {
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(l.path), name)
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || !files.IsImage(name) {
		return nil, nil
	}
	return files.Read(name, archive.MaxMember)
}

// shardContent is what a file says of its images, and what tells their contents apart.
type shardContent struct {
	images  lazyImages
	columns []string
	lines   [][]string
	sizes   []int64
	sums    []uint64
}

// mostCell bounds what a column may have in a row that is the label, a split or a group: longer
// columns are texts.
const mostCell = 4 << 10

// contents are those of the files that were read, by path, size and time of change, as each command
// opens its data several times.
var contents sync.Map

// known reads a file once.
func known(s shard) (*shardContent, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s\n%d\n%d", s.path, info.Size(), info.ModTime().UnixNano())
	if c, ok := contents.Load(key); ok {
		return c.(*shardContent), nil
	}
	c, err := readShard(s)
	if err == nil {
		contents.Store(key, c)
	}
	return c, err
}

func readShard(s shard) (*shardContent, error) {
	lists, err := rows.OpenLists(s.path)
	if err != nil {
		return nil, err
	}
	c := &shardContent{images: lazyImages{shard: s, files: map[int]string{}}}
	images := []string{s.image + ".bytes"}
	if path := s.image + ".path"; slices.Contains(lists.Single, path) {
		images = append(images, path)
	}
	for _, name := range lists.Single {
		if !strings.Contains(name, ".") && name != "file_name" {
			c.columns = append(c.columns, name)
		}
	}
	long := make([]bool, len(c.columns))
	err = lists.Each(append(images, c.columns...), func(values [][]string) error {
		line := make([]string, len(c.columns))
		for k, v := range values[len(images):] {
			if line[k] = strings.Clone(one(v)); len(line[k]) > mostCell || !utf8.ValidString(line[k]) {
				long[k] = true
			}
			if long[k] {
				line[k] = ""
			}
		}
		raw := []byte(one(values[0]))
		if len(raw) == 0 && len(images) > 1 && one(values[1]) != "" {
			path := strings.Clone(one(values[1]))
			var err error
			if raw, err = c.images.file(path); err != nil {
				return err
			}
			c.images.files[len(c.lines)] = path
		}
		c.lines, c.sizes, c.sums = append(c.lines, line), append(c.sizes, int64(len(raw))), append(c.sums, ContentHash(raw))
		return nil
	})
	if err != nil {
		return nil, err
	}
	kept := 0
	for k := range long {
		if !long[k] {
			c.columns[kept] = c.columns[k]
			for _, line := range c.lines {
				line[kept] = line[k]
			}
			kept++
		}
	}
	c.columns = c.columns[:kept]
	for k := range c.lines {
		c.lines[k] = c.lines[k][:kept]
	}
	return c, nil
}

// one is the value of a column of single values.
func one(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
