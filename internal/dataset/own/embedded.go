package own

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// shard is a Parquet file with the images in it, as Hugging Face's datasets writes them.
type shard struct {
	path   string
	split  string // train or test, by its name; "" of a single file
	folder string // train/ or test/ where there are both, in which its images are
	image  string // column of images
}

// IsEmbedded reports whether a path is a Parquet file with images in it, or a folder of such files
// whose names are like train-00000-of-00002.parquet.
func IsEmbedded(path string) bool { return len(shardsOf(path)) > 0 }

// isVirtual reports whether the images of a path are no files of a folder or an archive: boxes and
// images of annotations, and those in Parquet.
func isVirtual(path string) bool { return isAnnotated(path) || IsEmbedded(path) }

// shardsOf returns the files of a path, nil where one has no images. Those of training come first.
func shardsOf(path string) []shard {
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		if f, err := rows.ReadFeatures(path); err == nil && f.Image != "" {
			return []shard{{path: path, image: f.Image}}
		}
		return nil
	}
	if info, err := os.Stat(path); path == "" || err != nil || !info.IsDir() {
		return nil
	}
	var found []shard
	for _, folder := range []string{path, filepath.Join(path, "data")} {
		for _, file := range files.Glob(folder, "*-of-*.parquet") {
			f, err := rows.ReadFeatures(file)
			if err != nil || f.Image == "" {
				return nil
			}
			split, _, _ := strings.Cut(filepath.Base(file), "-")
			found = append(found, shard{path: file, split: splitOf(split), image: f.Image})
		}
	}
	slices.SortStableFunc(found, func(a, b shard) int { return -strings.Compare(a.split, b.split) })
	for k := range found {
		if found[0].split != found[len(found)-1].split {
			found[k].folder = cmp.Or(found[k].split, "train") + "/"
		}
	}
	return found
}

// embedded returns a container of the images in Parquet: each is named by the number of its row, from 0
// in each split, and a metadata.csv has what the other columns say of it.
func embedded(path string, shards []shard) (archive.Container, error) {
	var members []archive.Member
	tables := map[string]*embeddedTable{}
	for _, s := range shards {
		known, err := known(s)
		if err != nil {
			return archive.Container{}, err
		}
		if tables[s.folder] == nil {
			tables[s.folder] = &embeddedTable{}
		}
		add, err := tables[s.folder].add(s, known)
		if err != nil {
			return archive.Container{}, err
		}
		members = append(members, add...)
	}
	for _, folder := range []string{"", "train/", "test/"} {
		if t := tables[folder]; t != nil {
			m, err := t.member(folder)
			if err != nil {
				return archive.Container{}, err
			}
			members = append(members, m)
		}
	}
	return archive.Of(path, members), nil
}

// embeddedTable is what is known of the images of a folder.
type embeddedTable struct {
	header []string
	lines  [][]string
}

func (t *embeddedTable) add(s shard, known *shardContent) (members []archive.Member, err error) {
	if t.header == nil {
		t.header = append([]string{"file_name"}, known.columns...)
	} else if !slices.Equal(t.header[1:], known.columns) {
		return nil, fmt.Errorf("%s has the columns %q, another file of the same split has %q", s.path, known.columns,
			t.header[1:])
	}
	for row, line := range known.lines {
		name := s.folder + strconv.Itoa(len(t.lines))
		t.lines = append(t.lines, append([]string{strconv.Itoa(len(t.lines))}, line...))
		m := archive.Member{Name: name, Size: known.sizes[row], Time: int64(known.sums[row]),
			Open: func() (io.ReadCloser, error) {
				raw, err := known.images.read(row)
				return io.NopCloser(bytes.NewReader(raw)), err
			}}
		if m.Size == 0 {
			m.Problem = errors.New("the file has no bytes of the image, and no path at which it is there")
		}
		members = append(members, m)
	}
	return members, nil
}

func (t *embeddedTable) member(folder string) (archive.Member, error) {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(append([][]string{t.header}, t.lines...)); err != nil {
		return archive.Member{}, err
	}
	return archive.Member{Name: folder + metadataFile, Size: int64(b.Len()), Time: int64(ContentHash(b.Bytes())),
		Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(b.Bytes())), nil
		}}, nil
}
