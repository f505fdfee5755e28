package auditbench

import (
	"errors"
	"io/fs"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/tools/measured"
	"github.com/losscorr/losscorr/torch"
)

// signals are the average precisions of an audit's ranking and of what it is made of, each alone.
type signals struct {
	Ranking        float64
	Odds           float64 // by T and the networks of the last stage
	SelfConfidence float64 // of the networks of the first stage
	Neighbours     float64 // share of the 30 nearest with another label
	Discriminants  float64 // odds by T and linear discriminants of the features, fitted to the networks' true labels
}

// best is the highest one of the single signals.
func (s signals) best() float64 {
	return max(s.Odds, s.SelfConfidence, s.Neighbours, s.Discriminants)
}

// measureSignals ranks the labels of an audit of features by each signal.
func measureSignals(a audited, features []float32, labels []int, wrong []bool) (s signals, err error) {
	issues, err := a.folder.Issues()
	if err != nil {
		return s, err
	}
	order := make([]int, len(issues))
	for k, i := range issues {
		order[k] = i.Row
	}
	s.Ranking = measured.AveragePrecision(order, wrong)
	noisy, c, err := a.folder.Noisy()
	if err != nil {
		return s, err
	}
	self, err := judging.SelfConfidence(noisy, labels, c)
	if err != nil {
		return s, err
	}
	s.SelfConfidence = measured.AveragePrecision(self.Order(), wrong)
	t, err := correction.ReadMatrixCSV(a.folder.Path(audit.TransitionFile))
	if errors.Is(err, fs.ErrNotExist) { // of weak networks
		t, err = correction.ReadMatrixCSV(a.folder.Path(audit.RunsDir, audit.TransitionFile))
	}
	if err != nil {
		return s, err
	}
	logits, part, err := lastStage(a, labels, c)
	if err != nil {
		return s, err
	}
	clean, _, err := judging.Calibrate(logits, labels, t)
	if err != nil {
		return s, err
	}
	if s.Odds, err = oddsPrecision(clean, noisy, labels, t, wrong); err != nil {
		return s, err
	}
	if err := torch.Open(); err != nil {
		return s, err
	}
	if s.Neighbours, err = neighboursPrecision(features, labels, wrong); err != nil {
		return s, err
	}
	z := train.Discriminants(features, judging.TrueLabels(clean, labels, t), part, []float64{ridge})
	if clean, _, err = judging.Calibrate(z[0], labels, t); err != nil {
		return s, err
	}
	s.Discriminants, err = oddsPrecision(clean, noisy, labels, t, wrong)
	return s, err
}

// Of the signals.
const (
	neighbours = 30
	ridge      = .3
)

// oddsPrecision is the average precision of the odds by T.
func oddsPrecision(clean, noisy []float32, labels []int, t *correction.Matrix, wrong []bool) (float64, error) {
	a, err := judging.Audit(clean, labels, t)
	if err != nil {
		return 0, err
	}
	a.BreakTies(noisy)
	return measured.AveragePrecision(a.Order(), wrong), nil
}

// neighboursPrecision is the average precision of the share of neighbours with another label.
func neighboursPrecision(features []float32, labels []int, wrong []bool) (float64, error) {
	near := train.Nearest(features, len(labels), neighbours, nil)
	same := make([]float32, len(labels)*2) // shares of the same label and of another one
	for x := range labels {
		for _, m := range near[x*neighbours : (x+1)*neighbours] {
			if labels[m] == labels[x] {
				same[2*x] += 1. / neighbours
			} else {
				same[2*x+1] += 1. / neighbours
			}
		}
	}
	share, err := judging.SelfConfidence(same, make([]int, len(labels)), 2)
	if err != nil {
		return 0, err
	}
	return measured.AveragePrecision(share.Order(), wrong), nil
}

// lastStage returns the logits of the networks by which an audit has judged, out of fold, and the parts.
func lastStage(a audited, labels []int, c int) (logits []float32, part []int, err error) {
	logits, part = make([]float32, len(labels)*c), make([]int, len(labels))
	for k, id := range a.summary.Runs {
		folder := store.At(a.folder.Path(audit.RunsDir), id)
		settings, err := folder.Config()
		if err != nil {
			return nil, nil, err
		}
		rows := run.OutOfFold(settings, labels, nil)
		z, err := folder.Logits(len(rows), c)
		if err != nil {
			return nil, nil, err
		}
		for i, row := range rows {
			copy(logits[int(row)*c:], z[i*c:(i+1)*c])
			part[row] = k + 1
		}
	}
	return logits, part, nil
}
