package find

import (
	"fmt"
	"path/filepath"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
)

// networks are the networks of one stage, one for each part of the data.
type networks struct {
	runs   []config.Config
	logits []float32 // [N C], out of fold
}

// first returns the runs of the first stage: cross-entropy on all parts but one.
func first(c config.Config) []config.Config {
	c.Loss, c.Transition = losses.FirstLoss, ""
	runs := make([]config.Config, c.Folds.Count)
	for k := range runs {
		c.Folds.Out = k + 1
		runs[k] = c
	}
	return runs
}

// second returns the runs of the second stage: forward correction by T-hat after one epoch of
// cross-entropy, which keeps most networks from taking one class for another. T-hat is a file beside
// the runs, since the one in the folder is the result of a whole audit, and a run's config.yaml must
// name everything that repeats the run.
func second(f *audit.Folder, firsts []config.Config, t *correction.Matrix) ([]config.Config, error) {
	transition, err := filepath.Abs(f.Path(audit.RunsDir, audit.TransitionFile))
	if err != nil {
		return nil, err
	}
	if err := t.WriteCSV(transition); err != nil {
		return nil, err
	}
	runs := make([]config.Config, len(firsts))
	for k, c := range firsts {
		c.Loss, c.Transition = "forward", transition
		if c.Epochs > 1 {
			c.WarmupEpochs = 1
		}
		runs[k] = c
	}
	return runs, nil
}

// trapped returns the parts whose network takes a class for another, and these classes.
func (n networks) trapped(e *estimators.Estimation, data *dataset.Dataset) map[int][]int {
	out := map[int][]int{}
	classes := len(data.Classes)
	for k, c := range n.runs {
		held := run.OutOfFold(c, data.Train.Labels, data.Train.Group)
		var logits []float32
		for _, row := range held {
			logits = append(logits, n.logits[row*classes:(row+1)*classes]...)
		}
		if bad := e.Trapped(correction.Softmax(logits, classes), held); len(bad) > 0 {
			out[k] = bad
		}
	}
	return out
}

// again returns the second-stage run for a trapped network: from the first stage's weights, without
// warm-up.
func again(f *audit.Folder, second, first config.Config) (config.Config, error) {
	weights, err := filepath.Abs(f.Path(audit.RunsDir, first.ID(), store.CheckpointsDir, train.BestFile))
	second.Weights, second.WarmupEpochs = weights, 0
	return second, err
}

// train does the remaining runs of a stage and collects their logits.
func (a *work) train(f *audit.Folder, runs []config.Config, stage int) (networks, error) {
	n, data := networks{runs: runs}, a.Data
	if err := a.Train(store.NewPlan(runs), f.Path(audit.RunsDir)); err != nil {
		return n, err
	}
	classes := len(data.Classes)
	n.logits = make([]float32, data.Train.Len()*classes)
	for k, c := range runs {
		folder := store.At(f.Path(audit.RunsDir), c.ID())
		result, err := folder.Result()
		if err != nil {
			return n, err
		}
		if result.State == store.Diverged {
			return n, fmt.Errorf("the network of part %d diverged (%s): lower the rate with optimizer.learning_rate=%v", k+1,
				folder.Dir(), c.Optimizer.LearningRate/10)
		}
		rows := run.OutOfFold(c, data.Train.Labels, data.Train.Group)
		logits, err := folder.Logits(len(rows), classes)
		if err != nil {
			return n, err
		}
		for i, row := range rows {
			copy(n.logits[row*classes:], logits[i*classes:(i+1)*classes])
		}
	}
	return n, nil
}
