package report

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/store"
)

// command reproduces the runs of a table: the make target of the paper's block,
// narrowed to what there is, or for other data each run's own configuration.
func (t *Table) command(records []*Record) string {
	block := paper.Block{Dataset: t.Dataset, Model: t.Model}
	if !slices.Contains(paper.Blocks(), block) {
		if len(records) == 0 {
			return ""
		}
		text := "losscorr train " + shell.Word(filepath.Join(records[0].Dir, store.ConfigFile))
		if len(records) > 1 {
			text += fmt.Sprintf("  # and %d more: each run's folder has its %s", len(records)-1, store.ConfigFile)
		}
		return text
	}
	words := []string{"make", block.Name()}
	if t.Quick {
		words = append(words, "QUICK=1")
	}
	var losses, noises []string
	seeds := make(map[uint64]bool)
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
			text += ":" + shortest(c.Level)
		}
		noises = append(noises, text)
	}
	for _, c := range t.all() {
		for _, seed := range c.Seeds {
			seeds[seed] = true
		}
	}
	for _, r := range records {
		for _, o := range r.Overrides {
			key, _, _ := strings.Cut(o, "=")
			if !slices.Contains([]string{"data", "device", "workers", "tf32", "deterministic", "seed", "preset", "loss", "noise"}, key) {
				given[o] = true
			}
		}
	}
	words = append(words, "PRESET="+t.Preset, "SEEDS="+ranges(slices.Sorted(maps.Keys(seeds))), "NOISE="+strings.Join(noises, ","))
	if len(records) == 0 && t.Settings != "" { // of a kept table: what tells it from the others
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

// ranges writes sorted seeds in short: 1-5,8.
func ranges(seeds []uint64) string {
	var parts []string
	for k := 0; k < len(seeds); {
		end := k
		for end+1 < len(seeds) && seeds[end+1] == seeds[end]+1 {
			end++
		}
		part := strconv.FormatUint(seeds[k], 10)
		if end > k {
			part += "-" + strconv.FormatUint(seeds[end], 10)
		}
		parts = append(parts, part)
		k = end + 1
	}
	return strings.Join(parts, ",")
}
