package auditbench

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/published"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
)

// noisy is data with wrong labels: the arguments of losscorr audit, and the labels.
type noisy struct {
	arguments    []string
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

// mnist makes wrong labels for MNIST.
func (b *bench) mnist(d *dataset.Dataset, t *correction.Matrix) (noisy, error) {
	given, err := t.Corrupt(d.Train.Labels, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return noisy{}, err
	}
	file := filepath.Join(b.Work, "labels.csv")
	records := [][]string{{"label", "truth"}}
	for i, y := range given {
		records = append(records, []string{d.Classes[y], d.Classes[d.Train.Labels[i]]})
	}
	return noisy{
		arguments: []string{filepath.Join(b.Work, "X.npy"), "--labels", file, "--label", "label", "--truth", "truth"},
		given:     given, truth: d.Train.Labels,
	}, measured.WritePlain(file, records)
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
	n := noisy{}
	for _, r := range reviews {
		n.truth = append(n.truth, slices.Index(sentiments, r.Sentiment))
	}
	var err error
	if n.given, err = t.Corrupt(n.truth, rand.New(rand.NewPCG(seed, 0))); err != nil {
		return n, err
	}
	file := filepath.Join(b.Work, "reviews.csv")
	records := [][]string{{"id", "text", "label", "truth"}}
	for i, r := range reviews {
		records = append(records, []string{r.ID, r.Text, sentiments[n.given[i]], r.Sentiment})
	}
	n.arguments = []string{file, "--text", "text", "--label", "label", "--id", "id", "--truth", "truth"}
	return n, measured.WritePlain(file, records)
}
