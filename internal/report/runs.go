package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// outcome is a column of a list of runs.
type outcome struct {
	name string
	of   func(*Run) any
}

// finished returns a column that only finished runs have.
func finished(name string, of func(*store.Result) any) outcome {
	return outcome{name, func(r *Run) any {
		if r.Result == nil {
			return nil
		}
		return of(r.Result)
	}}
}

// estimated returns a column that only runs with an estimate of T have.
func estimated(name string, of func(*store.TransitionInfo) any) outcome {
	return finished(name, func(r *store.Result) any {
		if r.Transition == nil || r.Transition.Estimated == nil {
			return nil
		}
		return of(r.Transition)
	})
}

// measured returns an accuracy on a test set or an error of T-hat, or nil if there is no test
// set or T is unknown.
func measured(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

var before = []outcome{
	{"id", func(r *Run) any { return r.ID }},
	{"state", func(r *Run) any { return r.State }},
}

var after = []outcome{
	{"epoch", func(r *Run) any { return r.Epoch() }},
	finished("selected", func(r *store.Result) any { return measured(r.Selected.TestAccuracy) }),
	finished("last", func(r *store.Result) any { return measured(r.Last.TestAccuracy) }),
	finished("selected_epoch", func(r *store.Result) any { return r.Selected.Epoch }),
	finished("train_loss", func(r *store.Result) any { return r.Selected.TrainLoss }),
	finished("val_loss", func(r *store.Result) any { return r.Selected.ValLoss }),
	finished("val_accuracy", func(r *store.Result) any { return r.Selected.ValAccuracy }),
	estimated("estimate_error", func(t *store.TransitionInfo) any { return measured(float64(t.EstimateError)) }),
	estimated("rows_permuted", func(t *store.TransitionInfo) any { return t.RowsPermuted }),
	finished("learned_error", func(r *store.Result) any {
		if r.Transition == nil || r.Transition.Learned == nil {
			return nil
		}
		return measured(float64(r.Transition.LearnedError))
	}),
	finished("warnings", func(r *store.Result) any { return len(r.Warnings) }),
	{"seconds", func(r *Run) any { return r.Seconds() }},
	finished("finished", func(r *store.Result) any { return r.Finished }),
	finished("data_variant", func(r *store.Result) any { return r.DataVariant }),
	// machine and program of the run
	finished("revision", func(r *store.Result) any { return r.Mark() }),
	{"cpu", func(r *Run) any { return r.Environment.Processors() }},
	{"libtorch", func(r *Run) any { return r.Environment.Libtorch["version"] }},
	{"error", func(r *Run) any { return humanize.Visible(r.Status.Error) }},
	{"folder", func(r *Run) any { return r.Dir }},
}

// List returns a table with a row for each run of a study, finished or not: settings by dotted
// key, and results. Accuracies are in per cent; losses and val_accuracy are from the selected
// epoch. The rows are in the order of the paper's tables.
func List(s *Study) *Table {
	columns := slices.Clone(before)
	for _, s := range config.Settings {
		columns = append(columns, outcome{s.Key, func(r *Run) any {
			if r.Config.Dataset == "" { // its configuration could not be read
				return nil
			}
			return valueText(s, r.Config)
		}})
	}
	columns = append(columns, after...)
	l := new(Table)
	for _, o := range columns {
		l.Headings = append(l.Headings, Heading{Name: o.name})
	}
	for _, r := range ordered(s) {
		row := make([]string, len(columns))
		for k, o := range columns {
			row[k] = exact(o.of(r))
		}
		l.Add(row...)
	}
	return l
}

// exact formats a value with all digits, and nil as empty.
func exact(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// ordered returns the runs in the order of the paper's tables.
func ordered(s *Study) []*Run {
	runs := slices.Clone(s.Runs)
	slices.SortStableFunc(runs, func(a, b *Run) int {
		x, y := a.Config, b.Config
		return cmp.Or(cmp.Compare(x.Dataset, y.Dataset), cmp.Compare(x.Model, y.Model),
			cmp.Compare(flag(x.Quick), flag(y.Quick)), cmp.Compare(x.Preset, y.Preset),
			cmp.Compare(columnRank(ColumnOf(x)), columnRank(ColumnOf(y))), cmp.Compare(x.Noise.Level, y.Noise.Level),
			cmp.Compare(lossRank(x.Loss), lossRank(y.Loss)), cmp.Compare(x.Loss, y.Loss), cmp.Compare(x.Seed, y.Seed))
	})
	return runs
}
