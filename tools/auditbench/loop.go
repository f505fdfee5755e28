package auditbench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/tools/measured"
)

// loopRow is an audit after a number of answers of its review.
type loopRow struct {
	Data, Noise      string
	Answers          int // true labels of the first examples that the first audit asks about
	Examples, Wrong  int
	Expected         float64 // number of wrong labels, by the audit
	AveragePrecision float64
	F1               float64
	RowError         float64 // of T-hat from the matrix that made the wrong labels
	Seconds          float64
}

// answered are the numbers of answers after which the loop audits.
var answered = []int{0, 20, 100}

// reviewed is data whose review is answered.
type reviewed struct {
	data, noise string
	arguments   []string           // of losscorr audit
	truth       []string           // in the order of the data
	t           *correction.Matrix // that made the wrong labels
}

// loop audits, answers the review's first questions with the true labels, and audits again
// with the answers in the same folder, as report.html says.
func (b *bench) loop(ctx context.Context) error {
	var rows []loopRow
	for _, data := range []func(context.Context) ([]reviewed, error){b.demoReviewed, b.mnistReviewed, b.imdbReviewed, b.photosReviewed} {
		all, err := data(ctx)
		if err != nil {
			return err
		}
		for _, d := range all {
			found, err := b.answer(ctx, d)
			rows = append(rows, found...)
			if err := errors.Join(err, b.saveLoop(rows)); err != nil {
				return err
			}
		}
	}
	return b.loopTable(rows)
}

// demoReviewed makes the data of losscorr demo.
func (b *bench) demoReviewed(ctx context.Context) ([]reviewed, error) {
	dir := filepath.Join(b.Work, "demo")
	if _, err := measured.Run(ctx, b.Program, "demo", dir, "--quiet"); err != nil {
		return nil, err
	}
	labels := filepath.Join(dir, "labels.csv")
	file, err := os.Open(labels)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	d := reviewed{
		data: "losscorr demo", noise: "each digit to another, .2",
		arguments: []string{filepath.Join(dir, "images"), "--labels", labels, "--truth", "truth", "epochs=12", "batch_size=32"},
	}
	classes := numbers(10)
	var truth, given []int
	for _, r := range records[1:] {
		given, truth = append(given, slices.Index(classes, r[1])), append(truth, slices.Index(classes, r[2]))
		d.truth = append(d.truth, r[2])
	}
	clean, err := correction.Identity(classes)
	if err != nil {
		return nil, err
	}
	d.t, err = clean.Realised(truth, given)
	return []reviewed{d}, err
}

// mnistReviewed makes wrong labels of MNIST that leave the names of the rows sure, and open.
func (b *bench) mnistReviewed(context.Context) ([]reviewed, error) {
	d, err := b.digits()
	if err != nil {
		return nil, err
	}
	symmetric, err := correction.Symmetric(d.Classes, .2)
	if err != nil {
		return nil, err
	}
	asymmetric, err := correction.Asymmetric(d.Classes, .6, published.All.Named("mnist").Flips)
	if err != nil {
		return nil, err
	}
	var all []reviewed
	for _, r := range []reviewed{{noise: "symmetric .2", t: symmetric}, {noise: "asymmetric .6", t: asymmetric}} {
		n, err := b.mnist(d, r.t)
		if err != nil {
			return nil, err
		}
		r.data, r.arguments, r.truth = "MNIST", n.arguments, names(d.Classes, n.truth)
		// Each noise has a label file of its own.
		file := filepath.Join(b.Work, fmt.Sprintf("labels%d.csv", len(all)))
		if err := os.Rename(r.arguments[2], file); err != nil {
			return nil, err
		}
		r.arguments[2] = file
		all = append(all, r)
	}
	return all, nil
}

