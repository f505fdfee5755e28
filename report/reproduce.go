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
// configuration of one run, narrowed and with the settings that differ. The IDs of the
// runs that they name are computed and are those of the table. Where no such lines are
// found, the one line names the first run and counts the others. A kept table has no IDs
// to compare, and lines only where it is one of a block.
func (t *Table) Reproduce() []string {
	runs, first := t.configs()
	if len(runs) == 0 {
		return nil
	}
	ids := identities(runs)
	var origins []origin
	block := paper.Block{Dataset: t.Dataset, Model: t.Model}
	if slices.Contains(paper.Blocks(), block) {
		origins = append(origins, blockOrigin(block, t.Quick, t.Preset))
	}
	if first != "" {
		origins = append(origins, fileOrigin(filepath.Join(first, store.ConfigFile)))
	}
	for _, o := range origins {
		parts, err := split(o, runs)
		if err != nil || len(parts) > maxLines {
			continue
		}
		lines, found := make([]string, len(parts)), make(map[string]bool)
		ok := true
		for k, p := range parts {
			configs, err := o.read(p.overrides()...)
			lines[k] = o.line(p)
			ok = ok && err == nil && lines[k] != ""
			maps.Copy(found, identities(configs))
		}
		if ok && (first == "" || maps.Equal(found, ids)) {
			return lines
		}
	}
	if first == "" {
		return nil
	}
	text := "losscorr train " + shell.Word(filepath.Join(first, store.ConfigFile))
	if len(runs) > 1 {
		text += fmt.Sprintf("  # and %d more: each run's folder has its %s", len(runs)-1, store.ConfigFile)
	}
	return []string{text}
}

// maxLines bounds what Reproduce returns. Beyond it a list of runs is easier to read.
const maxLines = 12

func identities(runs []config.Config) map[string]bool {
	ids := make(map[string]bool)
	for _, c := range runs {
		ids[c.ID()] = true
	}
	return ids
}

// configs returns the configurations of the table's runs, and the folder of the first by
// name. Those of a kept table are made of what it says, and no folder is named.
func (t *Table) configs() (list []config.Config, first string) {
	for _, c := range t.Filled() {
		for _, r := range c.Runs {
			list = append(list, r.Result.Config)
			if r.Dir != "" && (first == "" || r.Dir < first) {
				first = r.Dir
			}
		}
	}
	if len(list) > 0 || t.config != nil {
		return list, first
	}
	base, ok := t.keptConfig()
	if !ok {
		return nil, ""
	}
	for i, row := range t.Rows {
		own, ok := rowConfig(base, row)
		for j, column := range t.Columns {
			if t.Cells[i][j] == nil || !ok {
				continue
			}
			for _, seed := range t.Cells[i][j].Seeds {
				c := own
				c.Seed, c.Noise.Kind, c.Noise.Level, c.Noise.File = seed, column.Noise, column.Level, column.File
				if column.Groups != "" {
					c.Noise.Groups = column.Groups
				}
				list = append(list, c)
			}
		}
	}
	return list, ""
}

// keptConfig is the preset, or the block's quick version, with the table's settings.
func (t *Table) keptConfig() (config.Config, bool) {
	given := []string{fmt.Sprintf("epochs=%d", t.Epochs)}
	for entry := range strings.SplitSeq(t.Settings, ", ") {
		key, value, _ := strings.Cut(entry, " ")
		if value == unset {
			value = `""`
		}
		if key != "" {
			given = append(given, key+"="+value)
		}
	}
	if t.Quick {
		runs, err := blockOrigin(paper.Block{Dataset: t.Dataset, Model: t.Model}, true, t.Preset).read(append(given, "seed=1", "loss="+losses.FirstLoss)...)
		if err != nil {
			return config.Config{}, false
		}
		return runs[0], true
	}
	doc, err := config.FromOverrides(append([]string{"dataset=" + t.Dataset, "model=" + t.Model, "preset=" + t.Preset}, given...)...)
	if err != nil {
		return config.Config{}, false
	}
	runs, err := doc.Expand()
	if err != nil {
		return config.Config{}, false
	}
	return runs[0], true
}

