package find

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// work is a running audit: the data, the networks that judge it, and what has been read so far.
type work struct {
	Request
	Host
	Networks config.Config // of the first stage: a user's own data, with Folds.Count parts

	// Candidates are networks on different views of the data; the audit takes the best ones. If there are none, it takes
	// Networks.
	Candidates []config.Config

	Opened *own.Data // what Read reads into Data
	Data   *dataset.Dataset
	// answers of several people, whose consensus is audited in place of given labels; nil if there are none
	Crowd *annotators.Answers

	// Probabilities [N C] come from Given. They replace the networks' posteriors of noisy labels, so that no network
	// is trained.
	Probabilities []float32

	maxBad int  // images that Read may leave out
	Grey   bool // the images have no colours; set by Read

	Sums        []uint64 // own.Data.Sums of the examples; nil if the data has none
	Fingerprint string   // own.Data.Fingerprint before the data was read; "" to compare nothing

	near     []int32   // nearCount neighbours of each example; nil if there are none
	features []float32 // [N D], to find neighbours by; nil if not kept
	unusual  []float64 // judging.Unusual of each example; nil without features

	unreadable []dataset.Skipped // files that Read left out
	duplicates []audit.Duplicate // found by check.Run and by the features of a view

	Findings []string // from check.Run, for Summary
}

// finding is the result of an audit while it is found: the steps fill the report.
type finding struct {
	audit.Report
	judging.Judgement
	estimation  *estimators.Estimation
	model       *judging.Model
	log         audit.Log            // of the folder
	trusted     []correction.Trusted // labels known from people's answers or marked as trusted in the data
	known       map[int]bool         // the examples in trusted
	random      audit.Counted
	predicted   []int    // classes predicted by the networks of the last stage; nil if no network judges
	topWarnings []string // shown before the warnings of the estimate
}

// Epochs returns the default number of training epochs for n examples: more for few examples, but few enough that
// networks do not memorize wrong labels.
func Epochs(kind dataset.Kind, n int) int {
	of := passes[kind]
	return min(max(of.examples/max(n, 1), of.least), mostEpochs)
}

// passes is the number of examples that networks see in training, counting repetitions, and the least number of
// epochs.
var passes = map[dataset.Kind]struct{ examples, least int }{
	dataset.Vector: {240_000, 4}, dataset.Text: {150_000, 6}, dataset.Image: {360_000, 6},
}

// Limits of Epochs and of Sized's factor for a learning rate.
const (
	mostEpochs = 40
	mostFaster = 10
)

// batchSize returns the default batch size: the usual one or, for few examples, the largest power of two that is at
// most a quarter of their number, but at least 2.
func batchSize(usual, examples int) int {
	if examples >= usual {
		return usual
	}
	size := 2
	for 2*size <= examples/4 {
		size *= 2
	}
	return min(size, usual)
}

// Check returns an error if the settings of the networks do not suit an audit.
func (a *work) Check() error {
	switch c := a.Networks; {
	case c.Noise.Kind != correction.NoNoise:
		return fmt.Errorf("noise.kind=%s: an audit judges the labels as they are; to add noise, use losscorr noisify",
			c.Noise.Kind)
	case c.Loss != losses.FirstLoss:
		return fmt.Errorf("loss=%s: an audit trains with cross-entropy, then with forward; remove the setting", c.Loss)
	case !estimators.All.Named(c.Estimator.Name).Counts:
		return fmt.Errorf("estimator.name=%s: an audit needs an estimator that counts labels: %s", c.Estimator.Name,
			strings.Join(estimators.All.Which(func(e estimators.Entry) bool { return e.Counts }), ", "))
	}
	return nil
}

// checkParts returns an error if there are fewer examples, or groups of examples, than parts of the data.
func (a *work) checkParts() error {
	folds := a.Networks.Folds.Count
	if a.Probabilities != nil || a.alone() {
		return nil
	}
	if n := a.Data.Train.Len(); n < folds {
		return dataset.Errorf("%d training examples are too few for %d parts: use fewer parts (--folds)", n, folds)
	}
	if group := a.Data.Train.Group; group != nil {
		if n := len(slices.Compact(slices.Sorted(slices.Values(group)))); n < folds {
			return dataset.Errorf("%d groups of examples are too few for %d parts: use fewer parts (--folds) or another "+
				"column (--group)", n, folds)
		}
	}
	return nil
}

// run audits in the locked folder. It writes the files at the end, summary.json last.
func (a *work) run(ctx context.Context, f *audit.Folder) (*audit.Report, error) {
	begun := time.Now()
	if err := a.checkParts(); err != nil {
		return nil, err
	}
	if err := f.Begin(a.Networks.Source, a.Data.Files); err != nil {
		return nil, err
	}
	found, err := a.find(ctx, f)
	if err != nil {
		return nil, err
	}
	r := a.report(found)
	if r.Reviewed, err = f.Review(a.Data, a.Networks.Source); err != nil {
		return nil, err
	}
	r.Seconds, r.Finished = time.Since(begun).Seconds(), store.Timestamp()
	return r, f.Save(r)
}

