package published

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
)

// counting opens images and returns how many were decoded for it.
func counting(t *testing.T, path string) (d *dataset.Dataset, decoded int) {
	t.Helper()
	last := 0
	d, err := openCopy(path, dataset.Options{Progress: func(what string, done, total int) {
		if what != "decoding images" || done != last+1 || total != 7 {
			t.Errorf("%s: %d of %d after %d of 7", what, done, total, last)
		}
		last = done
	}})
	expect.OK(t, err)
	return d, last
}

// onlyCache returns the one file in the cache folder.
func onlyCache(t *testing.T) string {
	t.Helper()
	found := files.Glob(filepath.Dir(archive.CachePath("", "")), "*")
	expect.Same(t, 1, len(found), found)
	return found[0]
}

func TestCacheSparesDecoding(t *testing.T) {
	datasettest.Isolate(t)
	root := datasettest.Save(t, "pets.tar.gz", datasettest.TarGz(t, pets(t)))
	path := filepath.Join(root, "pets.tar.gz")
	first, decoded := counting(t, path)
	expect.Same(t, 7, decoded)
	moved := filepath.Join(root, "moved.tar.gz")
	expect.OK(t, os.Rename(path, moved))
	second, decoded := counting(t, moved)
	expect.Same(t, 0, decoded, "images decoded again")
	first.Files[0].Path = moved
	expect.Same(t, first, second)
}

// magic begins a cache file of this version.
const magic = "losscorr data 2 "

// Whatever the damage, the images are decoded again and the cache is repaired.
func TestCacheDamage(t *testing.T) {
	datasettest.Isolate(t)
	path := datasettest.File(t, "pets.tar.gz", datasettest.TarGz(t, pets(t)))
	want, _ := counting(t, path)
	file := onlyCache(t)
	good := expect.Got(os.ReadFile(file))(t)
	for name, content := range map[string][]byte{
		"magic":     datasettest.Flipped(good, 0),
		"version":   bytes.Replace(good, []byte(" 2 "), []byte(" 0 "), 1),
		"line":      datasettest.Flipped(good, len(magic)+8),
		"head":      datasettest.Flipped(good, len(magic)+20),
		"pixels":    datasettest.Flipped(good, len(good)-10),
		"checksum":  datasettest.Flipped(good, len(good)-1),
		"truncated": good[:len(good)/2],
		"longer":    append(slices.Clone(good), 0),
		"only head": good[:len(magic)+3],
		"empty":     nil,
	} {
		expect.OK(t, os.WriteFile(file, content, 0o644))
		got, decoded := counting(t, path)
		expect.Same(t, 7, decoded, name)
		expect.Same(t, want.Train.X, got.Train.X, name)
		expect.Same(t, good, expect.Got(os.ReadFile(file))(t), name)
	}
}

func TestCacheUnwritable(t *testing.T) {
	datasettest.Isolate(t)
	file := datasettest.File(t, "file", "")
	path := datasettest.File(t, "pets.tar.gz", datasettest.TarGz(t, pets(t)))
	for _, dir := range []string{file, ""} { // no folder; none named at all
		t.Setenv("XDG_CACHE_HOME", dir)
		t.Setenv("HOME", dir)
		for range 2 {
			d, decoded := counting(t, path)
			expect.Same(t, []int{7, 5}, []int{decoded, d.Train.Len()}, dir)
		}
	}
}

// A folder is known by names, sizes and times, and told by its contents.
func TestCacheOfFolder(t *testing.T) {
	datasettest.Isolate(t)
	root := t.TempDir()
	datasettest.Unpack(t, root, pets(t))
	first, decoded := counting(t, root)
	expect.Same(t, 7, decoded)
	_, decoded = counting(t, root)
	expect.Same(t, 0, decoded, "images decoded again")
	image := filepath.Join(root, "pets", "test", "cat", "x.png")
	later := time.Now().Add(time.Hour)
	expect.OK(t, os.Chtimes(image, later, later))
	touched, decoded := counting(t, root)
	if decoded != 7 || touched.Files[0].SHA256 != first.Files[0].SHA256 {
		t.Errorf("touched: %d images decoded, hash %s, before %s", decoded, touched.Files[0].SHA256, first.Files[0].SHA256)
	}
	datasettest.Put(t, image, datasettest.Grey(t, 99))
	changed, decoded := counting(t, root)
	if decoded != 7 || changed.Test.X[0] != 99 || changed.Files[0].SHA256 == first.Files[0].SHA256 {
		t.Errorf("changed: %d images decoded, value %d, hash %s", decoded, changed.Test.X[0], changed.Files[0].SHA256)
	}
}
