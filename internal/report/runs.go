package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// outcomes are the columns of a list of runs after its settings.
var outcomes = []string{"epoch", "selected", "last", "selected_epoch", "train_loss", "val_loss", "val_accuracy",
	"estimate_error", "rows_permuted", "learned_error", "warnings", "seconds", "finished", "data_variant", "revision",
	"cpu", "libtorch", "error", "folder"}

// outcome returns the texts of these columns.
func (r *Run) outcome() []string {
	texts := map[string]string{"epoch": strconv.Itoa(r.Epoch()), "seconds": exact(r.Seconds()),
		"cpu": r.Environment.Processors(), "libtorch": r.Environment.Libtorch["version"],
		"error": humanize.Visible(r.Status.Error), "folder": r.Dir}
	if result := r.Result; result != nil {
		e := result.Selected
		maps.Copy(texts, map[string]string{
			"selected": measured(e.TestAccuracy), "last": measured(result.Last.TestAccuracy),
			"selected_epoch": strconv.Itoa(e.Epoch), "train_loss": exact(e.TrainLoss), "val_loss": exact(e.ValLoss),
			"val_accuracy": exact(e.ValAccuracy), "warnings": strconv.Itoa(len(result.Warnings)),
			"finished": result.Finished, "data_variant": result.DataVariant, "revision": result.Mark(),
		})
		t := cmp.Or(result.Transition, &store.TransitionInfo{})
		if t.Estimated != nil {
			texts["estimate_error"] = measured(float64(t.EstimateError))
			texts["rows_permuted"] = strconv.FormatBool(t.RowsPermuted)
		}
		if t.Learned != nil {
			texts["learned_error"] = measured(float64(t.LearnedError))
		}
	}
	row := make([]string, len(outcomes))
	for k, name := range outcomes {
		row[k] = texts[name]
	}
	return row
}

// exact formats a number with all digits.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// measured is exact for an accuracy on a test set or an error of T-hat, or "" without a test set or a known T.
func measured(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return exact(v)
}

// List returns a table with a row for each run of a study, finished or not: settings by dotted
// key, and results. Accuracies are in per cent; losses and val_accuracy are from the selected
// epoch. The rows are in the order of the paper's tables.
func List(s *Study) *Table {
	l := &Table{Headings: Headings("id", "state")}
	for _, s := range config.Settings {
		l.Headings = append(l.Headings, Heading{Name: s.Key})
	}
	l.Headings = append(l.Headings, Headings(outcomes...)...)
	for _, r := range ordered(s) {
		texts := []string{r.ID, r.State}
		for _, s := range config.Settings {
			text := ""
			if r.Config.Dataset != "" { // else its configuration could not be read
				text = valueText(s, r.Config)
			}
			texts = append(texts, text)
		}
		l.Add(append(texts, r.outcome()...)...)
	}
	return l
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
