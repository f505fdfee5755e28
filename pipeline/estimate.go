package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/training"
)

// estimate estimates T from the selected network and writes T-hat into the run's folder.
func (e *execution) estimate(info *store.TransitionInfo) (warnings []string, err error) {
	found, err := e.readOff(e.model)
	if err != nil {
		// A network that diverged has no posterior; its run is a result all the same.
		return []string{"no estimate of T: " + err.Error()}, nil
	}
	e.estimated = found
	e.compare(info, found.T, found.Disagreement)
	return found.Warnings, found.T.WriteCSV(e.Folder.Path(store.EstimateFile))
}

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
				"%s is a number of true labels to draw, and the true labels of this data are not known; give a CSV file of index,label, or, for own data, the column of true labels (source.truth)", c.Trusted)})
		}
		if !perClass {
			order = order[:min(n, len(order))]
		}
		return correction.DrawTrusted(truth, order, n), nil
	}
	trusted, err := correction.ReadTrustedCSV(c.Trusted, len(truth), classes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrData, err)
	}
	return trusted, nil
}

// trusted returns the trusted labels among rows, a part of the training examples,
// indexed by the place in rows.
func (e *execution) trusted(rows []int64) ([]correction.Trusted, error) {
	truth := trueLabels(e.Config, e.source.clean, e.source.truth)
	if _, _, drawn := e.Config.TrustedDraw(); drawn {
		within := make([]int, len(rows))
		for i, r := range rows {
			within[i] = truth[r]
		}
		return trustedLabels(e.Config, within, e.source.classes)
	}
	all, err := trustedLabels(e.Config, truth, e.source.classes)
	if err != nil || len(rows) == len(e.source.clean) {
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
func (e *execution) known() ([]correction.Trusted, error) {
	rows := e.rows()
	known, err := e.trusted(rows)
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

// readOff estimates T from a network's posteriors on the training and the
// validation examples together and, if the configuration says so, on the test examples.
func (e *execution) readOff(model nn.Module) (*estimators.Estimation, error) {
	rows := e.rows()
	logits, err := training.Logits(model, e.set(rows), 2*e.Config.BatchSize)
	if err != nil {
		return nil, err
	}
	if e.Config.Estimator.Sample == "all" {
		test := e.source.test
		test.Prepare = e.look()
		more, err := training.Logits(model, test, 2*e.Config.BatchSize)
		if err != nil {
			return nil, err
		}
		logits = append(logits, more...)
	}
	triples, err := e.triples(model, rows)
	if err != nil {
		return nil, err
	}
	return e.estimateFrom(logits, triples, rows)
}

// triples returns training examples with their neighbours by the network's features where
// the estimator reads them, else nil.
func (e *execution) triples(model nn.Module, rows []int64) ([][3]int, error) {
	if !estimators.All.Named(e.Config.Estimator.Name).Triples {
		return nil, nil
	}
	features, err := training.Features(model.(nn.Featured), e.set(rows), 2*e.Config.BatchSize)
	if err != nil {
		return nil, err
	}
	return training.Triples(features, len(rows)), nil
}

// estimateFrom estimates T from the logits, and triples if the estimator reads them, of
// rows, a part of the training examples, and of examples behind them that have no labels.
func (e *execution) estimateFrom(logits []float32, triples [][3]int, rows []int64) (*estimators.Estimation, error) {
	var noisy []int
	if len(logits) == len(rows)*len(e.source.classes) {
		for _, r := range rows {
			noisy = append(noisy, e.noise.noisy[r])
		}
	}
	c := e.Config.Estimator
	trusted, err := e.trusted(rows)
	if err != nil {
		return nil, err
	}
	return estimators.Estimate(e.source.classes, logits, noisy, estimators.Options{
		Name: c.Name, Quantile: c.Quantile, Kappa: c.Kappa, Average: c.Average, Trusted: trusted, Triples: triples,
	})
}

// estimateOfFirst returns T-hat by this run's estimator. The cross-entropy run has
// written it if it had the same estimator and no file of trusted labels, which may have
// changed since. Otherwise T-hat is estimated again from that run's network, since one
// network serves all estimators.
func (e *execution) estimateOfFirst() (*estimators.Estimation, error) {
	first, err := e.DependencyFolder.Result()
	if err != nil {
		return nil, err
	}
	_, _, drawn := e.Config.TrustedDraw()
	if t := first.Transition; t != nil && t.Estimated != nil && first.Config.Estimator == e.Config.Estimator &&
		first.Config.Trusted == e.Config.Trusted && (drawn || e.Config.Trusted == "") {
		found := &estimators.Estimation{Disagreement: t.Disagreement, Warnings: first.Warnings}
		found.T, err = correction.NewMatrix(t.Classes, t.Estimated)
		return found, err
	}
	model, err := e.firstModel()
	if err != nil {
		return nil, err
	}
	return e.readOff(model)
}

// firstModel returns the network of the cross-entropy run.
func (e *execution) firstModel() (nn.Module, error) {
	model, err := e.newModel()
	if err != nil {
		return nil, err
	}
	weights, _, err := torch.LoadSafetensors(e.DependencyFolder.Path(store.CheckpointsDir, training.BestFile))
	if err != nil {
		return nil, err
	}
	return model, nn.LoadState(model.Parameters(), weights)
}

// divergedFirst returns the result of this run's cross-entropy run if that diverged and
// left no network to estimate T from; else nil.
func (e *execution) divergedFirst() (*store.Result, error) {
	if e.Config.LossEntry().T != losses.EstimatedT {
		return nil, nil
	}
	first, err := e.DependencyFolder.Result()
	if err != nil || first.State != store.Diverged {
		return nil, err
	}
	if first.Transition == nil || first.Transition.Estimated == nil {
		return &first, nil
	}
	return nil, nil
}

// withoutEstimate returns the result of a run whose cross-entropy run diverged: it is
// diverged too, with the accuracy of that run and no epochs of its own.
func (e *execution) withoutEstimate(first *store.Result) (store.Result, error) {
	return store.Result{
		Selected: first.Selected, Last: first.Last, State: store.Diverged, DataVariant: e.source.variant,
		Warnings: []string{fmt.Sprintf("cross-entropy run %s diverged and left no network to estimate T from: "+
			"this run counts as diverged, with its accuracy; try a lower optimizer.learning_rate", e.DependencyFolder.ID)},
	}, os.WriteFile(e.Folder.Path(store.MetricsFile), nil, 0o666)
}

// compare records an estimate and its distance from the true matrix.
func (e *execution) compare(info *store.TransitionInfo, t *correction.Matrix, disagreement float64) {
	info.Estimated = t.Rows()
	info.NamedBy, info.Disagreement = namedBy(e.Config), disagreement
	info.EstimateError = e.distance(t)
	info.RowsPermuted = e.noise.nominal != nil && correction.RowsPermuted(t, e.noise.nominal)
}

// describeLearned records the T that the loss has learned with the network, if it does: one
// that has diverged has learned none.
func (e *execution) describeLearned(info *store.TransitionInfo) {
	learner, ok := e.loss.(losses.Learner)
	if !ok {
		return
	}
	t := learner.Learned()
	if slices.ContainsFunc(slices.Concat(t.Rows()...), math.IsNaN) {
		return
	}
	info.Learned, info.LearnedError = t.Rows(), e.distance(t)
}

// distance returns the error of an estimate of T, NaN if T is unknown.
func (e *execution) distance(t *correction.Matrix) float64 {
	if e.noise.nominal == nil {
		return math.NaN()
	}
	return correction.RowError(t, e.noise.nominal)
}
