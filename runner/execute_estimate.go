package runner

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/training"
)

// estimate reads T-hat off the selected network and leaves it beside the run.
func (e *execution) estimate(info *TransitionInfo) (warnings []string, err error) {
	found, err := e.readOff(e.model)
	if err != nil {
		// A network that diverged has no posterior to read; its run stands.
		return []string{"no estimate of T: " + err.Error()}, nil
	}
	e.compare(info, found.T)
	return found.Warnings, found.T.WriteCSV(e.Folder.Path(EstimateFile))
}

// readOff estimates T from a network's posteriors on the training and the
// validation examples together.
func (e *execution) readOff(model nn.Module) (*correction.Estimation, error) {
	every := torch.Arange(0, float64(len(e.source.clean)), 1, torch.Options{DType: torch.Int64, Device: e.device})
	set := training.Set{X: e.source.train, Y: e.noise.tensor(e.device), Index: every}
	c := e.Config.Estimator
	return correction.Estimate(e.source.classes, training.Logits(model, set), e.noise.noisy, correction.EstimatorOptions{
		Name: c.Name, Quantile: c.Quantile, Kappa: c.Kappa, Average: c.Average,
	})
}

// estimateOfFirst is T-hat by this run's estimator. The cross-entropy run has
// left it where it was asked for the same estimator; else it is read off that
// run's network anew, for one network serves all estimators.
func (e *execution) estimateOfFirst() (*correction.Matrix, error) {
	first, err := e.DependencyFolder.Result()
	if err != nil {
		return nil, err
	}
	if first.Config.Estimator == e.Config.Estimator {
		return correction.ReadMatrixCSV(e.DependencyFolder.Path(EstimateFile))
	}
	model, err := e.newModel()
	if err != nil {
		return nil, err
	}
	weights, _, err := torch.LoadSafetensors(e.DependencyFolder.Path(CheckpointsDir, training.BestFile))
	if err != nil {
		return nil, err
	}
	if err := nn.LoadState(model.Parameters(), weights); err != nil {
		return nil, err
	}
	found, err := e.readOff(model)
	if err != nil {
		return nil, err
	}
	for _, warning := range found.Warnings {
		e.Warn(fmt.Errorf("estimate of T: %s", warning))
	}
	return found.T, nil
}

// compare records an estimate beside the matrix that made the noise.
func (e *execution) compare(info *TransitionInfo, t *correction.Matrix) {
	info.Estimated = t.Rows()
	info.EstimateError = correction.RowError(t, e.noise.t)
	info.RowsPermuted = correction.RowsPermuted(t, e.noise.t)
}
