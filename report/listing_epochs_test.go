package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/report/reporttest"
	"github.com/losscorr/losscorr/store"
)

// An epoch a row, beside the settings of its run. What cannot be read is named, and the
// other epochs are there.
func TestListEpochs(t *testing.T) {
	root := reporttest.Folders(t, nil)
	damaged := filepath.Join(root, "000000000000", store.MetricsFile)
	text, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Put(t, damaged, strings.Replace(string(text), `{"epoch":3,`, `{"epoch":,`, 1))
	study, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ListEpochs(study, func(epoch int) bool { return epoch == 1 || epoch == 3 || epoch == 101 })
	if err == nil || !strings.Contains(err.Error(), store.MetricsFile+":3") {
		t.Errorf("error %v, want one that names line 3", err)
	}
	if n := len(l.Rows); n != 2*15-1 {
		t.Errorf("%d rows, want two of each of 15 finished runs without the damaged one", n)
	}
	l.Keep(func(value func(string) string) bool {
		return value("loss") == "forward" && value("noise.kind") == "none" && value("seed") == "1"
	})
	for column, want := range map[string][]string{
		"epoch": {"1", "3"}, "train_loss": {"NaN", "0.3333333333333333"}, "test_accuracy": {"50", "51"}, "cpu": {"Test <CPU>", "Test <CPU>"},
	} {
		if diff := cmp.Diff(want, entries(l, column)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", column, diff)
		}
	}
	var b bytes.Buffer
	if err := l.Select([]string{"epoch"}).WriteRows(&b); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Epochs []map[string]int }
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || len(doc.Epochs) != 2 || doc.Epochs[1]["epoch"] != 3 {
		t.Errorf("%v, %v of %s", doc, err, b.String())
	}
}
