package run

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/similar"
	"github.com/losscorr/losscorr/torch/nn"
)

// trueLabels returns the true classes of training examples with the given labels, -1 where unknown. The labels are true
// unless the data comes with wrong ones, as own data without added noise may. Truth has the data's own true classes,
// nil if it has none.
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

// trustedLabels returns a configuration's trusted labels: from its file, or drawn from the true labels of the training
// and validation examples. Truth is -1 where unknown.
func trustedLabels(c config.Config, truth []int, classes []string) ([]correction.Trusted, error) {
	if c.Trusted == "" {
		return nil, nil
	}
	if n, perClass, drawn := c.TrustedDraw(); drawn {
		order := rand.New(rand.NewPCG(config.Stream(c.Seed, "trusted"), 0)).Perm(len(truth))
		order = slices.DeleteFunc(order, func(i int) bool { return truth[i] < 0 })
		if len(order) == 0 {
			return nil, config.NewError(config.Problem{Key: "trusted", Text: fmt.Sprintf(
				"%s would draw true labels, which this data does not have; give a CSV file of index,label or, for own data, "+
					"the column of true labels (source.truth)", c.Trusted)})
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

// trusted returns the trusted labels among rows of the training examples, indexed by the place in rows.
func (r *run) trusted(rows []int) ([]correction.Trusted, error) {
	truth := trueLabels(r.Config, r.source.Train.Labels, r.source.Train.Truth)
	if _, _, drawn := r.TrustedDraw(); drawn {
		return trustedLabels(r.Config, dataset.Pick(truth, rows), r.source.Classes)
	}
	all, err := trustedLabels(r.Config, truth, r.source.Classes)
	if err != nil || len(rows) == len(r.source.Train.Labels) {
		return all, err
	}
	place := map[int]int{}
	for i, row := range rows {
		place[row] = i
	}
	var within []correction.Trusted
	for _, t := range all {
		if i, ok := place[t.Index]; ok {
			within = append(within, correction.Trusted{Index: i, Label: t.Label})
		}
	}
	return within, nil
}

// allTrusted returns the trusted labels of the examples that the run uses, indexed by the place in the training set.
func (r *run) allTrusted() ([]correction.Trusted, error) {
	rows := r.rows()
	known, err := r.trusted(rows)
	for i, t := range known {
		known[i].Index = rows[t.Index]
	}
	return known, err
}

// namedBy describes the trusted labels that named the rows of an estimate.
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

// estimate estimates T from a network's posteriors on the training and validation examples and, if configured, the test
// examples.
func (r *run) estimate(model nn.Module) (*estimators.Estimation, error) {
	rows := r.rows()
	logits, err := train.Logits(model, r.set(rows), r.BatchSize)
	if err != nil {
		return nil, err
	}
	if r.Estimator.Sample == config.AllSample {
		test := r.source.sets.Test
		test.Prepare = r.look()
		more, err := train.Logits(model, test, r.BatchSize)
		if err != nil {
			return nil, err
		}
		logits = append(logits, more...)
	}
	triples, err := r.triples(model, rows)
	if err != nil {
		return nil, err
	}
	return r.estimateFrom(logits, triples, rows)
}

// triples returns training examples with their nearest neighbours in the network's features if the estimator uses them,
// else nil.
func (r *run) triples(model nn.Module, rows []int) ([][3]int, error) {
	if !estimators.All.Named(r.Estimator.Name).Triples {
		return nil, nil
	}
	features, err := train.Features(model.(nn.Featured), r.set(rows), r.BatchSize)
	if err != nil {
		return nil, err
	}
	return similar.Triples(features, len(rows)), nil
}

// estimateFrom estimates T from logits and, if the estimator uses them, triples. The logits are for rows of the
// training examples, followed by examples without labels.
func (r *run) estimateFrom(logits []float32, triples [][3]int, rows []int) (*estimators.Estimation, error) {
	var noisy []int
	if len(logits) == len(rows)*len(r.source.Classes) {
		noisy = dataset.Pick(r.noisy, rows)
	}
	c := r.Estimator
	trusted, err := r.trusted(rows)
	if err != nil {
		return nil, err
	}
	return estimators.Estimate(r.source.Classes, logits, noisy, estimators.Options{
		Name: c.Name, Quantile: c.Quantile, Kappa: c.Kappa, Average: c.Average, Trusted: trusted, Triples: triples,
		Held: r.validationPlaces(rows),
	})
}

// validationPlaces returns the places in rows of the validation examples.
func (r *run) validationPlaces(rows []int) []int {
	_, validation := r.parts()
	kept := map[int]bool{}
	for _, row := range validation {
		kept[row] = true
	}
	var places []int
	for i, row := range rows {
		if kept[row] {
			places = append(places, i)
		}
	}
	return places
}
