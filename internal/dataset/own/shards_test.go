package own

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/dataset"
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
