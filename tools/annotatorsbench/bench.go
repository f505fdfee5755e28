// Package annotatorsbench measures losscorr audit --answers on data that several people have
// labelled and whose truth is known, beside crowd-kit and cleanlab.
package annotatorsbench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/tools/measured"
)

// Options says what is measured.
type Options struct {
	Program string // losscorr
	Python  string // with cleanlab, crowd-kit; "" measures without
	Work    string // folder for data and audits; "" is a temporary one

	Sentiment, SentimentFeatures string // folder of the data and NPY file of the features; "" leaves it out
	CIFAR10N, CIFAR10NFeatures   string
	Images                       int      // of CIFAR-10N
	Without                      []string // methods of the others that are left out
	Parts                        []string // names in Parts; nil is all
	Seeds                        int      // of what is drawn: first answers, splits, checks
	Out                          string   // folder of the CSV files of the figures; "" for none
}

//go:embed peers.py
var script string

// row is a method on a data set.
type row struct {
	data, method string
	answers      int
	wrong        float64 // share of the answers
	score
	calibrated bool // its doubts are probabilities
	seconds    float64
	posterior  float64 // share of the network's classes that are right, where the method reads it
}

type bench struct {
	Options
	out     io.Writer
	rows    []row
	asked   [][]string         // records of ask.csv
	trained [][]string         // of train.csv
	checks  [][]string         // of checks.csv
	audits  map[string]audited // by the name of the data
	python  reply
	machine store.Environment
}

// Parts returns the names of what can be measured.
func Parts() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// Run measures, prints a table and writes the figures.
func Run(ctx context.Context, o Options, out io.Writer) (err error) {
	for _, name := range o.Parts {
		if !slices.Contains(Parts(), name) {
			return fmt.Errorf("no part %q: want some of %v", name, Parts())
		}
	}
	b := &bench{Options: o, out: out, audits: map[string]audited{}}
	if b.Program, err = filepath.Abs(b.Program); err != nil {
		return err
	}
	if b.Work == "" {
		if b.Work, err = os.MkdirTemp("", "annotatorsbench"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(b.Work)) }()
	}
	read := 0
	for _, of := range []struct {
		folder string
		read   func() (crowd, error)
	}{
		{o.Sentiment, func() (crowd, error) { return sentiment(o.Sentiment, o.SentimentFeatures) }},
		{o.CIFAR10N, func() (crowd, error) { return cifar10n(o.CIFAR10N, o.CIFAR10NFeatures, o.Images) }},
	} {
		if of.folder == "" {
			continue
		}
		data, err := of.read()
		if err != nil {
			return err
		}
		read++
		for _, part := range parts {
			if b.Parts != nil && !slices.Contains(b.Parts, part.name) {
				continue
			}
			if err := part.measure(b, ctx, data); err != nil {
				return fmt.Errorf("%s: %s: %w", data.name, part.name, err)
			}
		}
	}
	if read == 0 {
		return errors.New("no data: name the folders (-sentiment, -cifar10n)")
	}
	return b.save()
}

// parts are what is measured on each data set.
var parts = []struct {
	name    string
	measure func(b *bench, ctx context.Context, data crowd) error
}{
	{"consensus", (*bench).measure},
	{"checks", (*bench).measureChecks},
	{"ask", (*bench).measureAsk},
	{"train", (*bench).measureTrain},
}

// measure measures all methods on a data set.
func (b *bench) measure(ctx context.Context, data crowd) error {
	folder, seconds, err := b.audit(ctx, data)
	if err != nil {
		return err
	}
	posteriors := folder.Path(audit.NoisyFile)
	g, _, err := npy.ReadFloat32(posteriors)
	if err != nil {
		return err
	}
	network := data.accuracy(g)
	for _, m := range annotators.All {
		if err := b.own(data, m, nil, 0); err != nil {
			return err
		}
		if m.Posteriors {
			if err := b.own(data, m, g, network); err != nil {
				return err
			}
			b.rows[len(b.rows)-1].seconds = seconds
		}
	}
	if b.Python == "" {
		return nil
	}
	if b.python, err = b.ask(ctx, data, posteriors); err != nil {
		return err
	}
	for _, m := range b.python.Methods {
		b.add(data, row{method: m.Name, score: data.judge(m.Label, m.Doubt, m.Answers), calibrated: m.Probabilities, seconds: m.Seconds})
		if !m.Probabilities {
			b.rows[len(b.rows)-1].posterior = network
		}
	}
	return nil
}

