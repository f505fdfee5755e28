package run

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// crossEntropy is the loss of the first network.
func (r *run) crossEntropy() losses.Loss {
	return losses.NewCrossEntropy(losses.Options{Options: torch.Options{Device: r.device}})
}

// readFirst reads the result of the cross-entropy run if the loss estimates T from its network.
func (r *run) readFirst() (err error) {
	if r.LossEntry().T == losses.EstimatedT {
		r.first, err = r.job.DependencyFolder.Result()
	}
	return err
}

// chooseLoss gives the loss its T: the known one, or the estimate from the cross-entropy run.
func (r *run) chooseLoss() (err error) {
	entry := r.LossEntry()
	if entry.T == losses.EstimatedT {
		if r.estimated, err = r.estimateOfFirst(); err != nil {
			return fmt.Errorf("the estimate of cross-entropy run %s: %w", r.job.DependencyFolder.ID, err)
		}
		r.t = r.estimated.T
	} else if r.t, err = r.ofLoss(r.Config); err != nil {
		return err
	}
	o := losses.Options{
		Clip: r.Clip, Settings: r.LossSettings, Rows: len(r.noisy), Shares: r.shares(),
		Options: torch.Options{Device: r.device},
	}
	if entry.Trusted {
		if o.Trusted, err = r.allTrusted(); err != nil {
			return err
		}
	}
	if entry.Targets {
		if o.Targets, err = readTargets(r.Config, len(r.noisy), r.t.Dim()); err != nil {
			return err
		}
	}
	r.loss, err = entry.New(r.t, o)
	return err
}

// estimateOfFirst returns T-hat by the configured estimator. It uses the cross-entropy run's own T-hat if that has the
// same estimator and no file of trusted labels, which may have changed since. Otherwise it estimates again from that
// run's network, which serves all estimators.
func (r *run) estimateOfFirst() (*estimators.Estimation, error) {
	_, _, drawn := r.TrustedDraw()
	same := r.first.Config.Estimator == r.Estimator && r.first.Config.Trusted == r.Trusted && (drawn || r.Trusted == "")
	if rows := estimateOf(r.first); rows != nil && same {
		info := r.first.Transition
		t, err := correction.NewMatrix(info.Classes, rows)
		return &estimators.Estimation{T: t, Disagreement: info.Disagreement, Warnings: r.first.Warnings}, err
	}
	model, err := r.firstModel()
	if err != nil {
		return nil, err
	}
	return r.estimate(model)
}

// estimateOf returns the rows of a result's T-hat, nil if it has none.
func estimateOf(result store.Result) [][]float64 {
	if result.Transition == nil {
		return nil
	}
	return result.Transition.Estimated
}

// firstModel returns the network of the cross-entropy run.
func (r *run) firstModel() (nn.Module, error) {
	model, err := r.newModel("init", nil)
	if err != nil {
		return nil, err
	}
	weights, _, err := torch.LoadSafetensors(r.job.DependencyFolder.Path(store.CheckpointsDir, train.BestFile))
	if err != nil {
		return nil, err
	}
	return model, nn.LoadState(model.Parameters(), weights)
}

// readTargets reads the targets of n training examples, for losses that train on them.
func readTargets(c config.Config, n, classes int) (targets []float32, err error) {
	a, err := npy.Open(c.Targets)
	if err != nil {
		return nil, dataset.Errorf("the targets: %w", err)
	}
	defer func() { _ = a.Close() }()
	if !slices.Equal(a.Shape, []int{n, classes}) {
		return nil, dataset.Errorf("%s has shape %v, want a row for each of %d training examples and a column for each of "+
			"%d classes", c.Targets, a.Shape, n, classes)
	}
	if targets, err = a.Float32s(); err != nil {
		return nil, dataset.Errorf("the targets: %w", err)
	}
	some := false
	for k, v := range targets {
		if !(v >= 0 && v-v == 0) {
			return nil, dataset.Errorf("%s: row %d, column %d (from 0) is %v, want a probability", c.Targets, k/classes,
				k%classes, v)
		}
		some = some || v > 0
	}
	if !some {
		return nil, dataset.Errorf("%s contains only zeros", c.Targets)
	}
	return targets, nil
}
