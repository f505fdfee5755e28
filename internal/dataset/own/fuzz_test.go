package own

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
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
