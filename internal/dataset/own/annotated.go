package own

import (
	"bytes"
	"encoding/csv"
	"io"

	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
)

// openContainer opens a folder or an archive of images, or one whose members are the labelled images and
// boxes of annotations, or the images in files of Parquet. Such a container has a metadata.csv with their classes.
func openContainer(path string) (archive.Container, error) {
	if shards := shardsOf(path); len(shards) > 0 {
		return embedded(path, shards)
	}
	if !isAnnotated(path) {
		return archive.Open(path)
	}
	set, err := annotations.Read(path)
	if err != nil {
		return archive.Container{}, err
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
	var table bytes.Buffer
	if err := csv.NewWriter(&table).WriteAll(lines); err != nil {
		return archive.Container{}, err
	}
	hash := int64(ContentHash(table.Bytes()))
	labels := archive.Member{Name: metadataFile, Size: int64(table.Len()), Time: hash,
		Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(table.Bytes())), nil
		}}
	c := archive.Of(path, append(picture.Crops(crops), labels))
	c.Left = set.Left
	return c, nil
}

func isAnnotated(path string) bool { _, ok := annotations.Of(path); return ok }
