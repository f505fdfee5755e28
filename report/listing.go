package report

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/store"
)

// outcome is a column of a listing that is not a setting.
type outcome struct {
	name string
	kind reflect.Kind
	of   func(*Run) any
}

// finished is a column of what only a finished run has.
func finished(name string, kind reflect.Kind, of func(*store.Result) any) outcome {
	return outcome{name, kind, func(r *Run) any {
		if r.Result == nil {
			return nil
		}
		return of(r.Result)
	}}
}

// estimated is a column of what only a run with an estimate of T has.
func estimated(name string, kind reflect.Kind, of func(*store.TransitionInfo) any) outcome {
	return finished(name, kind, func(r *store.Result) any {
		if r.Transition == nil || r.Transition.Estimated == nil {
			return nil
		}
		return of(r.Transition)
	})
}

// measured is an accuracy on a test set or an error of T-hat, nil where the data has no test
// set or T is not known.
func measured(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

var before = []outcome{
	{"id", reflect.String, func(r *Run) any { return r.ID }},
	{"state", reflect.String, func(r *Run) any { return r.State }},
}

var after = []outcome{
	{"epoch", reflect.Int64, func(r *Run) any { return int64(r.Epoch()) }},
	finished("selected", reflect.Float64, func(r *store.Result) any { return measured(r.Selected.TestAccuracy) }),
	finished("last", reflect.Float64, func(r *store.Result) any { return measured(r.Last.TestAccuracy) }),
	finished("selected_epoch", reflect.Int64, func(r *store.Result) any { return int64(r.Selected.Epoch) }),
	finished("train_loss", reflect.Float64, func(r *store.Result) any { return r.Selected.TrainLoss }),
	finished("val_loss", reflect.Float64, func(r *store.Result) any { return r.Selected.ValLoss }),
	finished("val_accuracy", reflect.Float64, func(r *store.Result) any { return r.Selected.ValAccuracy }),
	estimated("estimate_error", reflect.Float64, func(t *store.TransitionInfo) any { return measured(t.EstimateError) }),
	estimated("rows_permuted", reflect.Bool, func(t *store.TransitionInfo) any { return t.RowsPermuted }),
	finished("learned_error", reflect.Float64, func(r *store.Result) any {
		if r.Transition == nil || r.Transition.Learned == nil {
			return nil
		}
		return measured(r.Transition.LearnedError)
	}),
	finished("warnings", reflect.Int64, func(r *store.Result) any { return int64(len(r.Warnings)) }),
	{"seconds", reflect.Float64, func(r *Run) any { return r.Seconds() }},
	finished("finished", reflect.String, func(r *store.Result) any { return r.Finished }),
	finished("data_variant", reflect.String, func(r *store.Result) any { return r.DataVariant }),
}

// circumstances are where and by what a run was done.
var circumstances = []outcome{
	finished("revision", reflect.String, func(r *store.Result) any { return r.Code().Mark() }),
	{"cpu", reflect.String, func(r *Run) any { return r.Environment.Processors() }},
	{"libtorch", reflect.String, func(r *Run) any { return r.Environment.Libtorch["version"] }},
	{"error", reflect.String, func(r *Run) any { return r.Status.Error }},
	{"folder", reflect.String, func(r *Run) any { return r.Dir }},
}

// ShortColumns are those of a listing for people.
var ShortColumns = []string{
	"id", "state", "dataset", "model", "preset", "noise.kind", "noise.level", "loss", "seed", "selected", "last", "seconds",
}

// List puts the runs of a study, finished or not, into one table, one a row:
// their settings by dotted key, and what came of them. Accuracies are in per
// cent; losses and val_accuracy are those of the selected epoch. The rows are in
// the order of the paper's tables.
func List(s *Study) *Sheet {
	outcomes := slices.Concat(after, circumstances)
	l := newListing("runs")
	for _, o := range outcomes {
		l.column(o.name, o.kind, false)
	}
	for _, r := range ordered(s) {
		l.Rows = append(l.Rows, append(described(r), values(outcomes, r)...))
	}
	return l
}

// newListing returns a sheet of what describes a run, without rows.
func newListing(each string) *Sheet {
	l := &Sheet{each: each}
	for _, o := range before {
		l.column(o.name, o.kind, false)
	}
	for _, s := range settings(config.Config{}) {
		l.column(s.key, reflect.TypeOf(s.value).Kind(), true)
	}
	return l
}

func (s *Sheet) column(name string, kind reflect.Kind, setting bool) {
	number := kind == reflect.Float64 || kind == reflect.Int64 || kind == reflect.Uint64
	s.Columns = append(s.Columns, SheetColumn{Name: name, Kind: kind, Right: number, Setting: setting})
}

// described is the run in the columns of newListing.
func described(r *Run) []any {
	row := values(before, r)
	for _, s := range settings(r.Config) {
		if r.Config.Dataset == "" { // its configuration could not be read
			s.value = nil
		}
		row = append(row, s.value)
	}
	return row
}

func values(outcomes []outcome, r *Run) []any {
	var row []any
	for _, o := range outcomes {
		row = append(row, o.of(r))
	}
	return row
}

// ordered returns the runs in the order of the paper's tables.
func ordered(s *Study) []*Run {
	runs := slices.Clone(s.Runs)
	slices.SortStableFunc(runs, func(a, b *Run) int {
		x, y := a.Config, b.Config
		return cmp.Or(cmp.Compare(x.Dataset, y.Dataset), cmp.Compare(x.Model, y.Model), cmp.Compare(rank(x.Quick), rank(y.Quick)), cmp.Compare(x.Preset, y.Preset),
			cmp.Compare(columnRank(ColumnOf(x)), columnRank(ColumnOf(y))), cmp.Compare(x.Noise.Level, y.Noise.Level),
			cmp.Compare(lossRank(x.Loss), lossRank(y.Loss)), cmp.Compare(x.Loss, y.Loss), cmp.Compare(x.Seed, y.Seed))
	})
	return runs
}
