package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/similar"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch/nn"
)

// trueLabels returns the true classes of training examples with the given labels, -1 where they
// are not known. The labels are the true ones unless the data comes with wrong ones, as own data
// does to which no noise is added. Truth is what the data says of them, nil if nothing.
func trueLabels(c config.Config, labels, truth []int) []int {
	wrong := c.DataEntry().Clean != "" || c.DataEntry().Own && c.Noise.Kind == correction.NoNoise
	known := slices.Clone(labels)
	for i := range known {
		switch {
		case truth != nil && truth[i] >= 0:
			known[i] = truth[i]
		case wrong:
			known[i] = -1
		}
	}
	return known
}

// trustedLabels returns the trusted labels of a configuration: from its file, or drawn
// from the true labels of the training and validation examples, -1 where they are not known.
func trustedLabels(c config.Config, truth []int, classes []string) ([]correction.Trusted, error) {
	if c.Trusted == "" {
		return nil, nil
	}
	if n, perClass, drawn := c.TrustedDraw(); drawn {
		order := rand.New(rand.NewPCG(config.Stream(c.Seed, "trusted"), 0)).Perm(len(truth))
		order = slices.DeleteFunc(order, func(i int) bool { return truth[i] < 0 })
		if len(order) == 0 {
			return nil, config.NewError(config.Problem{Key: "trusted", Text: fmt.Sprintf(
				"%s is a number of true labels to draw, and the true labels of this data are not known; give a CSV file of "+
					"index,label, or, for own data, the column of true labels (source.truth)", c.Trusted)})
		}
		if !perClass {
			order = order[:min(n, len(order))]
		}
		return correction.DrawTrusted(truth, order, n), nil
	}
	trusted, err := correction.ReadTrustedCSV(c.Trusted, len(truth), classes)
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	return trusted, nil
}

// trusted returns the trusted labels among rows, a part of the training examples,
// indexed by the place in rows.
func (m *material) trusted(rows []int64) ([]correction.Trusted, error) {
	truth := trueLabels(m.Config, m.source.clean, m.source.truth)
	if _, _, drawn := m.TrustedDraw(); drawn {
		within := make([]int, len(rows))
		for i, r := range rows {
			within[i] = truth[r]
		}
		return trustedLabels(m.Config, within, m.source.classes)
	}
	all, err := trustedLabels(m.Config, truth, m.source.classes)
	if err != nil || len(rows) == len(m.source.clean) {
		return all, err
	}
	place := map[int64]int{}
	for i, r := range rows {
		place[r] = i
	}
	var within []correction.Trusted
	for _, t := range all {
		if i, ok := place[int64(t.Index)]; ok {
			within = append(within, correction.Trusted{Index: i, Label: t.Label})
		}
	}
	return within, nil
}

// known returns the trusted labels of the examples that the run uses, indexed by the place
// in the training set.
func (m *material) known() ([]correction.Trusted, error) {
	rows := m.rows()
	known, err := m.trusted(rows)
	for i, t := range known {
		known[i].Index = int(rows[t.Index])
	}
	return known, err
}

// namedBy describes which trusted labels named the rows of an estimate.
func namedBy(c config.Config) string {
	n, perClass, drawn := c.TrustedDraw()
	switch {
	case drawn && perClass:
		return fmt.Sprintf("%d per class, drawn from the true labels", n)
	case drawn:
		return fmt.Sprintf("%d examples, drawn at random with their true labels", n)
	case c.Trusted != "":
		return "file " + filepath.Base(c.Trusted)
	}
	return ""
}

// estimate estimates T from a network's posteriors on the training and the
// validation examples together and, if the configuration says so, on the test examples.
func (m *material) estimate(noise *labels, model nn.Module) (*estimators.Estimation, error) {
	rows := m.rows()
	logits, err := train.Logits(model, m.set(noise, rows), m.BatchSize)
	if err != nil {
		return nil, err
	}
	if m.Estimator.Sample == config.AllSample {
		test := m.source.test
		test.Prepare = m.look()
		more, err := train.Logits(model, test, m.BatchSize)
		if err != nil {
			return nil, err
		}
		logits = append(logits, more...)
	}
	triples, err := m.triples(noise, model, rows)
	if err != nil {
		return nil, err
	}
	return m.estimateFrom(noise, logits, triples, rows)
}

// triples returns training examples with their neighbours by the network's features where
// the estimator reads them, else nil.
func (m *material) triples(noise *labels, model nn.Module, rows []int64) ([][3]int, error) {
	if !estimators.All.Named(m.Estimator.Name).Triples {
		return nil, nil
	}
	features, err := train.Features(model.(nn.Featured), m.set(noise, rows), m.BatchSize)
	if err != nil {
		return nil, err
	}
	return similar.Triples(features, len(rows)), nil
}

// estimateFrom estimates T from the logits, and triples if the estimator reads them, of
// rows, a part of the training examples, and of examples behind them that have no labels.
func (m *material) estimateFrom(noise *labels, logits []float32, triples [][3]int,
	rows []int64) (*estimators.Estimation, error) {
	var noisy []int
	if len(logits) == len(rows)*len(m.source.classes) {
		for _, r := range rows {
			noisy = append(noisy, noise.noisy[r])
		}
	}
	c := m.Estimator
	trusted, err := m.trusted(rows)
	if err != nil {
		return nil, err
	}
	return estimators.Estimate(m.source.classes, logits, noisy, estimators.Options{
		Name: c.Name, Quantile: c.Quantile, Kappa: c.Kappa, Average: c.Average, Trusted: trusted, Triples: triples,
		Held: m.held(rows),
	})
}

// held returns the places in rows of the examples that are kept for validation.
func (m *material) held(rows []int64) []int {
	_, validation := m.parts()
	kept := map[int64]bool{}
	for _, r := range validation {
		kept[r] = true
	}
	var places []int
	for i, r := range rows {
		if kept[r] {
			places = append(places, i)
		}
	}
	return places
}

// describeEstimate records an estimate and its distance from the true matrix.
func describeEstimate(info *store.TransitionInfo, c config.Config, found *estimators.Estimation, noise *labels) {
	info.Estimated = found.T.Rows()
	info.NamedBy, info.Disagreement = namedBy(c), found.Disagreement
	info.EstimateError = noise.distance(found.T)
	info.RowsPermuted = noise.nominal != nil && correction.RowsPermuted(found.T, noise.nominal)
}

// describeLearned records the T that the loss has learned with the network, if it does: one
// that has diverged has learned none.
func describeLearned(info *store.TransitionInfo, loss losses.Loss, noise *labels) {
	learner, ok := loss.(losses.Learner)
	if !ok {
		return
	}
	t := learner.Learned()
	if slices.ContainsFunc(slices.Concat(t.Rows()...), math.IsNaN) {
		return
	}
	info.Learned, info.LearnedError = t.Rows(), noise.distance(t)
}

// distance returns the error of an estimate of T, NaN if T is unknown.
func (l *labels) distance(t *correction.Matrix) float64 {
	if l.nominal == nil {
		return math.NaN()
	}
	return correction.RowError(t, l.nominal)
}
