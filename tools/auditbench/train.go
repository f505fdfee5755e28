package auditbench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/tools/measured"
)

// trainRow is the accuracy on true labels of a network that was trained on wrong ones, in percent.
type trainRow struct {
	Data, Labels    string
	Draw            int
	Examples, Wrong int
	Weak            bool    // the audit's networks
	Left            int     // labels of labels_corrected.csv that are wrong
	Treatment       string  // of treatments
	Accuracy        float64 // of the network with the lowest validation loss
	Seconds         float64
}

// treatments are the ways to train on labels that an audit has judged: on the given ones by
// cross-entropy, GCE and ELR; and, where it is not weak, by forward correction with its T-hat, on its
// corrected labels by cross-entropy and GCE, and on each label with the probability that it is right.
var treatments = []string{"given", "gce", "elr", "forward", "corrected", "corrected gce", "kept"}

const plainTreatments = 3 // the first ones, which need no audit

// pool is data of which examples are drawn to train on, and others to test on.
type pool struct {
	people
	texts []string
	train int // the first so many are to train on and the others to test on; all: those that are not drawn are
}

// train measures which part of the labels is to be trusted for training, draw by draw.
func (b *bench) train(ctx context.Context) error {
	rows, err := b.trainRows()
	if err != nil {
		return err
	}
	for draw := range b.People.Draws {
		for _, r := range rows {
			if err := b.trainDraw(ctx, r, draw); err != nil {
				return fmt.Errorf("%s, %s: %w", r.data, r.labels.name, err)
			}
		}
	}
	return nil
}

// trainSource is one data set with one way to label it.
type trainSource struct {
	data   string
	pool   pool
	labels kind
}

// trainRows are the data that is trained on: that of people where its files are named.
func (b *bench) trainRows() (rows []trainSource, err error) {
	add := func(data string, p pool, kinds ...kind) {
		for _, k := range kinds {
			k.name, _, _ = strings.Cut(k.name, ",")
			rows = append(rows, trainSource{data, p, k})
		}
	}
	if b.People.Features != "" {
		p, err := b.People.read()
		if err != nil {
			return nil, err
		}
		add("CIFAR-10N", pool{people: p, train: len(p.truth)}, given...)
	}
	d, err := b.digits()
	if err != nil {
		return nil, err
	}
	images := pool{people: digits(d.Classes, 255, d.Train, d.Test), train: d.Train.Len()}
	made, err := b.kindsOfNoise(images.people, "mnist")
	if err != nil {
		return nil, err
	}
	add("MNIST", images, append(made, given[3])...)
	var reviews pool
	for _, split := range []string{"train", "test"} {
		all, err := b.reviews(split)
		if err != nil {
			return nil, err
		}
		for _, r := range all {
			reviews.truth, reviews.texts = append(reviews.truth, r.Sentiment), append(reviews.texts, r.Text)
		}
		if split == "train" {
			reviews.train = len(all)
		}
	}
	reviews.answers = make([][]string, len(reviews.truth))
	symmetric, err := correction.Symmetric(sentiments, .2)
	if err != nil {
		return nil, err
	}
	negative, err := correction.NewMatrix(sentiments, [][]float64{{.7, .3}, {0, 1}})
	if err != nil {
		return nil, err
	}
	add("IMDB", reviews, byMatrix("symmetric 0.2", symmetric), byMatrix("30 % of neg", negative), given[3])
	return rows, nil
}