// changed returns a warning if the data has changed since the audit read it.
func (a *work) changed() []string {
	if a.Fingerprint == "" {
		return nil
	}
	switch now, err := a.Networks.Source.Fingerprint(); {
	case err != nil:
		return []string{fmt.Sprintf("the data can no longer be read (%v): the result is for the labels as they were at the "+
			"beginning", err)}
	case now != a.Fingerprint:
		return []string{"the data was changed during the audit: audit again, since some networks may have learned from " +
			"other labels than those judged"}
	}
	return nil
}

// readAnswers reads the answers in the folder, after importing those of files. It is called once the labels are the
// ones that people were asked about.
func (found *finding) readAnswers(a *work, f *audit.Folder) (err error) {
	source := a.Networks.Source
	if a.Crowd == nil || found.People != nil {
		for _, file := range a.AnswersFrom {
			if err := f.Import(a.Data, source, file); err != nil {
				return err
			}
		}
	}
	if found.log, err = f.Log(); err != nil {
		return err
	}
	found.log.Answers = found.log.Said(source)
	found.trusted, found.Warnings = audit.Known(a.Data, audit.Outcomes(found.log.Answers))
	found.known = make(map[int]bool, len(found.trusted))
	for _, k := range found.trusted {
		found.known[k.Index] = true
	}
	return nil
}

// find trains the networks and judges the labels.
func (a *work) find(ctx context.Context, f *audit.Folder) (*finding, error) {
	found := &finding{}
	if err := found.readAnswers(a, f); err != nil {
		return nil, err
	}
	if a.Crowd != nil {
		return found, a.agree(f, found)
	}
	if a.Probabilities != nil {
		a.Note("estimating the noise from the given probabilities")
		return found, a.judgeOnce(f, found, a.Probabilities, givenPosterior)
	}
	one, only, err := a.look(f, found)
	if err != nil {
		return nil, err
	}
	if err := a.compareFeatures(ctx, one.runs[0]); err != nil {
		return nil, err
	}
	if only {
		return found, a.judgeOnce(f, found, found.Noisy, firstPosterior)
	}
	return found, a.judgeTwice(f, found, one)
}

// judgeTwice judges the labels by a second stage, trained with T-hat, or by the first stage if the labels show no
// evidence of T-hat.
func (a *work) judgeTwice(f *audit.Folder, found *finding, one networks) error {
	if err := found.estimate(a, one.logits); err != nil {
		return err
	}
	found.Noisy = correction.Softmax(one.logits, len(a.Data.Classes))
	if !found.Evidence.Shown() {
		a.Note("stage 2 is left out: the labels show no evidence of class-dependent mistakes")
		found.Runs, found.Posterior = ids(one.runs), firstPosterior
		return a.judgeLabels(f, found, one.logits, false)
	}
	seconds, err := second(f, one.runs, found.estimation.T)
	if err != nil {
		return err
	}
	a.Note("stage 2 of 2: the same with the loss corrected by the estimated noise")
	two, err := a.train(f, seconds, 2)
	if err != nil {
		return err
	}
	if trapped := two.trapped(found.estimation, a.Data); len(trapped) > 0 {
		if two, err = a.repeat(f, found, one.runs, two, trapped); err != nil {
			return err
		}
	}
	found.Runs, found.Posterior = ids(two.runs), secondPosterior
	return a.judgeLabels(f, found, two.logits, true)
}

// judgeOnce judges the labels by a posterior of the given labels, without a second stage.
func (a *work) judgeOnce(f *audit.Folder, found *finding, noisy []float32, posterior string) error {
	logits := logs(noisy)
	if err := found.estimate(a, logits); err != nil {
		return err
	}
	found.Noisy, found.Posterior = noisy, posterior
	return a.judgeLabels(f, found, logits, false)
}

func ids(runs []config.Config) []string {
	out := make([]string, len(runs))
	for k, run := range runs {
		out[k] = run.ID()
	}
	return out
}

// repeat retrains networks of the second stage that take one class for another.
func (a *work) repeat(f *audit.Folder, found *finding, firsts []config.Config, two networks,
	trapped map[int][]int) (networks, error) {
	for k := range trapped {
		var err error
		if two.runs[k], err = again(f, two.runs[k], firsts[k]); err != nil {
			return two, err
		}
	}
	a.Note("stage 3: some networks are trained again from the weights of stage 1, since " +
		describeTrapped(trapped, a.Data.Classes))
	two, err := a.train(f, two.runs, 3)
	if err != nil {
		return two, err
	}
	if trapped = two.trapped(found.estimation, a.Data); len(trapped) > 0 {
		found.topWarnings = append(found.topWarnings, describeTrapped(trapped, a.Data.Classes)+
			", also when trained again: check some labels of these classes by hand (losscorr review) and audit again")
	}
	return two, nil
}

// describeTrapped names the parts whose networks take classes for others, and these classes.
func describeTrapped(trapped map[int][]int, names []string) string {
	var parts, classes []string
	for _, k := range slices.Sorted(maps.Keys(trapped)) {
		parts = append(parts, strconv.Itoa(k+1))
		for _, class := range trapped[k] {
			classes = append(classes, names[class])
		}
	}
	slices.Sort(classes)
	return fmt.Sprintf("networks take %s for other classes (parts %s)", humanize.Listed(slices.Compact(classes), 5),
		strings.Join(parts, ", "))
}