func (b *bench) add(data crowd, r row) {
	wrong := 0
	for _, x := range data.answers.List {
		if int(x.Label) != data.truth[x.Task] {
			wrong++
		}
	}
	r.data, r.answers = data.name, len(data.answers.List)
	r.wrong = float64(wrong) / float64(r.answers)
	b.rows = append(b.rows, r)
	fmt.Fprintf(b.out, "| %s | %s | %.4f | %.4f | %.4f | %.2f | %.1f s |\n", r.data, r.method, r.Right, r.WrongAnswers, r.WrongConsensus, r.Expected, r.seconds)
}

// own measures a method of the program.
func (b *bench) own(data crowd, m annotators.Entry, g []float32, network float64) error {
	begun := time.Now()
	q, err := annotators.Estimate(data.answers, annotators.Options{Method: m.Name, Posteriors: g})
	if err != nil {
		return err
	}
	r := row{method: "losscorr " + m.Name, calibrated: true, seconds: time.Since(begun).Seconds(), posterior: network}
	if g != nil {
		r.method += ", with the network"
	}
	doubt, answers := make([]float64, data.answers.Tasks), make([]float64, len(data.answers.List))
	for i := range doubt {
		doubt[i] = 1 - q.Sure(i)
	}
	for n, x := range data.answers.List {
		answers[n] = q.Wrong(x)
	}
	r.score = data.judge(q.Label, doubt, answers)
	b.add(data, r)
	return nil
}

// audit runs losscorr audit --answers on the features, by a linear layer, and returns its
// folder and the seconds: its networks are those of all methods. The same data is audited once.
func (b *bench) audit(ctx context.Context, data crowd) (*audit.Folder, float64, error) {
	if done, is := b.audits[data.name]; is {
		return done.folder, done.seconds, nil
	}
	dir := filepath.Join(b.Work, data.name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, 0, err
	}
	x, answers, folder := filepath.Join(dir, "X.npy"), filepath.Join(dir, "answers.csv"), audit.At(filepath.Join(dir, "audit"))
	if err := npy.WriteFloat32(x, data.features, data.width); err != nil {
		return nil, 0, err
	}
	records := [][]string{{"task", "worker", "label"}}
	for _, a := range data.answers.List {
		records = append(records, []string{strconv.Itoa(int(a.Task)), data.answers.Workers[a.Worker], data.answers.Classes[a.Label]})
	}
	if err := measured.WritePlain(answers, records); err != nil {
		return nil, 0, err
	}
	begun := time.Now()
	if _, err := measured.Run(ctx, b.Program, "audit", x, "--answers", answers, "--out", folder.Dir(), "--model", "linear", "--quiet", "optimizer.weight_decay=.1"); err != nil {
		return nil, 0, err
	}
	seconds := time.Since(begun).Seconds()
	var err error
	b.machine, err = measured.Environment(folder)
	b.audits[data.name] = audited{folder, seconds}
	return folder, seconds, err
}

// audited is an audit that has been done.
type audited struct {
	folder  *audit.Folder
	seconds float64
}

// reply is what peers.py says.
type reply struct {
	Cleanlab, CrowdKit string
	Methods            []struct {
		Name           string
		Seconds        float64
		Probabilities  bool
		Label          []int
		Doubt, Answers []float64
	}
}

// ask runs peers.py.
func (b *bench) ask(ctx context.Context, data crowd, posteriors string) (r reply, err error) {
	var answers [][3]int32
	for _, x := range data.answers.List {
		answers = append(answers, [3]int32{x.Task, x.Worker, x.Label})
	}
	request := map[string]any{"answers": answers, "tasks": data.answers.Tasks, "classes": len(data.answers.Classes), "posteriors": posteriors, "without": b.Without}
	return r, measured.Python(ctx, b.Python, script, request, &r)
}
