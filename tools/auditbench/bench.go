// Package auditbench measures how well losscorr audit finds wrong labels, beside
// cleanlab where Python has it: on MNIST and IMDB with labels made wrong, on real mistakes
// that people have judged, and in time and memory.
//
// cleanlab judges the posteriors of the audit's own first networks, so that both have the
// same to judge by.
package auditbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/tools/measured"
	"gonum.org/v1/gonum/stat"
)

// parts are what can be measured, in this order, and the flag of the folder without which it is left out.
var parts = []struct {
	name    string
	measure func(*bench, context.Context) error
	folder  string
}{
	{"mnist", (*bench).allMNIST, ""},
	{"imdb", (*bench).allIMDB, ""},
	{"mistakes", (*bench).mistakes, "mistakes"},
	{"reviews", (*bench).reviewsByView, ""},
	{"few", (*bench).few, ""},
	{"sentences", (*bench).sentences, "sentiment"},
	{"topics", (*bench).topics, "packages"},
	{"photos", (*bench).photos, "photos"},
	{"time", (*bench).time, ""},
	{"memory", (*bench).memory, ""},
	{"loop", (*bench).loop, ""},
	{"human", (*bench).human, ""},
	{"clean", (*bench).clean, ""},
	{"errors", (*bench).errors, "mistakes"},
	{"noticed", (*bench).noticed, ""},
	{"train", (*bench).train, ""},
	{"copies", (*bench).copies, "photos"},
	{"unusual", (*bench).unusual, "photos"},
}

// Parts are what Options.Parts can name.
func Parts() (names []string) {
	for _, part := range parts {
		names = append(names, part.name)
	}
	return names
}

// Options says what to measure.
type Options struct {
	Program   string   // losscorr
	Python    string   // interpreter whose cleanlab is measured, too; "" for none
	Data      string   // folder of data sets; "" for $LOSSCORR_DATA and ./data
	Mistakes  string   // folder of real mistakes (cleanlab/label-errors); "" leaves them out
	Sentiment string   // folder of sentences.csv and answers.csv, for the part sentences
	Packages  string   // folder of Packages and Translation-en of a release of Debian, for the part topics
	Photos    string   // folder of folders of images, such as CIFAR-10's as JPEG
	Backbone  string   // pretrained network whose features of the photos are measured, too; "" for none
	People    People   // labels of people, for the parts human, clean, noticed and train
	Views     string   // by which photos and reviews are looked at, with commas; "" for those of the kind of data
	Parts     []string // of Parts; none: mnist, imdb and mistakes
	Out       string   // CSV file of the rows
	Work      string   // folder for data and audits; "" for a temporary one
}

// seed draws the wrong labels.
const seed = 14

// bench is a measurement that is being made.
type bench struct {
	Options
	out         io.Writer
	rows        []comparison
	humans      []humanRow
	notices     []noticedRow
	trained     []trainRow
	environment store.Environment
	python      answer // versions
}

