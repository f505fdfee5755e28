package report

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/store"
)

// Listing is a table of runs, one a row. An entry is a string, bool, int64,
// uint64 or float64 as its column says, or nil where the run has none.
type Listing struct {
	Columns []ListColumn
	Rows    [][]any
}

// ListColumn is a column of a Listing.
type ListColumn struct {
	Name    string
	Kind    reflect.Kind // of its entries: String, Bool, Int64, Uint64 or Float64
	Setting bool         // a key of the configuration
}

// outcome is a column that is not a setting.
type outcome struct {
	name string
	kind reflect.Kind
	of   func(*Record) any
}

// finished is a column of what only a finished run has.
func finished(name string, kind reflect.Kind, of func(*store.Result) any) outcome {
	return outcome{name, kind, func(r *Record) any {
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

var before = []outcome{
	{"id", reflect.String, func(r *Record) any { return r.ID }},
	{"state", reflect.String, func(r *Record) any { return r.State() }},
}

var after = []outcome{
	{"epoch", reflect.Int64, func(r *Record) any {
		if r.Result != nil {
			return int64(r.Result.Last.Epoch)
		}
		return int64(r.Status.Epoch)
	}},
	finished("selected", reflect.Float64, func(r *store.Result) any { return r.Selected.TestAccuracy }),
	finished("last", reflect.Float64, func(r *store.Result) any { return r.Last.TestAccuracy }),
	finished("selected_epoch", reflect.Int64, func(r *store.Result) any { return int64(r.Selected.Epoch) }),
	finished("train_loss", reflect.Float64, func(r *store.Result) any { return r.Selected.TrainLoss }),
	finished("val_loss", reflect.Float64, func(r *store.Result) any { return r.Selected.ValLoss }),
	finished("val_accuracy", reflect.Float64, func(r *store.Result) any { return r.Selected.ValAccuracy }),
	estimated("estimate_error", reflect.Float64, func(t *store.TransitionInfo) any { return t.EstimateError }),
	estimated("rows_permuted", reflect.Bool, func(t *store.TransitionInfo) any { return t.RowsPermuted }),
	finished("warnings", reflect.Int64, func(r *store.Result) any { return int64(len(r.Warnings)) }),
	{"seconds", reflect.Float64, func(r *Record) any { return r.Seconds() }},
	finished("finished", reflect.String, func(r *store.Result) any { return r.Finished }),
	finished("data_variant", reflect.String, func(r *store.Result) any { return r.DataVariant }),
	{"error", reflect.String, func(r *Record) any { return r.Status.Error }},
	{"folder", reflect.String, func(r *Record) any { return r.Dir }},
}

// ShortColumns are those of a listing for people.
var ShortColumns = []string{
	"id", "state", "dataset", "model", "preset", "noise.kind", "noise.level", "loss", "seed", "selected", "last", "seconds",
}

// List puts the runs of a study, finished or not, into one table: their
// settings by dotted key, and what came of them. Accuracies are in per cent;
// losses and val_accuracy are those of the selected epoch. The rows are in the
// order of the paper's tables.
func List(s *Study) *Listing {
	l := &Listing{}
	for _, o := range before {
		l.Columns = append(l.Columns, ListColumn{Name: o.name, Kind: o.kind})
	}
	for _, s := range settings(config.Config{}) {
		l.Columns = append(l.Columns, ListColumn{Name: s.key, Kind: reflect.TypeOf(s.value).Kind(), Setting: true})
	}
	for _, o := range after {
		l.Columns = append(l.Columns, ListColumn{Name: o.name, Kind: o.kind})
	}
	records := slices.Clone(s.Records)
	slices.SortStableFunc(records, func(a, b *Record) int {
		x, y := a.Config, b.Config
		return cmp.Or(cmp.Compare(x.Dataset, y.Dataset), cmp.Compare(x.Model, y.Model), cmp.Compare(rank(x.Quick), rank(y.Quick)), cmp.Compare(x.Preset, y.Preset),
			cmp.Compare(columnRank(ColumnOf(x)), columnRank(ColumnOf(y))), cmp.Compare(x.Noise.Level, y.Noise.Level),
			cmp.Compare(lossRank(x.Loss), lossRank(y.Loss)), cmp.Compare(x.Loss, y.Loss), cmp.Compare(x.Seed, y.Seed))
	})
	for _, r := range records {
		var row []any
		for _, o := range before {
			row = append(row, o.of(r))
		}
		for _, s := range settings(r.Config) {
			if r.Config.Dataset == "" { // its configuration could not be read
				s.value = nil
			}
			row = append(row, s.value)
		}
		for _, o := range after {
			row = append(row, o.of(r))
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// Names returns the names of the columns.
func (l *Listing) Names() []string {
	names := make([]string, len(l.Columns))
	for k, c := range l.Columns {
		names[k] = c.Name
	}
	return names
}

// Index returns the place of a column, or -1.
func (l *Listing) Index(name string) int { return slices.Index(l.Names(), name) }

// Keep drops the rows of which keep is false. The function it is given returns
// the text of a row's entry by the name of its column.
func (l *Listing) Keep(keep func(entry func(name string) string) bool) {
	l.Rows = slices.DeleteFunc(l.Rows, func(row []any) bool {
		return !keep(func(name string) string { return entryText(row[l.Index(name)]) })
	})
}

// Select returns the columns of these names, which have to be there.
func (l *Listing) Select(names []string) *Listing {
	out := &Listing{Rows: make([][]any, len(l.Rows))}
	for _, name := range names {
		k := l.Index(name)
		out.Columns = append(out.Columns, l.Columns[k])
		for i, row := range l.Rows {
			out.Rows[i] = append(out.Rows[i], row[k])
		}
	}
	return out
}

// Changed names the settings that are not the same in all rows.
func (l *Listing) Changed() []string {
	var names []string
	for k, c := range l.Columns {
		if c.Setting && slices.ContainsFunc(l.Rows, func(row []any) bool { return row[k] != l.Rows[0][k] }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Sort sorts the rows by columns, the first one first; a name after a minus
// sign counts down. What a run lacks comes last.
func (l *Listing) Sort(names []string) {
	type key struct{ column, sign int }
	keys := make([]key, len(names))
	for i, name := range names {
		keys[i].sign = 1
		if down, ok := strings.CutPrefix(name, "-"); ok {
			name, keys[i].sign = down, -1
		}
		keys[i].column = l.Index(name)
	}
	slices.SortStableFunc(l.Rows, func(a, b []any) int {
		for _, k := range keys {
			x, y := a[k.column], b[k.column]
			switch {
			case x == nil && y == nil:
				continue
			case x == nil:
				return 1
			case y == nil:
				return -1
			}
			if c := k.sign * compare(x, y); c != 0 {
				return c
			}
		}
		return 0
	})
}

func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case uint64:
		return cmp.Compare(a, b.(uint64))
	case float64:
		return cmp.Compare(a, b.(float64))
	}
	return strings.Compare(entryText(a), entryText(b))
}

func entryText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
