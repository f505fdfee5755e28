package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/results/paper"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

// Table3 sets runs on Clothing1M beside rows 4 to 8 of the paper's Table 3. Rows
// 4 to 6 were trained on the million images with noisy labels, 7 and 8 on the
// 50,000 with clean ones, 8 from the network of row 6: its weights are the
// checkpoint of a run. Runs of a row in different settings have a line each, which says what
// differs from the preset's. Quick runs are counted only; the last column names the
// command that makes a row that is missing.
func Table3(finished []*Run) *Table {
	runs := make(map[int][]*Run)
	quick := make(map[int]int)  // scaled-down runs of each row
	ids := make(map[string]int) // row of each run
	for _, r := range finished {
		switch row := clothingRow(r.Config); {
		case row > 0 && r.Config.Quick:
			quick[row]++
		case row > 0:
			runs[row] = append(runs[row], r)
			ids[r.ID] = row
		}
	}
	t := &Table{
		Title:    "Table 3 of the paper: ResNet-50 on Clothing1M, test accuracy in %",
		Headings: Headings("row>", "loss", "init", "training", "seeds>", "selected>", "last>", "paper>", "diff>", "note"),
	}
	for _, p := range paper.Table3() {
		if p.Elsewhere {
			continue
		}
		published := fmt.Sprintf("%.2f", p.Accuracy)
		if len(runs[p.Row]) == 0 {
			t.Add(fmt.Sprint(p.Row), p.Loss, p.Init, p.Training, "-", "-", "-", published, "", missingNote(quick[p.Row]))
			continue
		}
		cells := Cells(withInit(runs[p.Row], ids))
		var lines [][]string
		for _, c := range cells {
			lines = append(lines, []string{
				fmt.Sprint(p.Row), rowName(c.Config, rowBase(c, cells)), c.Config.Weights, p.Training,
				fmt.Sprint(len(c.Seeds)), c.Selected.format("%.2f"), c.Last.format("%.2f"),
				published, signed("%+.2f", c.Selected.Mean-p.Accuracy), clothingNote(c),
			})
		}
		note := len(t.Headings) - 1
		slices.SortFunc(lines, func(a, b []string) int { return cmp.Or(cmp.Compare(a[note], b[note]), slices.Compare(a, b)) })
		for _, line := range lines {
			t.Add(line...)
		}
	}
	return t
}

// withInit returns the runs with where their networks started from in place of the path of the weights: each seed may
// start from a run of its own.
func withInit(runs []*Run, ids map[string]int) []*Run {
	out := make([]*Run, len(runs))
	for k, r := range runs {
		run, result := *r, *r.Result
		result.Config.Weights = initText(r.Config, ids)
		run.Result = &result
		out[k] = &run
	}
	return out
}

// HasTable3 reports whether some run stands in Table 3.
func HasTable3(runs []*Run) bool {
	return slices.ContainsFunc(runs, func(r *Run) bool { return clothingRow(r.Config) > 0 })
}

// clothingRow is the row of Table 3 in which a run stands, or 0. Of two rows that
// differ in where they start from, that of the run's.
func clothingRow(c config.Config) (row int) {
	for _, p := range paper.Table3() {
		same := p.Dataset == c.Dataset && p.Model == c.Model && p.Loss == c.Loss
		if same && (row == 0 || strings.HasPrefix(p.Init, "row ") == (trainedBefore(c.Weights) != "")) {
			row = p.Row
		}
	}
	return row
}

// trainedBefore is the id of the run that left the weights, or "" for those of
// another origin: a run keeps its networks in ID/checkpoints.
func trainedBefore(weights string) string {
	folder := filepath.Dir(weights)
	if filepath.Base(folder) != store.CheckpointsDir {
		return ""
	}
	return filepath.Base(filepath.Dir(folder))
}

// initText says where the network of a run started from.
func initText(c config.Config, ids map[string]int) string {
	before := trainedBefore(c.Weights)
	switch {
	case c.Weights == "":
		return "random"
	case before == "":
		return filepath.Base(c.Weights)
	case ids[before] > 0:
		return fmt.Sprintf("row %d", ids[before])
	}
	return "run " + before
}

// missingNote says of a row without a figure what there is of it.
func missingNote(quick int) string {
	if quick == 0 {
		return "no run: make clothing1m"
	}
	return fmt.Sprintf("%d quick, do not quote: make clothing1m", quick)
}

func clothingNote(c *Cell) string {
	var notes []string
	if c.Diverged > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs diverged", c.Diverged, len(c.Seeds)))
	}
	if c.DataVariant != "" {
		notes = append(notes, c.DataVariant)
	}
	if c.Config.Noise.Kind != correction.NoNoise {
		notes = append(notes, ColumnOf(c.Config).String())
	}
	if c.Config.Preset != "paper" {
		notes = append(notes, "preset "+c.Config.Preset)
	}
	if b := emptyBlock(c.Config); b.shortened() {
		notes = append(notes, b.duration())
	}
	for _, s := range unlike(c.Config) {
		if !strings.HasPrefix(s, "weights ") { // in the column init
			notes = append(notes, s)
		}
	}
	return strings.Join(notes, ", ")
}
