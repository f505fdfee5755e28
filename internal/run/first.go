package run

import (
	"fmt"
	"os"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// firstRun is the cross-entropy run from whose network a run's T is estimated.
type firstRun struct {
	folder *store.Folder
	result store.Result
}

// openFirst reads the cross-entropy run of a job. It is nil where the loss needs none.
func openFirst(job *store.Job) (*firstRun, error) {
	if job.Config.LossEntry().T != losses.EstimatedT {
		return nil, nil
	}
	result, err := job.DependencyFolder.Result()
	return &firstRun{job.DependencyFolder, result}, err
}

// spoiled reports whether the run diverged and left no network to estimate T from.
func (f *firstRun) spoiled() bool {
	return f != nil && f.result.State == store.Diverged && f.estimated() == nil
}

// estimated returns the rows of the run's own T-hat, nil if it has none.
func (f *firstRun) estimated() [][]float64 {
	if f.result.Transition == nil {
		return nil
	}
	return f.result.Transition.Estimated
}

// spoils returns the result of a run whose cross-entropy run is spoiled: it is diverged
// too, with the accuracy of that run and no epochs of its own.
func (f *firstRun) spoils(folder *store.Folder, m *material) (store.Result, error) {
	return store.Result{
		Selected: f.result.Selected, Last: f.result.Last, State: store.Diverged, DataVariant: m.source.variant,
		Warnings: []string{fmt.Sprintf("cross-entropy run %s diverged and left no network to estimate T from: "+
			"this run counts as diverged, with its accuracy; try a lower optimizer.learning_rate", f.folder.ID)},
	}, os.WriteFile(folder.Path(store.MetricsFile), nil, 0o666)
}

// estimate returns T-hat by the estimator of m. The cross-entropy run has written it if it
// had the same estimator and no file of trusted labels, which may have changed since.
// Otherwise T-hat is estimated again from that run's network, since one network serves all
// estimators.
func (f *firstRun) estimate(m *material, noise *labels) (*estimators.Estimation, error) {
	if rows := f.estimated(); rows != nil && sameEstimate(f.result.Config, m.Config) {
		t, err := correction.NewMatrix(f.result.Transition.Classes, rows)
		return &estimators.Estimation{T: t, Disagreement: f.result.Transition.Disagreement, Warnings: f.result.Warnings}, err
	}
	model, err := f.model(m)
	if err != nil {
		return nil, err
	}
	return m.estimate(noise, model)
}

// sameEstimate reports whether two configurations estimate the same T-hat from a network.
func sameEstimate(a, b config.Config) bool {
	_, _, drawn := b.TrustedDraw()
	return a.Estimator == b.Estimator && a.Trusted == b.Trusted && (drawn || b.Trusted == "")
}

// model returns the network of the cross-entropy run.
func (f *firstRun) model(m *material) (nn.Module, error) {
	model, err := m.newModel(nil)
	if err != nil {
		return nil, err
	}
	weights, _, err := torch.LoadSafetensors(f.folder.Path(store.CheckpointsDir, train.BestFile))
	if err != nil {
		return nil, err
	}
	return model, nn.LoadState(model.Parameters(), weights)
}