// Run measures the parts, prints a table in Markdown, and writes the rows that compare
// rankings to Options.Out, again after each row. A part whose data is missing is left out
// with a line that says why.
func Run(ctx context.Context, o Options, out io.Writer) error {
	b := &bench{Options: o, out: out, environment: store.NewEnvironment("", nil)}
	for _, part := range o.Parts {
		if !slices.Contains(Parts(), part) {
			return fmt.Errorf("no part is named %q: choose from %s", part, strings.Join(Parts(), ", "))
		}
	}
	if len(o.Parts) == 0 {
		b.Parts = []string{"mnist", "imdb", "mistakes"}
	}
	var err error
	for _, path := range []*string{&b.Program, &b.Photos, &b.Backbone} { // audits run in another folder
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if b.Work == "" {
		if b.Work, err = os.MkdirTemp("", "losscorr-audit"); err != nil {
			return err
		}
		defer os.RemoveAll(b.Work)
	}
	if b.Python != "" {
		if b.python, err = ask(ctx, b.Python, request{}); err != nil {
			b.say("cleanlab is left out: %v (python3 -m venv .venv && .venv/bin/pip install cleanlab)", err)
			b.Python = ""
		}
	}
	folders := map[string]string{"mistakes": b.Mistakes, "photos": b.Photos, "sentiment": b.Sentiment, "packages": b.Packages}
	for _, part := range parts {
		if !slices.Contains(b.Parts, part.name) {
			continue
		}
		if folder, needed := folders[part.folder]; needed && folder == "" {
			b.say("%s is left out: -%s names no folder", part.name, part.folder)
			continue
		}
		err := part.measure(b, ctx)
		if errors.Is(err, errNoIMDB) {
			b.say("%s is left out: %v", part.name, err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return b.table()
}

// say tells people what is being measured.
func (b *bench) say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
}

// allMNIST audits MNIST under the noises of the paper.
func (b *bench) allMNIST(ctx context.Context) error {
	d, err := b.digits()
	if err != nil {
		return err
	}
	flips := published.All.Named("mnist").Flips
	for _, c := range []struct {
		kind   string
		level  float64
		target float64
	}{{"symmetric", .2, .993}, {"symmetric", .5, .996}, {"asymmetric", .2, .992}, {"asymmetric", .4, .985}} {
		t, err := correction.Symmetric(d.Classes, c.level)
		if c.kind == "asymmetric" {
			t, err = correction.Asymmetric(d.Classes, c.level, flips)
		}
		if err != nil {
			return err
		}
		n, err := b.mnist(d, t)
		if err != nil {
			return err
		}
		if err := b.compare(ctx, comparison{Data: "MNIST", Noise: fmt.Sprint(c.kind, " ", c.level), Target: c.target}, n); err != nil {
			return err
		}
	}
	return nil
}

// allIMDB audits the training reviews of IMDB.
func (b *bench) allIMDB(ctx context.Context) error {
	reviews, err := b.reviews("train")
	if err != nil {
		return err
	}
	for _, c := range []struct {
		noise    string
		neg, pos float64 // share of wrong labels
		target   float64
	}{{"symmetric 0.2", .2, .2, .81}, {"30 % of neg", .3, 0, .83}, {"10 % of neg, 30 % of pos", .1, .3, .815}} {
		t, err := correction.NewMatrix(sentiments, [][]float64{{1 - c.neg, c.neg}, {c.pos, 1 - c.pos}})
		if err != nil {
			return err
		}
		n, err := b.imdb(reviews, t)
		if err != nil {
			return err
		}
		if err := b.compare(ctx, comparison{Data: "IMDB", Noise: c.noise, Target: c.target}, n); err != nil {
			return err
		}
	}
	return b.fewReviews(ctx, reviews)
}

// fewReviews audits a part of the training reviews, of which nearly a third of the negative ones is
// wrong, by each of the views or, where none is named, as an audit does by itself.
func (b *bench) fewReviews(ctx context.Context, reviews []measured.Review, views ...string) error {
	const few = 3000
	var some []measured.Review
	for k := range few {
		some = append(some, reviews[k*len(reviews)/few])
	}
	t, err := correction.NewMatrix(sentiments, [][]float64{{.7, .3}, {0, 1}})
	if err != nil {
		return err
	}
	n, err := b.imdb(some, t)
	if err != nil {
		return err
	}
	row := comparison{Data: fmt.Sprintf("IMDB, %d reviews", few), Noise: "30 % of neg"}
	if len(views) == 0 {
		return b.compare(ctx, row, n)
	}
	for _, view := range views {
		m, named := n, row
		m.arguments = slices.Concat(n.arguments, []string{"--view", view})
		named.Data += ", " + view
		if err := b.compare(ctx, named, m); err != nil {
			return err
		}
	}
	return nil
}

// reviewsByView audits the part of the training reviews by each view of texts alone, and by all.
func (b *bench) reviewsByView(ctx context.Context) error {
	reviews, err := b.reviews("train")
	if err != nil {
		return err
	}
	return b.fewReviews(ctx, reviews, strings.Split(cmp.Or(b.Views, "tfidf,words,minilm,auto"), ",")...)
}

// compare audits data whose true labels are known, and adds a row.
func (b *bench) compare(ctx context.Context, row comparison, n noisy) error {
	a, err := b.audit(ctx, n.arguments...)
	if err != nil {
		return err
	}
	m := a.summary.Measured
	if m == nil {
		return errors.New("the audit has not found the true labels")
	}
	row.Examples, row.Wrong, row.AveragePrecision, row.F1 = m.Known, m.Wrong, m.AveragePrecision, m.F1
	row.Expected, row.Corrected = a.summary.ExpectedWrong/float64(m.Wrong), m.Corrected
	row.Seconds, row.PeakMiB = a.seconds, a.peakMiB
	r := request{Posteriors: a.folder.Path(audit.NoisyFile), Given: n.given}
	for i, y := range n.given {
		r.Judged, r.Wrong = append(r.Judged, i), append(r.Wrong, y != n.truth[i])
	}
	return b.add(ctx, row, r)
}

// add judges the posteriors that cleanlab has by T, has cleanlab judge them, and keeps the row.
func (b *bench) add(ctx context.Context, row comparison, r request) error {
	wrong := map[int]bool{}
	for k, i := range r.Judged {
		wrong[i] = r.Wrong[k]
	}
	precision, f1, err := firstStage(r.Posteriors, r.Given, wrong)
	if err != nil {
		return err
	}
	row.FirstStage, row.FirstStageF1 = stat.Mean(precision, nil), stat.Mean(f1, nil)
	if row.AveragePrecision == 0 { // given posteriors have one stage
		row.AveragePrecision, row.Deviation = stat.MeanStdDev(precision, nil)
		row.F1 = row.FirstStageF1
	}
	if b.Python != "" {
		a, err := ask(ctx, b.Python, r)
		if err != nil {
			return err
		}
		row.CleanlabScore, row.Cleanlab = a.best()
		row.SelfConfidence, row.CleanlabF1 = a.Scores["self_confidence"], a.F1
	}
	b.say("%s, %s: average precision %.4f (cleanlab %.4f), F1 %.4f (%.4f), expected/true %.3f, %.1f s, %d MiB",
		row.Data, row.Noise, row.AveragePrecision, row.Cleanlab, row.F1, row.CleanlabF1, row.Expected, row.Seconds, row.PeakMiB)
	b.rows = append(b.rows, row)
	return b.saveComparisons()
}

// time compares an audit of MNIST, both stages, with cleanlab on the posteriors of
// scikit-learn's network of the same size, epochs and number of processes, one stage.
func (b *bench) time(ctx context.Context) error {
	if b.Python == "" {
		return nil
	}
	d, err := b.digits()
	if err != nil {
		return err
	}
	t, err := correction.Symmetric(d.Classes, .2)
	if err != nil {
		return err
	}
	n, err := b.mnist(d, t)
	if err != nil {
		return err
	}
	jobs := runtime.NumCPU()
	for range 3 {
		a, err := b.audit(ctx, slices.Concat(n.arguments, []string{"--jobs", fmt.Sprint(jobs)})...)
		if err != nil {
			return err
		}
		other, err := ask(ctx, b.Python, request{
			Features: filepath.Join(b.Work, "X.npy"), Given: n.given, Epochs: find.Epochs(dataset.Vector, d.Train.Len()), Jobs: jobs,
		})
		if err != nil {
			return err
		}
		b.say("time: audit %.1f s, %d MiB; cleanlab %s with scikit-learn %s %.1f s; ratio %.2f; %d at a time",
			a.seconds, a.peakMiB, other.Version, other.Sklearn, other.Seconds, a.seconds/other.Seconds, jobs)
	}
	return nil
}

// memory audits a million examples of 512 features in float16, with two epochs in each
// stage, which memory does not depend on, and says what it takes. Features of ten classes are drawn around ten centres; a fifth of the labels is wrong.
func (b *bench) memory(ctx context.Context) error {
	const n, width, classes = 1_000_000, 512, 10
	rng := rand.New(rand.NewPCG(seed, 1))
	bits := make([]uint16, n*width)
	records := [][]string{{"label", "truth"}}
	for i := range n {
		class := rng.IntN(classes)
		for k := range width {
			// Magnitudes from 1 to 2 in 10 bits; those of the own class are larger.
			v := uint16(0x3c00 | rng.IntN(700))
			if k%classes == class {
				v += 200
			}
			bits[i*width+k] = v
		}
		given := class
		if rng.IntN(5) == 0 {
			given = (class + 1 + rng.IntN(classes-1)) % classes
		}
		records = append(records, []string{fmt.Sprint(given), fmt.Sprint(class)})
	}
	features, labels := filepath.Join(b.Work, "features.npy"), filepath.Join(b.Work, "million.csv")
	if err := cmp.Or(npy.WriteHalves(features, bits, width), measured.WritePlain(labels, records)); err != nil {
		return err
	}
	a, err := b.audit(ctx, features, "--labels", labels, "--label", "label", "--truth", "truth", "epochs=2")
	if err != nil {
		return err
	}
	b.say("memory: %d x %d float16 features: peak %d MiB, %.0f s, average precision %.4f", n, width, a.peakMiB, a.seconds, a.summary.Measured.AveragePrecision)
	return errors.Join(os.Remove(features), os.Remove(labels))
}
