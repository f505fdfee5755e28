package own_test

import (
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

type embeddedRow struct {
	Image struct {
		Bytes []byte `parquet:"bytes"`
		Path  string `parquet:"path"`
	} `parquet:"image"`
	Label int64 `parquet:"label"`
}

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
	classes := parquet.KeyValueMetadata("huggingface",
		`{"info":{"features":{"label":{"_type":"ClassLabel","names":["dog","cat"]}}}}`)
	if err := errors.Join(parquet.WriteFile(photos, some, classes), parquet.WriteFile(numbers, others,
		classes)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		photos:  "3: no label in photos.parquet: correct them, or leave them out with --max-bad 1",
		numbers: "1 example without a label (3): add labels, or leave these examples out with --max-bad 1",
	} {
		s := own.Source{Path: path}.Described()
		if path == numbers {
			s.Features = []string{"x"}
		}
		expect.Says(t, expect.Err(own.Read(t.Context(), s, dataset.Options{})), want)
	}
	s := own.Source{Path: photos}.Described()
	d, err := own.Read(t.Context(), s, dataset.Options{MaxBad: 1})
	if err != nil || d.Train.Len() != 4 || d.Train.ID(3) != "4" || !slices.Equal(d.Classes, []string{"dog", "cat"}) {
		t.Errorf("without the image: %+v, %v", d, err)
	} else if want := []dataset.Skipped{{Name: "3", Why: "no label in photos.parquet"}}; !slices.Equal(d.Skipped, want) {
		t.Errorf("left out %q, want %q", d.Skipped, want)
	}
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
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "images"), 0o777),
			os.WriteFile(filepath.Join(dir, "images", string(rune('a'+k))+".png"), photo, 0o666)); err != nil {
			t.Fatal(err)
		}
		some = append(some, row)
	}
	classes := parquet.KeyValueMetadata("huggingface",
		`{"info":{"features":{"label":{"_type":"ClassLabel","names":["dog","cat"]}}}}`)
	if err := errors.Join(parquet.WriteFile(path, some, classes), os.WriteFile(filepath.Join(dir, "images", "e.png"), nil,
		0o666)); err != nil {
		t.Fatal(err)
	}
	s := own.Source{Path: path}.Described()
	_, err := own.Read(t.Context(), s, dataset.Options{})
	expect.Says(t, err, "5: the file has neither the bytes of the image nor the path of an existing file")
	d := expect.Got(own.Read(t.Context(), s, dataset.Options{MaxBad: 1}))(t)
	size := d.Train.Size()
	for k := range 5 {
		expect.Same(t, byte(40*k), d.Train.X[k*size], k)
	}
	opened := expect.Got(own.Open(s))(t)
	if originals, err := opened.Originals(t.Context(), []string{"1"}); err != nil || originals[0].Sum == 0 {
		t.Errorf("%v, %+v", err, originals)
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
	s := own.Source{Path: dir}.Described()
	if !slices.Equal(s.ClassNames, []string{"0=dog", "1=cat"}) {
		t.Fatalf("names %q", s.ClassNames)
	}
	d := expect.Got(own.Read(t.Context(), s, dataset.Options{}))(t)
	if d.Train.Len() != 12 || d.Test.Len() != 6 || !slices.Equal(d.Classes, []string{"dog", "cat"}) {
		t.Fatalf("%d and %d examples of %q", d.Train.Len(), d.Test.Len(), d.Classes)
	}
	shards, err := s.Shards(t.Context())
	if err != nil || len(shards) != 3 {
		t.Fatalf("%v, %v", shards, err)
	}
	names := slices.Concat(shards[0].Names, shards[1].Names)
	for k := range d.Train.Len() {
		expect.Same(t, names[k], d.Train.ID(k), k)
	}
	if raw := datasettest.Values(d.Train); raw[0] != 6 || raw[len(raw)-1] != 17 {
		t.Errorf("the training images are %v", raw)
	}
}