// trainDraw audits a draw, trains on it in each way, and adds rows.
func (b *bench) trainDraw(ctx context.Context, s trainSource, draw int) error {
	rng := rand.New(rand.NewPCG(seed, uint64(draw)))
	picked, tested := s.pool.pick(b.People.Examples, rng)
	t := trainee{bench: b, pool: s.pool, seed: draw + 1, rows: picked}
	row := trainRow{Data: s.data, Labels: s.labels.name, Draw: draw + 1, Examples: len(picked)}
	for _, x := range picked {
		y := s.labels.label(s.pool.truth[x], s.pool.answers[x], rng)
		t.given = append(t.given, y)
		if y != s.pool.truth[x] {
			row.Wrong++
		}
	}
	t.test, t.testLabels = t.file("test"), filepath.Join(b.Work, "test-labels.csv")
	truth := make([]string, len(tested))
	for k, x := range tested {
		truth[k] = s.pool.truth[x]
	}
	if err := errors.Join(s.pool.write(t.test, tested), writeLabels(t.testLabels, truth)); err != nil {
		return err
	}
	var err error
	if t.data, err = t.write("train", picked, t.given); err != nil {
		return err
	}
	t.view = "mlp" // of arrays, which have no other
	if s.pool.texts != nil || slices.ContainsFunc(b.treatments(), usesAudit) {
		if err := t.audit(ctx, &row); err != nil {
			return err
		}
	}
	for _, row.Treatment = range b.treatments() {
		if err := t.measure(ctx, &row, rng); err != nil {
			return fmt.Errorf("%s: %w", row.Treatment, err)
		}
	}
	return nil
}

// treatments are those that are measured.
func (b *bench) treatments() []string {
	if len(b.People.Treatments) > 0 {
		return b.People.Treatments
	}
	return treatments
}

// usesAudit reports whether a treatment needs an audit.
func usesAudit(treatment string) bool { return slices.Index(treatments, treatment) >= plainTreatments }

// audit audits the labels of the draw.
func (t *trainee) audit(ctx context.Context, row *trainRow) (err error) {
	if t.audited, err = t.bench.audit(ctx, append(t.data, "--jobs", "1")...); err != nil {
		return err
	}
	t.view, row.Weak = t.audited.summary.Views[0].Name, t.audited.summary.Weak
	if !row.Weak {
		if t.issues, err = t.audited.folder.Issues(); err != nil {
			return err
		}
		slices.SortFunc(t.issues, func(a, b audit.Issue) int { return a.Row - b.Row })
		corrected, err := t.audited.folder.Labels()
		if err != nil {
			return err
		}
		for k, l := range corrected {
			if l.Label != t.pool.truth[t.rows[k]] {
				row.Left++
			}
		}
	}
	return nil
}

// pick draws at most n examples to train on and n to test on, in the order of the data.
func (p pool) pick(n int, rng *rand.Rand) (train, test []int) {
	order := rng.Perm(p.train)
	n = min(n, len(order))
	train, test = order[:n:n], order[n:]
	if p.train < len(p.truth) {
		test = rng.Perm(len(p.truth) - p.train)
		for k := range test {
			test[k] += p.train
		}
	}
	test = test[:min(n, len(test))]
	slices.Sort(train)
	slices.Sort(test)
	return train, test
}

// write writes examples to a file, whose names are the numbers of their rows.
func (p pool) write(path string, picked []int) error {
	if p.texts == nil {
		features := make([]float32, 0, len(picked)*p.width)
		for _, x := range picked {
			features = append(features, p.features[x*p.width:(x+1)*p.width]...)
		}
		return npy.WriteFloat32(path, features, p.width)
	}
	records := [][]string{{"id", "text"}}
	for k, x := range picked {
		records = append(records, []string{strconv.Itoa(k), p.texts[x]})
	}
	return measured.WritePlain(path, records)
}

// writeLabels writes the labels of examples whose names are the numbers of their rows.
func writeLabels(path string, labels []string) error {
	records := [][]string{{"id", "label"}}
	for k, y := range labels {
		records = append(records, []string{strconv.Itoa(k), y})
	}
	return measured.WritePlain(path, records)
}

// trainee is an audited draw that is trained on.
type trainee struct {
	*bench
	pool             pool
	seed             int
	rows             []int    // of the pool
	given            []string // their labels
	test, testLabels string   // files
	data             []string // arguments of the examples with the given labels
	audited          audited
	view             string        // to train by
	issues           []audit.Issue // in the order of the data; nil where the audit is weak
}

