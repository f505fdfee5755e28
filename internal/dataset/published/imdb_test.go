package published

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func reviews() []datasettest.Entry {
	return []datasettest.Entry{
		{Name: "aclImdb/README", Content: "about"},
		{Name: "aclImdb/train/unsup/0_0.txt", Content: "without a label"},
		{Name: "aclImdb/train/urls_pos.txt", Content: "addresses"},
		{Name: "aclImdb/train/labeledBow.feat", Content: "9 0:9"},
		{Name: "aclImdb/test/pos/3_10.txt", Content: "GOOD"},
		{Name: "aclImdb/train/pos/1_9.txt", Content: "good film, good!\tsee it\n"},
		{Name: "aclImdb/train/neg/0_2.txt", Content: "Bad, BAD film.<br />Don't see it"},
		{Name: "aclImdb/test/neg/2_1.txt", Content: "bad-bad unseen film"},
	}
}

// Ids by hand: bad, film, good, it, see come twice (4 to 8), br and don't once
// (9, 10), "unseen" in no training review.
func TestReadIMDB(t *testing.T) {
	datasettest.Isolate(t)
	root := datasettest.Save(t, "aclImdb_v1.tar.gz", datasettest.TarGz(t, reviews()))
	folder := t.TempDir()
	datasettest.Unpack(t, filepath.Join(folder, "imdb"), reviews())
	for _, root := range []string{root, root, folder} { // the second from the cache
		d := expect.Got(Open("imdb", dataset.Options{Root: root}))(t)
		row := func(s dataset.Split, k int) string {
			return strings.TrimLeft(strings.Trim(fmt.Sprint(s.Tokens[k*400:(k+1)*400]), "[]"), "0 ")
		}
		expect.Same(t, 800, len(d.Train.Tokens))
		expect.Same(t, []int{400}, d.Train.Shape)
		got := []string{row(d.Train, 0), row(d.Train, 1), row(d.Test, 0), row(d.Test, 1)}
		expect.Same(t, []string{"1 4 4 5 9 10 8 7", "1 6 5 6 8 7", "1 4 4 5", "1 6"}, got)
		expect.Same(t, [][]int{{0, 1}, {0, 1}}, [][]int{d.Train.Labels, d.Test.Labels})
		expect.Same(t, []string{"neg", "pos"}, d.Classes)
		expect.Same(t, strings.Fields("<padding> <start> <unknown> <unused> bad film good it see br don't"), d.Words)
		if len(d.Files) != 1 || !strings.HasPrefix(d.Files[0].Path, root) || len(d.Files[0].SHA256) != 64 {
			t.Errorf("files %v", d.Files)
		}
	}
}

func TestIMDBRefuses(t *testing.T) {
	datasettest.Isolate(t)
	for _, test := range []struct {
		entries []datasettest.Entry
		want    string
	}{
		{datasettest.Replace(reviews(), datasettest.Entry{Name: "aclImdb/test/neg/2_1.txt", Content: "caf\xe9"}),
			"aclImdb/test/neg/2_1.txt: not UTF-8 text: 0xe9 at byte 3"},
		{without(reviews(), "aclImdb/train/pos/1_9.txt"), "train: no review pos/*.txt"},
		{without(without(reviews(), "aclImdb/test/neg/2_1.txt"), "aclImdb/test/pos/3_10.txt"), "test: no review neg/*.txt"},
		{[]datasettest.Entry{{Name: "readme", Content: "x"}}, "train: no review neg/*.txt"},
		{append(reviews(), reviews()[5]), "aclImdb/train/pos/1_9.txt is listed twice"},
	} {
		root := datasettest.Save(t, "aclImdb_v1.tar.gz", datasettest.TarGz(t, test.entries))
		_, err := Open("imdb", dataset.Options{Root: root})
		expect.Says(t, err, "dataset: imdb: "+filepath.Join(root, "aclImdb_v1.tar.gz"), test.want)
	}
}
