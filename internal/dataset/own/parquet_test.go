package own

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

type embeddedRow struct {
	Image struct {
		Bytes []byte `parquet:"bytes"`
		Path  string `parquet:"path"`
	} `parquet:"image"`
	Label int64 `parquet:"label"`
}

// dogsAndCats describes the labels, as the library datasets does.
var dogsAndCats = parquet.KeyValueMetadata("huggingface",
	`{"info":{"features":{"label":{"_type":"ClassLabel","names":["dog","cat"]}}}}`)

// A class label without a name, such as the -1 of datasets, is a missing one: an example without a label.
func TestUnlabelled(t *testing.T) {
	for _, missing := range []int64{-1, -100, 2} {
		testUnlabelled(t, missing)
	}
}

func testUnlabelled(t *testing.T, missing int64) {
	photos, numbers := filepath.Join(t.TempDir(), "photos.parquet"), filepath.Join(t.TempDir(), "numbers.parquet")
	type numberRow struct {
		X     float64 `parquet:"x"`
		Label int64   `parquet:"label"`
	}
	var some []embeddedRow
	var others []numberRow
	for k, label := range []int64{0, 1, 0, missing, 1} {
		var row embeddedRow
		row.Image.Bytes, row.Label = []byte(datasettest.PNG(t, 2, 2, color.Gray{uint8(k)})), label
		some, others = append(some, row), append(others, numberRow{float64(k), label})
	}
	expect.OK(t, parquet.WriteFile(photos, some, dogsAndCats), parquet.WriteFile(numbers, others, dogsAndCats))
	for path, want := range map[string]string{
		photos:  "3: no label in photos.parquet: correct them, or leave them out with --max-bad 1",
		numbers: "1 example without a label (3): add labels, or leave these examples out with --max-bad 1",
	} {
		s := Source{Path: path}.Described()
		if path == numbers {
			s.Features = []string{"x"}
		}
		refused(t, s, 0, want)
	}
	s := Source{Path: photos}.Described()
	d := good(t, s, 1)
	expect.Same(t, []string{"0", "1", "2", "4"}, d.Train.IDs)
	expect.Same(t, []string{"dog", "cat"}, d.Classes)
	expect.Same(t, []dataset.Skipped{{Name: "3", Why: "no label in photos.parquet"}}, d.Skipped)
}

// An image whose path alone is in Parquet is the file there; only one that is not there is bad.
func TestImagesByPath(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "photos.parquet")
	var some []embeddedRow
	for k := range 6 {
		var row embeddedRow
		row.Image.Path, row.Label = filepath.Join("images", string(rune('a'+k))+".png"), int64(k%2)
		photo := []byte(datasettest.PNG(t, 2, 2, color.Gray{uint8(40 * k)}))
		switch k {
		case 1:
			row.Image.Path = filepath.Join(dir, row.Image.Path)
		case 4:
			row.Image.Bytes = photo // which count where both are there
		case 5:
			row.Image.Path = "gone.png"
		}
		datasettest.Put(t, filepath.Join(dir, "images", string(rune('a'+k))+".png"), string(photo))
		some = append(some, row)
	}
	datasettest.Put(t, filepath.Join(dir, "images", "e.png"), "")
	expect.OK(t, parquet.WriteFile(path, some, dogsAndCats))
	s := Source{Path: path}.Described()
	refused(t, s, 0, "5: the file has neither the bytes of the image nor the path of an existing file")
	d := good(t, s, 1)
	size := d.Train.Size()
	for k := range 5 {
		expect.Same(t, byte(40*k), d.Train.X[k*size], k)
	}
	if originals := shown(t, s, "1"); originals[0].Sum == 0 {
		t.Errorf("%+v", originals)
	}
}

