package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/views"
)

func (p Program) trainCommand() *cli.Command {
	return &cli.Command{
		Name: "train", Usage: "run a configuration file, or train on your own data", ArgsUsage: "FILE|DATA [key=value...]",
		Flags: slices.Concat(app.RunFlags("runs/<name of FILE or DATA>"), ownFlags(), sourceFlags()),
		Action: func(c *cli.Context) error {
			if isOwn(c) {
				return p.trainOwn(c)
			}
			file, given, err := OneFile(c, "FILE or DATA is missing: a configuration FILE (.yaml), or your own data")
			if err != nil {
				return err
			}
			if err := forOwnData(c, file); err != nil {
				return err
			}
			return p.TrainFile(c, file, given)
		},
	}
}

// ownFlags returns the flags for training on a user's own data.
func ownFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "network (default: depends on the data)", Category: "DATA"},
		&cli.StringFlag{Name: "view", Usage: "features to learn from: `NAME` of " + strings.Join(views.All.Names(), ", "),
			DefaultText: "the best of the audit, else the data itself", Category: "DATA"},
		&cli.StringFlag{Name: "audit", Usage: "`FOLDER` of an audit: train on its corrected labels, or with --loss forward " +
			"and its T_hat.csv, and on its data if DATA is missing; after an audit of --answers, train on the majority, on " +
			"the consensus with its probabilities, and with each person's T", Category: "DATA"},
	}
}

// forOwnData refuses the flags for own data together with a configuration, which would ignore them.
func forOwnData(c *cli.Context, file string) error {
	for _, flag := range slices.Concat(ownFlags(), sourceFlags()) {
		name := flag.Names()[0]
		if !c.IsSet(name) {
			continue
		}
		return app.Misuse(c, "--%s is for your own data, but %s is a configuration: write settings as key=VALUE", name, file)
	}
	return nil
}

// isOwn reports whether the arguments name own data rather than a configuration.
func isOwn(c *cli.Context) bool {
	names, _ := app.Split(c.Args().Slice())
	if len(names) == 0 {
		return c.String("audit") != ""
	}
	return !slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(names[0])))
}

func (p Program) trainOwn(c *cli.Context) error {
	t, err := training(c)
	if err != nil {
		return err
	}
	plan, err := t.Plan(c.Context, p.host(c))
	if err != nil {
		return misused(c, err)
	}
	return p.TrainAll(c, plan, t.Dir, "")
}

// training turns the command line into a training on own data.
func training(c *cli.Context) (t find.Training, err error) {
	names, given := app.Split(c.Args().Slice())
	t = find.Training{Audit: c.String("audit"), Model: c.String("model"),
		View: c.String("view"), Dir: c.String("out"), MaxBad: c.Int("max-bad")}
	if t.Settings, err = app.Overrides(c, given); err != nil {
		return t, err
	}
	if len(names) > 0 || t.Audit == "" {
		t.Source, err = onePath(c, names)
	} else {
		t.Source, err = testOnly(c)
	}
	if err != nil {
		return t, err
	}
	return t, app.CheckWork(c)
}

// testOnly returns the source for training on an audit's data. The flags may name only a test set.
func testOnly(c *cli.Context) (own.Source, error) {
	for _, f := range own.Fields {
		if f.Key != "test" && f.Key != "test_labels" && f.Flag != "" && c.IsSet(f.Flag) {
			return own.Source{}, app.Misuse(c, "--%s describes DATA, but without DATA the training reads the data as the audit "+
				"did: leave out the flag, or name DATA", f.Flag)
		}
	}
	s, err := sourceOf(c, "")
	if err != nil {
		return s, err
	}
	return s, locate(&s)
}
