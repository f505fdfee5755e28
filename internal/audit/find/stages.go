package find

import (
	"context"
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

// networks are those of a stage, one for each part of the data.
type networks struct {
	runs   []config.Config
	logits []float32 // [N C], of each example from the network that has not seen it
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

// second returns the runs of the second stage: forward correction by T-hat, after one
// epoch of cross-entropy, which keeps most networks out of forward's trap.
// T-hat lies beside the runs: that in the folder is the result of a whole audit. It goes to them by its
// file, as any T of a user does, for a run's config.yaml names all that the run is repeated from.
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

// trapped returns the parts whose network takes a class for another, with these classes.
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

// again returns the run of the second stage for a network in the trap: from the weights
// of the first stage's network, without warm-up.
func again(f *audit.Folder, second, first config.Config) (config.Config, error) {
	weights, err := filepath.Abs(f.Path(audit.RunsDir, first.ID(), store.CheckpointsDir, train.BestFile))
	second.Weights, second.WarmupEpochs = weights, 0
	return second, err
}

// train does the runs of a stage that are left and collects their logits.
func (a work) train(ctx context.Context, f *audit.Folder, runs []config.Config, stage int) (networks, error) {
	n, data := networks{runs: runs}, a.Data
	if err := a.Do(ctx, store.NewPlan(runs), stage); err != nil {
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
			return n, fmt.Errorf("the network of part %d diverged (%s): lower its rate with optimizer.learning_rate=%v", k+1,
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
