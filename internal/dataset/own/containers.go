package own

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/rows"
)

// container holds images: a folder, an archive, the labelled images and boxes of annotations, or Parquet files.
type container struct {
	archive.Container
	labels []labelFile       // from annotations and Parquet; otherwise set when the files are listed
	sums   map[string]uint64 // hashes of images in Parquet, which are named by their rows; nil for others
}

// labelFile is a table of labels for the images in and below a folder.
type labelFile struct {
	name string // its path in the container
	open func() (*rows.Reader, error)
}

func openContainer(path string) (c container, err error) {
	switch shards, images := shardsOf(path); {
	case images:
		return embedded(path, shards)
	case isAnnotated(path):
		return annotated(path)
	}
	if c.Container, err = archive.Open(path); errors.Is(err, archive.ErrNoContainer) { // and not another form of data
		err = fmt.Errorf("%w, which hold images, nor a table (%s), an array (.npy) or annotations (%s)", err,
			rows.Endings, strings.Join(annotations.All.Names(), ", "))
	}
	return c, err
}

func isAnnotated(path string) bool { _, ok := annotations.Of(path); return ok }

// annotated returns a container of the labelled images and boxes in annotations.
func annotated(path string) (c container, err error) {
	set, err := annotations.Read(path)
	if err != nil {
		return c, err
	}
	crops := make([]picture.Crop, len(set.Labels))
	lines := [][]string{{"file_name", "label"}}
	for k, l := range set.Labels {
		crops[k] = picture.Crop{Name: l.Name, File: l.Image}
		if l.Box != (annotations.Box{}) {
			crops[k].In, crops[k].Of = l.In, l.Of
		}
		lines = append(lines, []string{l.Name, l.Class})
	}
	members := picture.Crops(crops)
	if err := c.label(path, "", lines, &members); err != nil {
		return c, err
	}
	c.Container = archive.Of(path, members)
	c.Left = set.Left
	return c, nil
}

// embedded returns a container of the images in Parquet. Each is named by the number of its row, from 0 in each
// split, and labelled by the other columns.
func embedded(path string, shards []shard) (c container, err error) {
	var members []archive.Member
	c.sums = map[string]uint64{}
	tables := map[string][][]string{} // by folder; the first line has the names of the columns
	for _, s := range shards {
		content, err := s.read()
		if err != nil {
			return c, err
		}
		lines := tables[s.folder]
		if columns := append([]string{"file_name"}, content.columns...); lines == nil {
			lines = [][]string{columns}
		} else if !slices.Equal(lines[0], columns) {
			return c, fmt.Errorf("%s has the columns %q, but another file of the same split has %q", s.path, columns[1:],
				lines[0][1:])
		}
		for row, values := range content.lines {
			number := strconv.Itoa(len(lines) - 1)
			lines = append(lines, append([]string{number}, values...))
			members = append(members, content.member(row, s.folder+number))
			if content.sizes[row] > 0 {
				c.sums[s.folder+number] = content.sums[row]
			}
		}
		tables[s.folder] = lines
	}
	for _, folder := range []string{"", "train/", "test/"} {
		if lines := tables[folder]; lines != nil {
			if err := c.label(path, folder, lines, &members); err != nil {
				return c, err
			}
		}
	}
	c.Container = archive.Of(path, members)
	return c, nil
}

// label adds a table of labels, with the names of the columns in the first line. It also adds a member for the
// container's fingerprint, with the size and hash of the table as a file.
func (c *container) label(path, folder string, lines [][]string, members *[]archive.Member) error {
	var file bytes.Buffer
	if err := csv.NewWriter(&file).WriteAll(lines); err != nil {
		return err
	}
	m := archive.Member{Name: folder + metadataFile, Size: int64(file.Len()), Time: int64(ContentHash(file.Bytes()))}
	*members = append(*members, m)
	c.labels = append(c.labels, labelFile{m.Name, func() (*rows.Reader, error) {
		return rows.Of(path, lines[0], lines[1:]), nil
	}})
	return nil
}
