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

// Table3 compares runs on Clothing1M with rows 4 to 8 of the paper's Table 3. Rows
// 4 to 6 were trained on the million images with noisy labels, rows 7 and 8 on the
// 50,000 with clean labels, and row 8 starts from a run of row 6. Runs with different
// settings have separate lines, which name what differs from the preset. Quick runs are
// left out; for a missing row, the last column names the command that makes it.
func Table3(finished []*Run) *Table {
	runs := make(map[int][]*Run)
	ids := make(map[string]int) // row of each run
	for _, r := range finished {
		if row := clothingRow(r.Config); row > 0 && !r.Config.Quick {
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
			t.Add(fmt.Sprint(p.Row), p.Loss, p.Init, p.Training, "-", "-", "-", published, "", "no run: make clothing1m")
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

// withInit replaces the paths of the initial weights by their origin, so that each seed may start from a different
// run.
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

// HasTable3 reports whether any run is in Table 3.
func HasTable3(runs []*Run) bool {
	return slices.ContainsFunc(runs, func(r *Run) bool { return clothingRow(r.Config) > 0 })
}

// clothingRow returns the row of a run in Table 3, or 0. If two rows differ only in
// their initial weights, it takes the row with the run's.
func clothingRow(c config.Config) (row int) {
	for _, p := range paper.Table3() {
		same := p.Dataset == c.Dataset && p.Model == c.Model && p.Loss == c.Loss
		if same && (row == 0 || strings.HasPrefix(p.Init, "row ") == (trainedBefore(c.Weights) != "")) {
			row = p.Row
		}
	}
	return row
}

// trainedBefore returns the ID of the run that wrote the weights to ID/checkpoints, or
// "" for other weights.
func trainedBefore(weights string) string {
	folder := filepath.Dir(weights)
	if filepath.Base(folder) != store.CheckpointsDir {
		return ""
	}
	return filepath.Base(filepath.Dir(folder))
}

// initText names the origin of a run's initial weights.
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
	for _, s := range differing(c.Config) {
		if !strings.HasPrefix(s, "weights ") { // in the column init
			notes = append(notes, s)
		}
	}
	return strings.Join(notes, ", ")
}
