package own_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

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
		open := func() (own.Source, *dataset.Dataset) {
			t.Helper()
			s := own.Source{Path: dir}.Described()
			s.View = "tfidf" // texts as they are
			d := expect.Got(own.Read(t.Context(), s, dataset.Options{}))(t)
			return s, d
		}
		shard("train-00000-of-00002.parquet", 0, 5)
		shard("train-00001-of-00002.parquet", 5, 3)
		s, d := open()
		if d.Train.Len() != 8 || d.Test.Len() != 0 || s.Split != "" || d.Train.Texts[6] != "text number 6" ||
			!slices.Equal(d.Train.Labels, []int{0, 1, 0, 1, 0, 1, 0, 1}) {
			t.Errorf("%s: %+v", in, d.Train)
		}
		expect.Same(t, []string{"negative", "positive"}, d.Classes, in)
		before := d.Files[0].SHA256
		shard("test-00000-of-00001.parquet", 8, 2)
		s, d = open()
		if d.Train.Len() != 8 || !slices.Equal(d.Test.Texts, []string{"text number 8", "text number 9"}) ||
			!slices.Equal(d.Test.IDs, []string{"8", "9"}) {
			t.Errorf("%s: with a test set: %+v and %+v", in, d.Train, d.Test)
		}
		if d.Files[0].SHA256 == before {
			t.Errorf("%s: another file, and the same hash", in)
		}
		shards, err := s.Shards(t.Context())
		if err != nil || len(shards) != 3 || !slices.Equal(shards[1].Names, []string{"5", "6", "7"}) ||
			filepath.Base(shards[2].Path) != "test-00000-of-00001.parquet" {
			t.Errorf("%s: files %+v, %v", in, shards, err)
		}
		other := filepath.Join(dir, in, "train-00001-of-00002.parquet")
		expect.OK(t, parquet.WriteFile(other, []struct{ Other string }{{"x"}}))
		_, err = own.Read(t.Context(), s, dataset.Options{})
		expect.Says(t, err, other+` has the columns ["Other"], and train-00000-of-00002.parquet has ["text" "label"]`)
	}
}
