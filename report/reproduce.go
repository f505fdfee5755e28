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
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/experiments"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/store"
)

// Reproduce returns the command lines that do the runs of a table again, these and no
// others: make with the name of a block of Table 2, else losscorr train with the
// configuration of one run, narrowed and with the settings that differ. Where they would be too many
// or cannot be written, the one line names the first run and counts the others. A kept table has none.
func (t *Table) Reproduce() []string {
	runs, first := t.runs()
	if len(runs) == 0 || first.Dir == "" {
		return nil
	}
	file := filepath.Join(first.Dir, store.ConfigFile)
	origins := []origin{{base: first.Result.Config, line: func(p product) string { return p.train(file) }}}
	if block := (paper.Block{Dataset: t.Dataset, Model: t.Model}); slices.Contains(paper.Blocks(), block) {
		base, err := blockConfig(block, t.Quick, t.Preset)
		if err == nil {
			origins = slices.Insert(origins, 0, origin{base: base, line: func(p product) string { return p.make(block, t.Quick, t.Preset) }})
		}
	}
	for _, o := range origins {
		var lines []string
		for _, p := range split(o.base, runs) {
			lines = append(lines, o.line(p))
		}
		if len(lines) <= maxLines && !slices.Contains(lines, "") {
			return lines
		}
	}
	text := "losscorr train " + shell.Word(file)
	if len(runs) > 1 {
		text += fmt.Sprintf("  # and %d more: each run's folder has its %s", len(runs)-1, store.ConfigFile)
	}
	return []string{text}
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

// origin is what a command takes settings from before its own.
type origin struct {
	base config.Config
	line func(product) string // the command, empty where it cannot be written so
}

// blockConfig is the configuration of a run of a block of Table 2, as the file in the program has it
// that make takes.
func blockConfig(block paper.Block, quick bool, preset string) (config.Config, error) {
	file := block.Name() + "/" + block.Name() + ".yaml"
	if quick {
		file = block.Name() + "/quick.yaml"
	}
	overrides := []string{"seed=1", "loss=" + losses.FirstLoss}
	if preset != "" {
		overrides = append(overrides, "preset="+preset)
	}
	doc, err := config.ReadFS(experiments.Files, file, overrides...)
	if err != nil {
		return config.Config{}, err
	}
	runs, err := doc.Expand()
	if err != nil {
		return config.Config{}, err
	}
	return runs[0], nil
}

// product is what one command does: each loss under each noise with each seed.
type product struct {
	losses   []string
	noises   []Column
	seeds    []uint64
	settings []string // key=value that the origin has not
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

// make is the command that does the product as a block of Table 2 has it.
func (p product) make(block paper.Block, quick bool, preset string) string {
	words := []string{"make", block.Name()}
	if quick {
		words = append(words, "QUICK=1")
	}
	words = append(words, "PRESET="+preset, "SEEDS="+humanize.Ranges(p.seeds), "NOISE="+p.noiseText())
	if quick || len(p.losses) < len(paper.Losses()) {
		words = append(words, "LOSS="+strings.Join(p.losses, ","))
	}
	for _, w := range words {
		if shell.Word(w) != w || strings.Contains(w, "$") {
			return ""
		}
	}
	var args []string
	for _, o := range p.settings {
		if shell.Word(o) != o { // in quotes for the shell that make calls
			if strings.ContainsAny(o, "'\"\\$`") {
				return ""
			}
			o = `"` + o + `"`
		}
		args = append(args, o)
	}
	if len(args) > 0 {
		words = append(words, "ARGS='"+strings.Join(args, " ")+"'")
	}
	return strings.Join(words, " ")
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
