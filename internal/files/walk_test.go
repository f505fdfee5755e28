package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// walked makes files and links, and returns what Walk visits in the folder data.
func walked(t *testing.T, paths []string, links map[string]string) (got []string, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range paths {
		datasettest.Put(t, filepath.Join(dir, name), "")
	}
	for name, to := range links {
		expect.OK(t, os.Symlink(strings.Replace(to, "DIR", dir, 1), filepath.Join(dir, name)))
	}
	t.Chdir(dir)
	err = Walk("data", func(name string, info fs.FileInfo) error {
		switch {
		case info.IsDir():
			name += "/"
		case info.Mode()&fs.ModeSymlink != 0:
			name += " to nothing"
		}
		got = append(got, name)
		return nil
	})
	return got, err
}

func TestWalkFollowsLinks(t *testing.T) {
	files := []string{"data/b/1", "data/.hidden/2", "data/b/.DS_Store", "data/z", "store/3", "store/deep/4"}
	links := map[string]string{"data/a": "../store", "data/b/again": "DIR/store/deep", "data/c": "z",
		"data/none": "nowhere"}
	want := []string{"a/", "a/3", "a/deep/", "a/deep/4", "b/", "b/1", "b/again/", "b/again/4", "c", "none to nothing", "z"}
	expect.Same(t, want, expect.Got(walked(t, files, links))(t))
}

func TestWalkEndsInLoops(t *testing.T) {
	for _, links := range []map[string]string{
		{"data/a/loop": "."}, {"data/a/loop": ".."}, {"data/a/loop": "DIR"}, {"data/a/loop": "/"},
		{"data/a/to": "../../store", "store/back": "../data/a"},
		{"data/a/to": "../../store", "store/back": "../data"},
		{"data/a/to": "../b", "data/b/back": "../a"},
	} {
		_, err := walked(t, []string{"data/a/1", "data/b/2", "store/3"}, links)
		expect.Says(t, err, "is a link to a folder that contains it; remove the link")
	}
}
