package own

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/rows"
)

// Whatever an archive holds, it is read or refused.
func FuzzImageArchive(f *testing.F) {
	f.Setenv("XDG_CACHE_HOME", "") // no cache
	f.Setenv("HOME", "")
	names := []string{"a.tar.gz", "a.zip"}
	seeds := f
	entries := datasettest.Shaded(seeds, "train/a/1.png", "train/b/1.png", "train/b/2.png", "val/a/1.png", "test/a/1.png")
	table := append(datasettest.Shaded(seeds, "1.png", "2.png", "3.png", "4.png"), datasettest.Entry{Name: metadataFile,
		Content: "file_name,label\n1.png,a\n2.png,b\n3.png,b\n4.png,a\n"})
	for _, e := range [][]datasettest.Entry{entries, table} {
		f.Add(0, datasettest.TarGz(seeds, e))
		f.Add(1, datasettest.Zip(seeds, e))
	}
	f.Fuzz(func(t *testing.T, format int, content []byte) {
		path := filepath.Join(t.TempDir(), names[uint(format)%2])
		expect.OK(t, os.WriteFile(path, content, 0o644))
		s := Source{Path: path}
		d, err := Read(t.Context(), s, dataset.Options{MaxBad: 100})
		if err != nil {
			return
		}
		for _, split := range []dataset.Split{d.Train, d.Test} {
			if len(split.X) != split.Len()*split.Size() && split.Len() > 0 || len(split.IDs) != split.Len() {
				t.Fatalf("%d bytes and %d names of %d examples of shape %v", len(split.X), len(split.IDs), split.Len(), split.Shape)
			}
		}
		shown, err := expect.Got(Open(s))(t).Originals(t.Context(), d.Train.IDs)
		if err != nil || slices.ContainsFunc(shown, func(o Original) bool { return o.Image == nil }) {
			t.Errorf("%v: an image that was decoded is not shown", err)
		}
	})
}

// Whatever names files and tables have, each image gets one split and one label.
func FuzzImageLabels(f *testing.F) {
	f.Add("train/a/1.png\ntrain/b/1.png\ntest/a/1.png", "")
	f.Add("x/a/1.png\nx/b/1.png", "file_name,label\na/1.png,cat\nx/b/1.png,dog\n")
	f.Add("1.png\n2.png\nd/3.png", "file_name,label\n1.png,cat\n3.png,dog\n../2.png,dog\n")
	f.Fuzz(func(t *testing.T, files, table string) {
		tree := &imageTree{container: container{Container: archive.Container{Path: "photos"}}, names: strings.Fields(files)}
		if len(tree.names) == 0 || slices.ContainsFunc(tree.names, func(name string) bool { return !fs.ValidPath(name) }) {
			return // sources have no such names
		}
		if table != "" {
			tree.labels = []labelFile{{metadataFile, func() (*rows.Reader, error) {
				return rows.OpenBytes(metadataFile, []byte(table))
			}}}
		}
		tree.findRoot()
		if err := tree.label(t.Context(), Source{}, 2); err != nil {
			return
		}
		images, left := tree.images, tree.left
		if len(left) > 2 || images.n+len(left) < len(tree.names) {
			t.Errorf("%d images and %d left out of %d", images.n, len(left), len(tree.names))
		}
		for k, split := range images.splits {
			if images.labels[k] == "" && table == "" || split != "train" && split != "test" {
				t.Errorf("%+v", images)
			}
		}
	})
}
