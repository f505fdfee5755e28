package report

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/losscorr/losscorr/training/metrics"
)

// course is what an epoch has measured.
var course = []struct {
	name string
	kind reflect.Kind
	of   func(metrics.Epoch) any
}{
	{"epoch", reflect.Int64, func(e metrics.Epoch) any { return int64(e.Epoch) }},
	{"learning_rate", reflect.Float64, func(e metrics.Epoch) any { return e.LearningRate }},
	{"train_loss", reflect.Float64, func(e metrics.Epoch) any { return e.TrainLoss }},
	{"val_loss", reflect.Float64, func(e metrics.Epoch) any { return e.ValLoss }},
	{"val_accuracy", reflect.Float64, func(e metrics.Epoch) any { return e.ValAccuracy }},
	{"test_accuracy", reflect.Float64, func(e metrics.Epoch) any { return measured(e.TestAccuracy) }},
	{"seconds", reflect.Float64, func(e metrics.Epoch) any { return e.Seconds }},
}

// ShortEpochColumns are those of a listing of epochs for people.
var ShortEpochColumns = []string{
	"id", "noise.kind", "noise.level", "loss", "seed", "epoch", "train_loss", "val_loss", "val_accuracy", "test_accuracy",
}

// ListEpochs puts the wanted epochs of a study's runs into one table, one a row: the
// settings of the run and what the epoch has measured, accuracies in per cent. Runs are in
// the order of List. The error names the metrics that could not be read; the sheet has
// the others.
func ListEpochs(s *Study, wanted func(epoch int) bool) (*Sheet, error) {
	l := newListing("epochs")
	for _, c := range course {
		l.column(c.name, c.kind, false)
	}
	for _, o := range circumstances {
		l.column(o.name, o.kind, false)
	}
	var damage []error
	for _, r := range ordered(s) {
		epochs, err := r.Epochs()
		damage = append(damage, err)
		for _, e := range epochs {
			if !wanted(e.Epoch) {
				continue
			}
			row := described(r)
			for _, c := range course {
				row = append(row, c.of(e))
			}
			l.Rows = append(l.Rows, append(row, values(circumstances, r)...))
		}
	}
	if err := errors.Join(damage...); err != nil {
		return l, fmt.Errorf("report: list epochs: %w", err)
	}
	return l, nil
}
