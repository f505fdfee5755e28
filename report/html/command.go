package html

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/results/paper"

	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/store"
)

// elsewhere are settings that say where a run ran or which of a block's runs it
// is: the rest of the command says them.
var elsewhere = []string{"data", "device", "workers", "tf32", "deterministic", "seed", "preset", "loss", "noise"}

// reproduce is the command that does the runs of a table again: the make target
// of the paper's block, narrowed to what there is, or for other data each run's
// own configuration.
func reproduce(t *report.Table) string {
	var runs []*report.Run
	seeds := make(map[uint64]bool)
	for _, c := range t.Filled() {
		runs = append(runs, c.Runs...)
		for _, seed := range c.Seeds {
			seeds[seed] = true
		}
	}
	block := paper.Block{Dataset: t.Dataset, Model: t.Model}
	if !slices.Contains(paper.Blocks(), block) {
		if len(runs) == 0 {
			return ""
		}
		first := slices.MinFunc(runs, func(a, b *report.Run) int { return strings.Compare(a.Dir, b.Dir) })
		text := "losscorr train " + shell.Word(filepath.Join(first.Dir, store.ConfigFile))
		if len(runs) > 1 {
			text += fmt.Sprintf("  # and %d more: each run's folder has its %s", len(runs)-1, store.ConfigFile)
		}
		return text
	}
	words := []string{"make", block.Name()}
	if t.Quick {
		words = append(words, "QUICK=1")
	}
	var losses, noises []string
	given := make(map[string]bool)
	for _, row := range t.Rows {
		if !slices.Contains(losses, row.Loss) {
			losses = append(losses, row.Loss)
		}
	}
	for _, c := range t.Columns {
		text := c.Noise
		switch {
		case c.Noise == "matrix":
			text += ":" + c.File
		case c.Level != 0:
			text += ":" + strings.TrimPrefix(fmt.Sprintf("%.4g", c.Level), "0")
		}
		noises = append(noises, text)
	}
	for _, r := range runs {
		for _, o := range r.Overrides {
			if key, _, _ := strings.Cut(o, "="); !slices.Contains(elsewhere, key) {
				given[o] = true
			}
		}
	}
	words = append(words, "PRESET="+t.Preset, "SEEDS="+humanize.Ranges(slices.Sorted(maps.Keys(seeds))), "NOISE="+strings.Join(noises, ","))
	if len(runs) == 0 && t.Settings != "" { // of a kept table: the settings that distinguish it
		for _, setting := range strings.Split(t.Settings, ", ") {
			if key, value, _ := strings.Cut(setting, " "); value != "unset" {
				given[key+"="+value] = true
			}
		}
	}
	if len(losses) < len(paper.Losses()) {
		words = append(words, "LOSS="+strings.Join(losses, ","))
	}
	if len(given) > 0 {
		words = append(words, `ARGS='`+strings.Join(slices.Sorted(maps.Keys(given)), " ")+`'`)
	}
	return strings.Join(words, " ")
}
