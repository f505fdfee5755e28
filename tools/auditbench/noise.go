package auditbench

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
)

// noisy is data with wrong labels: the arguments of losscorr audit, and the labels.
type noisy struct {
	arguments    []string
	classes      []string
	given, truth []int
}

// digits reads MNIST into X.npy of the folder.
func (b *bench) digits() (*dataset.Dataset, error) {
	d, err := published.Open("mnist", dataset.Options{Root: b.Data, Offline: true})
	if err != nil {
		return nil, err
	}
	return d, npy.WriteBytes(filepath.Join(b.Work, "X.npy"), d.Train.X, 28*28)
}

// corrupt makes wrong labels by t, and a table of them and the true ones behind other columns of the examples.
func (b *bench) corrupt(t *correction.Matrix, truth []int, name string, columns []string, of func(i int) []string) (n noisy, file string, err error) {
	n.truth = truth
	if n.given, err = t.Corrupt(truth, rand.New(rand.NewPCG(seed, 0))); err != nil {
		return n, "", err
	}
	classes := t.Classes()
	records := [][]string{slices.Concat(columns, []string{"label", "truth"})}
	for i, y := range n.given {
		records = append(records, slices.Concat(of(i), []string{classes[y], classes[truth[i]]}))
	}
	file = filepath.Join(b.Work, name)
	return n, file, measured.WritePlain(file, records)
}

// mnist makes wrong labels for MNIST.
func (b *bench) mnist(d *dataset.Dataset, t *correction.Matrix) (noisy, error) {
	n, file, err := b.corrupt(t, d.Train.Labels, "labels.csv", nil, func(int) []string { return nil })
	n.arguments = []string{filepath.Join(b.Work, "X.npy"), "--labels", file, "--label", "label", "--truth", "truth"}
	return n, err
}

var sentiments = []string{"neg", "pos"}

// errNoIMDB says where IMDB is looked for.
var errNoIMDB = errors.New("aclImdb_v1.tar.gz is not in the folder of the data (--data, $LOSSCORR_DATA)")

// reviews reads a split of IMDB, train or test, in the order of the ids.
func (b *bench) reviews(split string) ([]measured.Review, error) {
	for _, folder := range []string{b.Data, os.Getenv("LOSSCORR_DATA"), "data"} {
		for _, name := range []string{"imdb/aclImdb_v1.tar.gz", "aclImdb_v1.tar.gz"} {
			file := filepath.Join(folder, name)
			if _, err := os.Stat(file); folder == "" || err != nil {
				continue
			}
			all, err := measured.Reviews(file)
			return slices.DeleteFunc(all, func(r measured.Review) bool { return !strings.HasPrefix(r.ID, split+"/") }), err
		}
	}
	return nil, errNoIMDB
}

// imdb writes reviews as a table, with the labels that the noise makes of theirs.
func (b *bench) imdb(reviews []measured.Review, t *correction.Matrix) (noisy, error) {
	var texts []text
	for _, r := range reviews {
		texts = append(texts, text{r.ID, r.Text, r.Sentiment})
	}
	return b.texts(texts, sentiments, t)
}

// text is an example with its true class.
type text struct{ id, text, class string }

// texts writes texts as a table, with the labels that the noise makes of their classes.
func (b *bench) texts(some []text, classes []string, t *correction.Matrix) (noisy, error) {
	var truth []int
	for _, s := range some {
		truth = append(truth, slices.Index(classes, s.class))
	}
	n, file, err := b.corrupt(t, truth, "texts.csv", []string{"id", "text"}, func(i int) []string { return []string{some[i].id, some[i].text} })
	n.classes = classes
	n.arguments = []string{file, "--text", "text", "--label", "label", "--id", "id", "--truth", "truth"}
	return n, err
}