// imdbReviewed makes wrong labels of reviews.
func (b *bench) imdbReviewed(context.Context) ([]reviewed, error) {
	reviews, err := b.reviews("train")
	if errors.Is(err, errNoIMDB) {
		b.say("IMDB is left out: %v", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := correction.NewMatrix(sentiments, [][]float64{{.7, .3}, {0, 1}})
	if err != nil {
		return nil, err
	}
	n, err := b.imdb(reviews, t)
	return []reviewed{{data: "IMDB", noise: "30 % of neg", arguments: n.arguments, truth: names(sentiments, n.truth), t: t}}, err
}

// photosReviewed makes wrong labels of photos, which are audited by features of the backbone.
func (b *bench) photosReviewed(ctx context.Context) ([]reviewed, error) {
	if b.Photos == "" || b.Backbone == "" {
		b.say("photos are left out: -photos and -backbone name no folder of them and no pretrained network")
		return nil, nil
	}
	d, err := b.openPhotos(ctx)
	if err != nil {
		return nil, err
	}
	t, err := correction.Asymmetric(d.Classes, .4, published.All.Named("cifar10").Flips)
	if err != nil {
		return nil, err
	}
	n, err := b.wrongPhotos(d, t)
	return []reviewed{{
		data: fmt.Sprintf("%d photos, features of %s", d.Train.Len(), filepath.Base(b.Backbone)), noise: "asymmetric .4",
		arguments: append(n.arguments, "--backbone", b.Backbone), truth: names(d.Classes, n.truth), t: t,
	}}, err
}

// names returns the names of labels.
func names(classes []string, labels []int) []string {
	out := make([]string, len(labels))
	for i, y := range labels {
		out[i] = classes[y]
	}
	return out
}

// answer measures an audit, and others after some answers.
func (b *bench) answer(ctx context.Context, d reviewed) ([]loopRow, error) {
	var rows []loopRow
	var ask []int
	folder := b.folder()
	if err := os.RemoveAll(folder.Dir()); err != nil {
		return nil, err
	}
	for _, k := range answered {
		arguments := slices.Clone(d.arguments)
		if k > 0 {
			trusted := filepath.Join(b.Work, "trusted.csv")
			if err := d.write(trusted, folder, ask[:k]); err != nil {
				return rows, err
			}
			arguments = append(arguments, "--trusted", trusted)
		}
		a, err := b.auditAgain(ctx, arguments...)
		if err != nil {
			return rows, err
		}
		s := a.summary
		if ask == nil {
			ask = s.Ask
		}
		t, err := correction.NewMatrix(s.ClassNames(), s.T)
		if err != nil {
			return rows, err
		}
		row := loopRow{
			Data: d.data, Noise: d.noise, Answers: k, Examples: s.Examples, Wrong: s.Measured.Wrong, Expected: s.ExpectedWrong,
			AveragePrecision: s.Measured.AveragePrecision, F1: s.Measured.F1, RowError: correction.RowError(t, d.t), Seconds: a.seconds,
		}
		b.say("%s, %s, %d answers: %.0f of %d wrong, average precision %.4f, F1 %.4f, row error %.4f, %.0f s",
			row.Data, row.Noise, k, row.Expected, row.Wrong, row.AveragePrecision, row.F1, row.RowError, row.Seconds)
		rows = append(rows, row)
	}
	return rows, nil
}

// write writes the true labels of some examples for --trusted.
func (d reviewed) write(path string, folder *audit.Folder, places []int) error {
	labels, err := folder.Labels() // in the order of the data
	if err != nil {
		return err
	}
	records := [][]string{{"id", "label"}}
	for _, i := range places {
		records = append(records, []string{labels[i].ID, d.truth[i]})
	}
	return measured.WritePlain(path, records)
}

// saveLoop writes the rows of the loop.
func (b *bench) saveLoop(rows []loopRow) error {
	var records [][]string
	for _, r := range rows {
		records = append(records, measured.Record(r.Data, r.Noise, r.Answers, r.Examples, r.Wrong, fmt.Sprintf("%.1f", r.Expected),
			r.AveragePrecision, r.F1, r.RowError, measured.Seconds(r.Seconds)))
	}
	return b.save([]string{"data", "noise", "answers", "examples", "wrong", "expected", "average_precision", "f1", "row_error", "seconds"}, records)
}

// loopTable prints the rows in Markdown, one for each data set.
func (b *bench) loopTable(rows []loopRow) error {
	fmt.Fprintln(b.out, "| data, noise | wrong | answers | wrong, by the audit | average precision | F1 | error of T-hat |")
	fmt.Fprintln(b.out, "|:---|---:|---:|---:|---:|---:|---:|")
	for _, r := range rows {
		_, err := fmt.Fprintf(b.out, "| %s, %s | %d | %d | %.0f | %.3f | %.3f | %.3f |\n",
			r.Data, r.Noise, r.Wrong, r.Answers, r.Expected, r.AveragePrecision, r.F1, r.RowError)
		if err != nil {
			return err
		}
	}
	return nil
}
