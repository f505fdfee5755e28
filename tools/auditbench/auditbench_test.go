package auditbench

import (
	"archive/tar"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
	"gonum.org/v1/gonum/stat"
)

func TestReviews(t *testing.T) {
	b := &bench{Options: Options{Data: t.TempDir()}}
	t.Setenv("LOSSCORR_DATA", "")
	if _, err := b.reviews("test"); !errors.Is(err, errNoIMDB) {
		t.Errorf("an empty folder: %v", err)
	}
	file, err := os.Create(filepath.Join(b.Data, "aclImdb_v1.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(file)
	w := tar.NewWriter(packed)
	for _, name := range []string{"aclImdb/test/pos/1_9.txt", "aclImdb/test/neg/0_2.txt", "aclImdb/train/pos/0_9.txt", "aclImdb/test/urls_neg.txt", "aclImdb/test/unsup/0_0.txt"} {
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: name, Size: int64(len(name)), Mode: 0o644}), one(io.WriteString(w, name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packed.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := b.reviews("test")
	want := []measured.Review{{ID: "test/neg/0_2", Text: "aclImdb/test/neg/0_2.txt", Sentiment: "neg"}, {ID: "test/pos/1_9", Text: "aclImdb/test/pos/1_9.txt", Sentiment: "pos"}}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func one(_ int, err error) error { return err }

// The average precision of a ranking is taken among the judged labels alone.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"imdb_mturk.json":                      `[{"id": "test/pos/2_8", "mturk": {"given": 2}}, {"id": "test/neg/0_1", "mturk": {"given": 3}}, {"id": "test/neg/1_1", "mturk": {"given": 0}}]`,
		"imdb_test_set_index_to_filename.json": `["neg/0_1.txt", "neg/1_1.txt", "pos/2_8.txt", "pos/3_8.txt"]`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := npy.WriteBytes(filepath.Join(dir, "imdb_test_set_original_labels.npy"), []byte{0, 0, 1, 1}, 1); err != nil {
		t.Fatal(err)
	}
	m, err := readMistakes(dir, "imdb")
	if err != nil || m.place["test/pos/2_8"] != 2 || !m.wrong["test/pos/2_8"] || m.wrong["test/neg/0_1"] || len(m.wrong) != 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	a := audited{folder: audit.At(filepath.Join(dir, "audit"))}
	ranking := []string{"test/pos/3_8", "test/pos/2_8", "test/neg/0_1", "test/neg/1_1"}
	var issues []audit.Issue
	var labels []audit.Label
	for k, id := range ranking {
		issues = append(issues, audit.Issue{ID: id, Given: "x", Suggested: "y", PWrong: 1 - float64(k)/10})
		labels = append(labels, audit.Label{ID: id, Label: "x"})
	}
	if err := errors.Join(a.folder.WriteIssues(issues), a.folder.WriteLabels(labels)); err != nil {
		t.Fatal(err)
	}
	same := func(id string) string { return id }
	precision, f1, wrong, err := m.score(a, same)
	if want := (1. + 2./3) / 2; err != nil || wrong != 2 || math.Abs(precision-want) > 1e-9 || math.Abs(f1-.8) > 1e-9 {
		t.Errorf("average precision %v and F1 %v of %d wrong labels, %v; want %v and .8 of 2", precision, f1, wrong, err, want)
	}
	if _, _, _, err := m.score(a, func(string) string { return "" }); err == nil {
		t.Error("no judged label is in the ranking, and no error")
	}
}

func TestTables(t *testing.T) {
	var out strings.Builder
	b := &bench{Options: Options{Out: filepath.Join(t.TempDir(), "r.csv")}, out: &out}
	b.rows = []comparison{{Data: "MNIST", Noise: "symmetric 0.2", AveragePrecision: .99512, FirstStage: .9934, Deviation: .001, Target: .993, F1: .97, Cleanlab: .99, CleanlabScore: "normalized_margin, adjusted", SelfConfidence: .98}, {Data: "x", Noise: "y"}}
	if err := errors.Join(b.saveComparisons(), b.table()); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(b.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll() // which wants equal lengths
	if err != nil || len(records) != 3 || records[1][8] != "0.9951" || records[1][9] != "0.0010" || records[2][8] != "" {
		t.Errorf("%v, %v", records, err)
	}
	if want := "| MNIST, symmetric 0.2 | 0.995 ± 0.001 | 0.993 | 0.990 (0.980) | 0.970 |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// Without cleanlab the reason is given.
func TestNoCleanlab(t *testing.T) {
	if _, err := ask(t.Context(), "no-such-python", request{}); err == nil {
		t.Error("no error")
	}
	name, precision := answer{Scores: map[string]float64{"b": .5, "a": .5, "c": .4}}.best()
	if name != "a" || precision != .5 {
		t.Errorf("best is %s with %v", name, precision)
	}
}

// The order of the rows says nothing: with the wrong labels first, last or anywhere, posteriors
// that say the same of all have the average precision of chance.
func TestFirstStageForgetsTheOrder(t *testing.T) {
	const n = 400
	file := filepath.Join(t.TempDir(), "p.npy")
	p, given, wrong := make([]float32, 0, 2*n), make([]int, n), map[int]bool{}
	for i := range n {
		given[i] = i % 2
		own := float32(.9)
		if i < n/2 { // a tie of all that are judged
			wrong[i] = i < n/4
			own = .2
		}
		row := []float32{own, 1 - own}
		if given[i] == 1 {
			row[0], row[1] = row[1], row[0]
		}
		p = append(p, row...)
	}
	if err := npy.WriteFloat32(file, p, 2); err != nil {
		t.Fatal(err)
	}
	precision, _, err := firstStage(file, given, wrong)
	if mean := stat.Mean(precision, nil); err != nil || len(precision) != orders || mean < .45 || mean > .58 {
		t.Errorf("average precision %v, mean %v, %v; want about a half", precision, mean, err)
	}
}
