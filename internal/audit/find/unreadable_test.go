package find

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// All unusable files and labels are listed, for images in memory and images read one by one, whether there are too
// many of them or they are left out.
func TestUnreadable(t *testing.T) {
	datasettest.Isolate(t)
	entries := datasettest.Shaded(t, "a/1.png", "a/2.png", "a/3.png", "b/4.png", "b/5.png", "b/6: x.png", "b/7.png",
		"b/=8.png")
	for _, k := range []int{0, 5, 7} {
		entries[k].Content = "x"
	}
	rows := "file_name,label\nc.png,a\n"
	for _, e := range entries[1:] {
		rows += e.Name + "," + e.Name[:1] + "\n"
	}
	root := datasettest.Album(t, append(entries, datasettest.Entry{Name: "metadata.csv", Content: rows})...)
	unknown := "image: unknown format: want JPEG, PNG, GIF, WebP, BMP or TIFF"
	want := map[string]string{
		"a/1.png": "no label in metadata.csv", "c.png": filepath.Join(root, "metadata.csv") +
			" lists it, but there is no such image",
		"b/6: x.png": unknown, "b/=8.png": unknown,
	}
	for _, memory := range []int{0, 1} {
		f := audit.At(filepath.Join(t.TempDir(), "audit"))
		a := work{Host: Host{Note: func(string) {}}, Networks: config.Config{Source: own.Source{Path: root}}}
		err := a.Read(t.Context(), f, dataset.Options{MaxBad: 3, InMemory: memory})
		expect.Says(t, err, "4 files or labels are missing, broken or without a match", "--max-bad 4",
			f.Path(audit.UnreadableFile))
		if !errors.Is(err, dataset.ErrData) {
			t.Errorf("%v: want an error of the data", err)
		}
		expect.Same(t, want, unreadable(t, f))
		expect.Says(t, a.Read(t.Context(), f, dataset.Options{MaxBad: 4, InMemory: memory}), "training examples are too few")
		done := ofProbabilities(root)
		done.unreadable = a.unreadable
		expect.Same(t, 4, expect.Got(done.run(t.Context(), f))(t).Unreadable)
		expect.Same(t, want, unreadable(t, f))
		done.unreadable = nil // they were repaired
		expect.Got(done.run(t.Context(), f))(t)
		if _, err := os.Stat(f.Path(audit.UnreadableFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a list of no files: %v", err)
		}
	}
}

// unreadable reads unreadable.csv: reasons by name.
func unreadable(t *testing.T, f *audit.Folder) map[string]string {
	t.Helper()
	why := map[string]string{}
	file := expect.Got(os.Open(f.Path(audit.UnreadableFile)))(t)
	defer file.Close()
	lines := expect.Got(csv.NewReader(file).ReadAll())(t)
	expect.Same(t, []string{"name", "reason"}, lines[0])
	for _, r := range lines[1:] {
		why[strings.TrimPrefix(r[0], "'")] = r[1]
	}
	return why
}
