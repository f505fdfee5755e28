package find

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"runtime/debug"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/check"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/run"
)

// OpenData reads a user's own data without a view.
func OpenData(ctx context.Context, s own.Source, opt dataset.Options) (*dataset.Dataset, error) {
	s.View = ""
	d, err := own.Read(ctx, s, opt)
	if err != nil && ctx.Err() == nil {
		return nil, dataset.Errorf("%w", err)
	}
	return d, err
}

// Read reads and checks the data of an audit and Given. It is an error if more than opt.MaxBad files cannot be used.
func (a *work) Read(ctx context.Context, f *audit.Folder, opt dataset.Options) (err error) {
	source := a.Networks.Source
	if a.Opened, err = own.Open(source); err == nil {
		a.Fingerprint, err = a.Opened.Fingerprint()
	}
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	a.maxBad, opt.MaxBad = opt.MaxBad, math.MaxInt // read all files, to report every bad one
	var checked *check.Report
	if a.Data, checked, err = check.Read(ctx, a.Opened, opt); err != nil {
		return err
	}
	if len(checked.Skipped) > a.maxBad {
		return f.TooManyBad(checked.Skipped, cmp.Or(source.Path, source.Labels))
	}
	for _, finding := range checked.Findings {
		a.found("in the data: " + finding)
	}
	a.duplicates, a.unreadable = pairsOfGroups(checked.Duplicates), checked.Skipped
	if a.Given != nil {
		err = a.Given.read(a, source)
	} else if !a.alone() {
		err = Enough(a.Networks, a.Data)
	}
	if err != nil {
		return err
	}
	for _, file := range a.AnswersFrom { // fail before networks train
		if _, err := audit.ReadAnswers(file, source, a.Data.Classes); err != nil {
			return err
		}
	}
	if err := a.findNear(); err != nil {
		return err
	}
	a.Grey = grey(a.Data.Train)
	if a.Hold != nil && a.Given == nil {
		whole := *a.Data
		a.Hold(a.Networks, &whole)
	}
	a.Data.Forget()
	debug.FreeOSMemory()
	if a.Sums, err = a.Opened.Sums(ctx, a.Data.Train.IDs); err != nil {
		return dataset.Errorf("%w", err)
	}
	return nil
}

// found adds a finding to the summary, and reports it to people.
func (a *work) found(finding string) {
	a.Findings = append(a.Findings, finding)
	a.Note(finding)
}

// Enough returns an error if data has too few examples for a training and a validation set.
func Enough(c config.Config, data *dataset.Dataset) error {
	if train, held := run.Parts(c, data.Train.Len()); train == 0 || held == 0 {
		return dataset.Errorf("%d training examples are too few: networks need a few hundred for a useful result",
			data.Train.Len())
	}
	return nil
}

// Size sets the values that depend on the number n of training examples, unless the user has given them: the epochs,
// the batch size and, if rate is not 0, the learning rate. rate is meant for the usual number of steps; if few examples
// give fewer steps, the learning rate rises in proportion, up to tenfold.
func Size(r *config.Resolved, n int, rate float64) {
	c := &r.Config
	trained, _ := run.Parts(*c, n)
	kind := c.DataEntry().Kind
	epochs := Epochs(kind, n)
	if !r.Given("epochs") {
		c.Epochs = epochs
	}
	if !r.Given("batch_size") {
		c.BatchSize = batchSize(c.BatchSize, trained)
	}
	if rate > 0 && !r.Given("optimizer.learning_rate") {
		missing := float64(passes[kind].examples) / float64(epochs*max(n, 1))
		c.Optimizer.LearningRate = rate * min(max(missing, 1), mostFaster)
	}
}

// grey reports whether the first images in memory, of three channels, have no colours.
func grey(s dataset.Split) bool {
	if len(s.Shape) != 3 || s.Shape[0] != 3 || s.X == nil {
		return false
	}
	area := s.Shape[1] * s.Shape[2]
	const looked = 256
	for k := range min(s.Len(), looked) {
		x := s.Example(k)
		if !bytes.Equal(x[:area], x[area:2*area]) || !bytes.Equal(x[:area], x[2*area:]) {
			return false
		}
	}
	return true
}