// rowConfig gives a configuration the loss of a row and the settings in its name.
func rowConfig(c config.Config, row Row) (config.Config, bool) {
	c.Loss = row.Loss
	text, own := strings.CutPrefix(row.Name, row.Loss+" (")
	if !own {
		return c, true
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ")"), ", ") {
		words := strings.Fields(part)
		var err error
		switch {
		case strings.HasPrefix(part, matrixPart):
			c.Transition = strings.TrimPrefix(part, matrixPart)
		case strings.HasPrefix(part, targetsPart):
			c.Targets = strings.TrimPrefix(part, targetsPart)
		case len(words) == 2 && words[0] == "trusted":
			c.Trusted = words[1]
		case len(words) == 2 && words[0] == "clip":
			c.Clip, err = strconv.ParseFloat(words[1], 64)
		default:
			return c, false
		}
		if err != nil {
			return c, false
		}
	}
	return c, true
}

// origin is what a command takes settings from before its own.
type origin struct {
	read func(overrides ...string) ([]config.Config, error) // the runs of the file with overrides
	line func(product) string                               // the command, empty where it cannot be written so
}

// blockOrigin is the configuration of a block of Table 2, which make does.
func blockOrigin(block paper.Block, quick bool, preset string) origin {
	file := block.Name()
	if quick {
		file = "quick"
	}
	return origin{
		read: func(overrides ...string) ([]config.Config, error) {
			doc, err := config.ReadFS(experiments.Files, block.Name()+"/"+file+".yaml", append([]string{"preset=" + preset}, overrides...)...)
			if err != nil {
				return nil, err
			}
			return doc.Expand()
		},
		line: func(p product) string {
			words := []string{"make", block.Name()}
			if quick {
				words = append(words, "QUICK=1")
			}
			words = append(words, "PRESET="+preset, "SEEDS="+humanize.Ranges(p.seeds), "NOISE="+p.noiseText())
			if quick || len(p.losses) < len(paper.Losses()) {
				words = append(words, "LOSS="+strings.Join(p.losses, ","))
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
			for _, w := range words[:len(words)-min(1, len(args))] {
				if shell.Word(w) != w || strings.Contains(w, "$") {
					return ""
				}
			}
			return strings.Join(words, " ")
		},
	}
}

// fileOrigin is a configuration file, which losscorr train does.
func fileOrigin(path string) origin {
	return origin{
		read: func(overrides ...string) ([]config.Config, error) { return config.Load(path, overrides...) },
		line: func(p product) string {
			words := []string{"losscorr", "train", shell.Word(path), "--seeds", humanize.Ranges(p.seeds), "--noise", shell.Word(p.noiseText()), "--loss", strings.Join(p.losses, ",")}
			for _, o := range p.settings {
				words = append(words, shell.Word(o))
			}
			return strings.Join(words, " ")
		},
	}
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

// overrides are the command's, as its flags give them.
func (p product) overrides() []string {
	seeds, noises := make([]string, len(p.seeds)), make([]string, len(p.noises))
	for k, s := range p.seeds {
		seeds[k] = strconv.FormatUint(s, 10)
	}
	for k, c := range p.noises {
		noises[k] = fmt.Sprintf("{kind: %s, level: %v", c.Noise, c.Level)
		if c.File != "" {
			noises[k] += ", file: " + strconv.Quote(c.File)
		}
		noises[k] += "}"
	}
	return append([]string{
		"seed=[" + strings.Join(seeds, ", ") + "]",
		"loss=[" + strings.Join(p.losses, ", ") + "]",
		"noise=[" + strings.Join(noises, ", ") + "]",
	}, p.settings...)
}

// elsewhere are settings that say where a run is computed or which of several it is: a
// command names them by itself, or not at all.
var elsewhere = []string{"data", "device", "workers", "tf32", "deterministic", "note", "seed", "preset", "loss", "noise.kind", "noise.level", "noise.file", "dataset", "model", "quick"}

// split divides runs into products of equal settings. It puts runs together that
// differ from the origin in the same settings, then the losses that were run with the
// same seeds at a noise, then the noises with the same losses.
func split(o origin, runs []config.Config) ([]product, error) {
	bases, err := o.read("seed=1", "loss="+losses.FirstLoss)
	if err != nil {
		return nil, err
	}
	base := settings(bases[0].Usual())
	type part struct {
		settings string
		noise    Column
	}
	var order []part
	losses := make(map[part]map[string][]uint64)
	for _, c := range runs {
		var differ []string
		for k, s := range settings(c.Usual()) {
			if s.yaml != base[k].yaml && !slices.Contains(elsewhere, s.key) {
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
	return out, nil
}