// A folder of Parquet files with images is a training and a test set, in the order of its rows.
func TestEmbedded(t *testing.T) {
	dir := t.TempDir()
	expect.OK(t, os.Mkdir(filepath.Join(dir, "data"), 0o777))
	classes := parquet.KeyValueMetadata("huggingface",
		`{"info":{"features":{"image":{"_type":"Image"},"label":{"_type":"ClassLabel","names":["dog","cat","none"]}}}}`)
	grey := 0
	for _, file := range []string{"test-00000-of-00001", "train-00000-of-00002", "train-00001-of-00002"} {
		var part []embeddedRow
		for range 6 {
			var row embeddedRow
			row.Image.Bytes, row.Label = []byte(datasettest.PNG(t, 2, 2, color.Gray{uint8(grey)})), int64(grey%2)
			part = append(part, row)
			grey++
		}
		expect.OK(t, parquet.WriteFile(filepath.Join(dir, "data", file+".parquet"), part, classes))
	}
	s := Source{Path: dir}.Described()
	expect.Same(t, []string{"0=dog", "1=cat"}, s.ClassNames)
	d := good(t, s, 0)
	expect.Same(t, []string{"dog", "cat"}, d.Classes)
	shards := expect.Got(s.Shards(t.Context()))(t)
	expect.Same(t, slices.Concat(shards[0].Names, shards[1].Names), d.Train.IDs)
	expect.Same(t, []int{3, 6}, []int{len(shards), d.Test.Len()})
	expect.Same(t, []byte{6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, datasettest.Values(d.Train))
}

type textRow struct {
	Text  string `parquet:"text"`
	Label int64  `parquet:"label"`
}

// A folder of texts in several Parquet files is one table, whose test set is in files of that name.
func TestTextShards(t *testing.T) {
	for _, in := range []string{".", "data"} {
		dir := t.TempDir()
		shard := func(name string, from, rows int) {
			t.Helper()
			var list []textRow
			for k := from; k < from+rows; k++ {
				list = append(list, textRow{fmt.Sprintf("text number %d", k), int64(k % 2)})
			}
			path := filepath.Join(dir, in, name)
			expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
			classes := `{"info":{"features":{"label":{"_type":"ClassLabel","names":["negative","positive"]}}}}`
			expect.OK(t, parquet.WriteFile(path, list, parquet.KeyValueMetadata("huggingface", classes)))
		}
		open := func() (Source, *dataset.Dataset) {
			t.Helper()
			s := Source{Path: dir}.Described()
			s.View = "tfidf" // texts as they are
			return s, good(t, s, 0)
		}
		shard("train-00000-of-00002.parquet", 0, 5)
		shard("train-00001-of-00002.parquet", 5, 3)
		s, d := open()
		expect.Same(t, []int{0, 1, 0, 1, 0, 1, 0, 1}, d.Train.Labels, in)
		if d.Test.Len() != 0 || s.Split != "" || d.Train.Texts[6] != "text number 6" {
			t.Errorf("%s: %+v", in, d.Train)
		}
		expect.Same(t, []string{"negative", "positive"}, d.Classes, in)
		before := d.Files[0].SHA256
		shard("test-00000-of-00001.parquet", 8, 2)
		s, d = open()
		expect.Same(t, 8, d.Train.Len(), in)
		expect.Same(t, []string{"text number 8", "text number 9"}, d.Test.Texts, in)
		expect.Same(t, []string{"8", "9"}, d.Test.IDs, in)
		if d.Files[0].SHA256 == before {
			t.Errorf("%s: another file, and the same hash", in)
		}
		shards := expect.Got(s.Shards(t.Context()))(t)
		expect.Same(t, []string{"5", "6", "7"}, shards[1].Names, in)
		expect.Same(t, "test-00000-of-00001.parquet", filepath.Base(shards[2].Path), len(shards))
		other := filepath.Join(dir, in, "train-00001-of-00002.parquet")
		expect.OK(t, parquet.WriteFile(other, []struct{ Other string }{{"x"}}))
		refused(t, s, 0, other+` has the columns ["Other"], and train-00000-of-00002.parquet has ["text" "label"]`)
	}
}