func (t *trainee) file(name string) string {
	if t.pool.texts != nil {
		return filepath.Join(t.Work, name+".csv")
	}
	return filepath.Join(t.Work, name+".npy")
}

// write writes examples and labels to train on, and returns the arguments that name them.
func (t *trainee) write(name string, rows []int, labels []string) ([]string, error) {
	examples, file := t.file(name), filepath.Join(t.Work, name+"-labels.csv")
	arguments := []string{examples, "--labels", file, "--id", "id"}
	if t.pool.texts != nil {
		arguments = append(arguments, "--text", "text")
	}
	return arguments, errors.Join(t.pool.write(examples, rows), writeLabels(file, labels))
}

// measure trains in the way of the row and adds it, unless the audit does not allow it.
func (t *trainee) measure(ctx context.Context, row *trainRow, rng *rand.Rand) (err error) {
	if row.Weak && usesAudit(row.Treatment) {
		return nil
	}
	folder := t.audited.folder
	data, loss := t.data, row.Treatment
	var settings []string
	switch row.Treatment {
	case "given":
		loss = "cross-entropy"
	case "forward":
		settings = []string{"transition=" + folder.Path(audit.TransitionFile)}
	case "corrected", "corrected gce":
		data, loss = slices.Clone(data), "cross-entropy"
		if row.Treatment == "corrected gce" {
			loss = "gce"
		}
		data[slices.Index(data, "--labels")+1] = folder.Path(audit.LabelsFile)
	case "kept":
		loss = "cross-entropy"
		var rows []int
		var labels []string
		for k, i := range t.issues {
			if rng.Float64() >= i.PWrong {
				rows, labels = append(rows, t.rows[k]), append(labels, t.given[k])
			}
		}
		data, err = t.write("kept", rows, labels)
	}
	if err != nil {
		return err
	}
	begun := time.Now()
	if row.Accuracy, err = t.accuracy(ctx, slices.Concat(data, []string{"loss=" + loss}, settings)); err != nil {
		return err
	}
	row.Seconds = time.Since(begun).Seconds()
	t.say("%s, %s, draw %d: %d of %d wrong, %d left (weak: %v); %s: %.2f %%, %.0f s", row.Data, row.Labels, row.Draw, row.Wrong, row.Examples, row.Left, row.Weak,
		row.Treatment, row.Accuracy, row.Seconds)
	t.trained = append(t.trained, *row)
	return t.saveTrained()
}

// accuracy trains by losscorr train, by the audit's best view, and returns the accuracy on the test set.
func (t *trainee) accuracy(ctx context.Context, arguments []string) (float64, error) {
	out := filepath.Join(t.Work, "runs")
	if err := os.RemoveAll(out); err != nil {
		return 0, err
	}
	_, err := measured.Run(ctx, t.Program, slices.Concat([]string{"train", "--out", out, "--quiet", "--seeds", strconv.Itoa(t.seed), "--jobs", "1",
		"--view", t.view, "--test", t.test, "--test-labels", t.testLabels}, arguments)...)
	if err != nil {
		return 0, err
	}
	study, err := report.Load(out)
	if err != nil {
		return 0, err
	}
	runs := study.Finished()
	if len(runs) != 1 {
		return 0, fmt.Errorf("%d runs in %s", len(runs), out)
	}
	return runs[0].Result.Selected.TestAccuracy, nil
}

// saveTrained writes these rows.
func (b *bench) saveTrained() error {
	var records [][]string
	for _, r := range b.trained {
		records = append(records, measured.Record(r.Data, r.Labels, r.Draw, r.Examples, r.Wrong, r.Weak, r.Left, r.Treatment, fmt.Sprintf("%.2f", r.Accuracy), measured.Seconds(r.Seconds)))
	}
	return b.save([]string{"data", "labels", "draw", "examples", "wrong", "weak", "left", "treatment", "accuracy", "seconds"}, records)
}
