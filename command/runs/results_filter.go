package runs

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/command/app"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/report"
)

// filters are flags that keep the runs whose column has one of the values.
var filters = []struct {
	flag, usage string
	known       func() []string // nil: any word
}{
	{"dataset", "keep runs on these data sets", nil},
	{"model", "keep these networks", nil},
	{"preset", "keep these presets: " + strings.Join(config.Presets, ", "), func() []string { return config.Presets }},
	{"loss", "keep these losses", config.Losses},
	{"state", "keep these states: " + strings.Join(report.States, ", "), func() []string { return report.States }},
}

// listFlags choose runs and columns. No variables stand for them: those of a training, such as
// LOSSCORR_LOSS, would hide runs.
func listFlags() []cli.Flag {
	var flags []cli.Flag
	for _, f := range filters {
		flags = append(flags, &cli.StringFlag{Name: f.flag, Usage: f.usage})
	}
	return append(flags,
		&cli.StringFlag{Name: "noise", Usage: "keep these noises, such as asymmetric:.6, or asymmetric at any level"},
		&cli.StringFlag{Name: "seed", Usage: "keep these seeds, such as 1,2 or 1-5"},
		&cli.StringFlag{Name: "epochs", Usage: "all, or such as 40,50 or 1-10: an epoch a line, in place of a run"},
		&cli.StringFlag{Name: "sort", Usage: "columns to sort by; -selected counts down"},
		&cli.StringFlag{Name: "columns", Usage: "columns to print, or all"},
		&cli.BoolFlag{Name: "only-changed", Usage: "of the settings, only those in which the runs differ"},
	)
}

// listing reads the runs in the folders of the command line and chooses among
// them. If all, it has all columns where none are named. A nil listing comes
// with an error; beside another, an error names what could not be read.
func (p Commands) listing(c *cli.Context, all bool) (*report.Sheet, error) {
	if c.NArg() == 0 {
		return nil, app.Misuse(c, "a folder of runs is missing, such as runs/mnist")
	}
	keep, err := keeper(c)
	if err != nil {
		return nil, err
	}
	study, damage := report.Load(c.Args().Slice()...)
	if damage == nil && len(study.Runs) == 0 {
		damage = fmt.Errorf("no run in %s or below", strings.Join(c.Args().Slice(), ", "))
	}
	if damage != nil {
		damage = dataset.Errorf("%w", damage)
	}
	if len(study.Runs) == 0 {
		return nil, damage
	}
	l, short := report.List(study), report.ShortColumns
	if text := c.String("epochs"); c.IsSet("epochs") {
		wanted, err := epochsOf(text)
		if err != nil {
			return nil, app.Misuse(c, "--epochs %s: %v", text, err)
		}
		l, err = report.ListEpochs(study, wanted)
		short, damage = report.ShortEpochColumns, errors.Join(damage, err)
	}
	l.Keep(keep)
	if names := wordsOf(c, "sort"); len(names) > 0 {
		for _, name := range names {
			if err := known(c, "sort", l, strings.TrimPrefix(name, "-")); err != nil {
				return nil, err
			}
		}
		l.Sort(names)
	}
	columns := wordsOf(c, "columns")
	switch {
	case slices.Equal(columns, []string{"all"}) || columns == nil && all:
		columns = l.Names()
	case columns == nil:
		columns = short
	}
	for _, name := range columns {
		if err := known(c, "columns", l, name); err != nil {
			return nil, err
		}
	}
	if c.Bool("only-changed") {
		columns = onlyChanged(l, columns)
	}
	return l.Select(columns), damage
}

// onlyChanged takes the settings that are the same in all rows out of the
// columns, and puts the others before the outcome.
func onlyChanged(l *report.Sheet, columns []string) []string {
	isSetting := func(name string) bool { return l.Columns[l.Index(name)].Setting }
	at := slices.IndexFunc(columns, isSetting)
	rest := slices.DeleteFunc(slices.Clone(columns), isSetting)
	return slices.Insert(rest, min(max(at, 0), len(rest)), l.Changed()...)
}

// epochsOf reads the value of --epochs.
func epochsOf(text string) (wanted func(epoch int) bool, err error) {
	if text == "all" {
		return func(int) bool { return true }, nil
	}
	numbers, err := app.ParseNumbers(text, "epoch")
	return func(epoch int) bool { return slices.Contains(numbers, strconv.Itoa(epoch)) }, err
}

func known(c *cli.Context, flag string, l *report.Sheet, column string) error {
	if l.Index(column) < 0 {
		return app.Misuse(c, "--%s: there is no column %s%s; there is: %s", flag, column, config.Suggest(column, l.Names()), strings.Join(l.Names(), ", "))
	}
	return nil
}

// wordsOf is a flag's value split at its commas, or nil.
func wordsOf(c *cli.Context, flag string) []string {
	if c.String(flag) == "" {
		return nil
	}
	words := strings.Split(c.String(flag), ",")
	for k, w := range words {
		words[k] = strings.TrimSpace(w)
	}
	return words
}

// keeper says of a row whether all filters keep it.
func keeper(c *cli.Context) (func(func(string) string) bool, error) {
	wanted := make(map[string][]string)
	for _, f := range filters {
		words := wordsOf(c, f.flag)
		for _, w := range words {
			if f.known == nil {
				continue
			}
			if known := f.known(); !slices.Contains(known, w) {
				return nil, app.Misuse(c, "--%s %s: there is no such %s%s; there is: %s", f.flag, w, f.flag, config.Suggest(w, known), strings.Join(known, ", "))
			}
		}
		if words != nil {
			wanted[f.flag] = words
		}
	}
	if text := c.String("seed"); text != "" {
		seeds, err := app.ParseNumbers(text, "seed")
		if err != nil {
			return nil, app.Misuse(c, "--seed %s: %v", text, err)
		}
		wanted["seed"] = seeds
	}
	var noises []config.Noise
	anyLevel := make(map[string]bool)
	for _, word := range wordsOf(c, "noise") {
		n, err := config.ParseNoise(word)
		if err != nil {
			return nil, app.Misuse(c, "--noise %s: %v", word, err)
		}
		if n.File != "" { // runs have the whole path
			if n.File, err = filepath.Abs(n.File); err != nil {
				return nil, fmt.Errorf("--noise %s: %w", word, err)
			}
		}
		if !strings.Contains(word, ":") {
			anyLevel[n.Kind] = true
		}
		noises = append(noises, n)
	}
	return func(entry func(string) string) bool {
		for column, words := range wanted {
			if !slices.Contains(words, entry(column)) {
				return false
			}
		}
		return noises == nil || slices.ContainsFunc(noises, func(n config.Noise) bool {
			if n.Kind != entry("noise.kind") {
				return false
			}
			level, err := strconv.ParseFloat(entry("noise.level"), 64)
			same := err == nil && level == n.Level && (n.File == "" || n.File == entry("noise.file"))
			return anyLevel[n.Kind] || same
		})
	}, nil
}
