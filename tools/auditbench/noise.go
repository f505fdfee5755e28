package auditbench

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/published"
	"github.com/losscorr/losscorr/internal/npy"
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
	}, writeCSV(file, records)
}

// review is a text of IMDB.
type review struct {
	id, text string // the id is the path without its ending, such as test/neg/0_2
	label    int
}

var sentiments = []string{"neg", "pos"}

// errNoIMDB says where IMDB is looked for.
var errNoIMDB = errors.New("aclImdb_v1.tar.gz is not in the folder of the data (--data, $LOSSCORR_DATA)")

// reviews reads a split of IMDB, train or test, in the order of the ids.
func (b *bench) reviews(split string) ([]review, error) {
	var file *os.File
	err := errNoIMDB
	for _, folder := range []string{b.Data, os.Getenv("LOSSCORR_DATA"), "data"} {
		for _, name := range []string{"imdb/aclImdb_v1.tar.gz", "aclImdb_v1.tar.gz"} {
			if folder != "" && file == nil {
				if f, e := os.Open(filepath.Join(folder, name)); e == nil {
					file, err = f, nil
				}
			}
		}
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	var all []review
	for archive := tar.NewReader(packed); ; {
		member, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		parts := strings.Split(path.Clean(member.Name), "/")
		if len(parts) != 4 || parts[1] != split || !strings.HasSuffix(parts[3], ".txt") {
			continue
		}
		label := slices.Index(sentiments, parts[2])
		if label < 0 {
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		all = append(all, review{id: strings.TrimSuffix(strings.Join(parts[1:], "/"), ".txt"), text: string(text), label: label})
	}
	slices.SortFunc(all, func(x, y review) int { return strings.Compare(x.id, y.id) })
	return all, nil
}

// imdb writes reviews as a table, with the labels that the noise makes of theirs.
func (b *bench) imdb(reviews []review, t *correction.Matrix) (noisy, error) {
	n := noisy{}
	for _, r := range reviews {
		n.truth = append(n.truth, r.label)
	}
	var err error
	if n.given, err = t.Corrupt(n.truth, rand.New(rand.NewPCG(seed, 0))); err != nil {
		return n, err
	}
	file := filepath.Join(b.Work, "reviews.csv")
	records := [][]string{{"id", "text", "label", "truth"}}
	for i, r := range reviews {
		records = append(records, []string{r.id, r.text, sentiments[n.given[i]], sentiments[r.label]})
	}
	n.arguments = []string{file, "--text", "text", "--label", "label", "--id", "id", "--truth", "truth"}
	return n, writeCSV(file, records)
}

func writeCSV(path string, records [][]string) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}
