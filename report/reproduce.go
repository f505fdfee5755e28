package report

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/store"
)

// Reproduce returns the command lines that do the runs of a table again, these and no
// others: losscorr train with the configuration of one run, narrowed and with the settings
// that differ. Where they would be too many, the one line names the first run and counts the
// others. A kept table has none.
func (t *Table) Reproduce() []string {
	runs, first := t.runs()
	if len(runs) == 0 || first.Dir == "" {
		return nil
	}
	file := filepath.Join(first.Dir, store.ConfigFile)
	var lines []string
	for _, p := range split(first.Result.Config, runs) {
		lines = append(lines, p.train(file))
	}
	if len(lines) <= maxLines {
		return lines
	}
	return []string{fmt.Sprintf("losscorr train %s  # and %d more: each run's folder has its %s", shell.Word(file), len(runs)-1, store.ConfigFile)}
}

// maxLines bounds what Reproduce returns. Beyond it a list of runs is easier to read.
const maxLines = 12

// runs returns the configurations of the table's runs, and the first run by the name of its folder.
func (t *Table) runs() (list []config.Config, first *Run) {
	for _, c := range t.Filled() {
		for _, r := range c.Runs {
			list = append(list, r.Result.Config)
			if first == nil || r.Dir != "" && (first.Dir == "" || r.Dir < first.Dir) {
				first = r
			}
		}
	}
	return list, first
}

// product is what one command does: each loss under each noise with each seed.
type product struct {
	losses   []string
	noises   []Column
	seeds    []uint64
	settings []string // key=value that the configuration does not have
}

// noiseText is the noises as the command line has them.
func (p product) noiseText() string {
	texts := make([]string, len(p.noises))
	for k, c := range p.noises {
		texts[k] = c.Noise
		switch kind := correction.Noises.Named(c.Noise); {
		case kind.File:
			texts[k] += ":" + c.File
		case kind.Level:
			texts[k] += ":" + strings.TrimPrefix(strconv.FormatFloat(c.Level, 'g', -1, 64), "0")
			if c.Level == 0 {
				texts[k] = c.Noise + ":0"
			}
		}
	}
	return strings.Join(texts, ",")
}

// train is the command that does the product with a configuration file.
func (p product) train(file string) string {
	words := []string{"losscorr", "train", shell.Word(file), "--seeds", humanize.Ranges(p.seeds), "--noise", shell.Word(p.noiseText()), "--loss", strings.Join(p.losses, ",")}
	for _, o := range p.settings {
		words = append(words, shell.Word(o))
	}
	return strings.Join(words, " ")
}

// byCommand reports whether a setting is none that a command has to name: it does so by itself, or the
// setting says where a run is computed.
func byCommand(s config.Setting) bool {
	if s.Scope == config.OfCell {
		return s.Key != "noise.groups" // of which --noise says nothing
	}
	return s.Scope == config.OfPlace || s.Scope == config.Shown || slices.Contains([]string{"dataset", "model", "preset", "quick"}, s.Key)
}

// split divides runs into products of equal settings. It puts runs together that
// differ from base in the same settings, then the losses that were run with the
// same seeds at a noise, then the noises with the same losses.
func split(base config.Config, runs []config.Config) []product {
	base.Noise.Groups = "" // --noise replaces all of the noise
	from := settings(base.Usual())
	type part struct {
		settings string
		noise    Column
	}
	var order []part
	losses := make(map[part]map[string][]uint64)
	for _, c := range runs {
		var differ []string
		for k, s := range settings(c.Usual()) {
			if s.yaml != from[k].yaml && !byCommand(config.Settings[k]) {
				differ = append(differ, s.key+"="+s.yaml)
			}
		}
		noise := Column{Noise: c.Noise.Kind, Level: c.Noise.Level, File: c.Noise.File}
		p := part{strings.Join(differ, "\n"), noise}
		if losses[p] == nil {
			order, losses[p] = append(order, p), make(map[string][]uint64)
		}
		losses[p][c.Loss] = append(losses[p][c.Loss], c.Seed)
	}
	var out []product
	for _, p := range order {
		bySeeds := make(map[string]*product)
		var found []*product
		for _, loss := range slices.SortedFunc(maps.Keys(losses[p]), func(a, b string) int { return lossRank(a) - lossRank(b) }) {
			seeds := slices.Sorted(slices.Values(losses[p][loss]))
			key := fmt.Sprint(seeds)
			if bySeeds[key] == nil {
				bySeeds[key] = &product{seeds: seeds, noises: []Column{p.noise}, settings: strings.FieldsFunc(p.settings, func(r rune) bool { return r == '\n' })}
				found = append(found, bySeeds[key])
			}
			bySeeds[key].losses = append(bySeeds[key].losses, loss)
		}
		for _, f := range found {
			k := slices.IndexFunc(out, func(q product) bool {
				return slices.Equal(q.losses, f.losses) && slices.Equal(q.seeds, f.seeds) && slices.Equal(q.settings, f.settings)
			})
			if k >= 0 {
				out[k].noises = append(out[k].noises, p.noise)
				continue
			}
			out = append(out, *f)
		}
	}
	return out
}
