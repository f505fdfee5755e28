package labels

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/command/runs"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
)

// ownFlags are those of training on a user's own data.
func ownFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "network (default: by the kind of the data)", Category: "DATA"},
		&cli.StringFlag{Name: "view", Usage: "how the data is looked at: `NAME` of " + strings.Join(views.All.Names(), ", "),
			DefaultText: "the best of the audit, else the data itself", Category: "DATA"},
		answersFromFlag("DATA"),
		&cli.StringFlag{Name: "audit", Usage: "`FOLDER` of an audit, whose corrected labels are trained on, or by whose " +
			"T_hat.csv --loss forward corrects, and whose data is read where DATA is missing; of an audit of --answers the " +
			"majority, the consensus with its doubts and each person's T are trained on", Category: "DATA"},
	}
}

// answersFromFlag names files of people's answers to whether labels are right.
func answersFromFlag(category string) cli.Flag {
	return &cli.StringSliceFlag{
		Name: "answers-from", Category: category,
		Usage: "`FILE` of labels that people have checked: a sheet of losscorr review --write with its column \"true\" " +
			"filled in, the folder of another audit, or a table with the columns id and label; several times, if you like",
	}
}

// checkNames returns an error if a file names examples in a column id, and the data has such names,
// too, which it is not told to use: the file would be taken to name rows.
func checkNames(s own.Source, files ...string) error {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return !rows.Is(file) || audit.NamesExamples(file)
	})
	if len(files) == 0 {
		return nil
	}
	column := s.OtherNames()
	if column == "" {
		return nil
	}
	for _, file := range files {
		r, err := rows.Open(file)
		if err != nil {
			continue // who reads it will say why
		}
		named := r.Has("id")
		r.Close()
		if named {
			return dataset.Errorf("%s names examples in its column id, and those of %s are named by the numbers of their "+
				"rows: give --id %s", file, s.Path, shell.Word(column))
		}
	}
	return nil
}

// forOwnData refuses the flags of own data beside a configuration, which they do not change.
func forOwnData(c *cli.Context, file string) error {
	for _, flag := range slices.Concat(ownFlags(), sourceFlags()) {
		name := flag.Names()[0]
		if app.FromEnvironment(c, name) || !c.IsSet(name) {
			continue
		}
		hint := ""
		if key, ok := app.Setting(name); ok {
			hint = fmt.Sprintf("; write it as a setting, %s=VALUE", key)
		}
		return app.Misuse(c, "--%s is for your own data, and %s is a configuration%s", name, file, hint)
	}
	return nil
}

// isOwn reports whether the arguments name a user's own data, not a configuration.
func isOwn(c *cli.Context) bool {
	names, _ := app.Split(c.Args().Slice())
	if len(names) == 0 {
		return c.String("audit") != ""
	}
	return !slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(names[0])))
}

// trainOwn does Algorithm 1 on a user's own data: cross-entropy, and the loss corrected by
// the T that is estimated from it.
func (p Commands) trainOwn(c *cli.Context) error {
	names, given := app.Split(c.Args().Slice())
	source, found, err := trainingSource(c, names)
	if err != nil {
		return err
	}
	model, err := p.trainingView(c, &source, found.view, given)
	if err != nil {
		return err
	}
	out := app.OutFolder(c, find.NameOf(source))
	if app.IsRoot(out) {
		return app.Misuse(c, "--out %s is the root of the file system: choose another folder", out)
	}
	if app.Inside(out, source.Path) {
		return app.Misuse(c, "the folder of the runs %s is inside of the data: choose another with --out", out)
	}
	flags, err := app.Overrides(c, given)
	if err != nil {
		return err
	}
	settings, err := trainingSettings(c, source, found)
	settings.Values.Model = cmp.Or(settings.Values.Model, model)
	if err != nil {
		return err
	}
	planned, err := settings.Runs(flags...)
	if err != nil {
		return err
	}
	data, err := find.OpenData(c.Context, source, dataset.Options{Offline: true, MaxBad: c.Int("max-bad"),
		Progress: p.Reading(c)})
	if err != nil {
		return err
	}
	if err := find.Enough(planned[0].Config, data); err != nil {
		return err
	}
	trusted, err := p.writeTrusted(c, source, data, out)
	if err != nil {
		return err
	}
	for i := range planned {
		complete(&planned[i], data.Train.Len(), trusted)
	}
	if planned, err = config.Checked(planned); err != nil {
		return err
	}
	configs, err := p.byAudit(c, found, source, data, out, planned)
	if err != nil {
		return err
	}
	held := configs[0]
	held.Source = source // which a setting may have changed
	p.Pipeline.Hold(held, data)
	return runs.Commands{Program: p.Program}.TrainAll(c, store.NewPlan(configs), out, "")
}

// trainingSettings are the values of a training, but for what depends on the data. What can be known
// to be wrong before it is read is an error. found is of an audit.
func trainingSettings(c *cli.Context, source own.Source, found auditFound) (config.Own, error) {
	kind, err := source.Kind()
	if err != nil {
		return config.Own{}, dataset.Errorf("%w", err)
	}
	if err := app.CheckWork(c); err != nil {
		return config.Own{}, err
	}
	files := c.StringSlice("answers-from")
	for _, file := range files {
		if err := app.IsThere(file); err != nil {
			return config.Own{}, err
		}
	}
	if err := checkNames(source, files...); err != nil {
		return config.Own{}, err
	}
	chosen := []string{losses.FirstLoss, "forward-estimated"}
	switch {
	case found.targets != nil:
		chosen = append(chosen[:1], slices.Sorted(maps.Keys(found.targets))...)
	case found.transition != "":
		chosen[1] = "forward"
	}
	settings := config.Own{Losses: chosen, Fill: found.fill, Values: config.Config{
		Source: source, Model: c.String("model"),
		Epochs: find.Epochs(kind, 0), // of the least data
	}}
	if len(files) > 0 || source.Trusted != "" {
		settings.Later = []string{"trusted"}
	}
	return settings, nil
}

// complete sets what depends on the number n of training examples and the file of known labels, unless the user has
// given it.
func complete(r *config.Resolved, n int, trusted string) {
	find.Size(r, n, 0)
	if !r.Given("trusted") {
		r.Config.Trusted = trusted
	}
	if c := &r.Config; !r.Given("warmup_epochs") && c.Epochs > 1 && c.LossEntry().Networks < 2 {
		c.WarmupEpochs = 1 // keeps most networks out of forward's trap, as in an audit
	}
}

// auditFound is what a training takes from an audit; empty without one.
type auditFound struct {
	transition string            // the file of T-hat
	targets    map[string]string // of an audit of several people's answers: files by loss
	folder     *audit.Folder     // nil without an audit
	view       string            // by which its networks knew the labels best; "" where it tried none
}

// fill sets what the loss of a run takes from the audit, unless the user has given it.
func (found auditFound) fill(r *config.Resolved) {
	c := &r.Config
	loss := c.LossEntry()
	if loss.T == losses.KnownT {
		c.Transition = cmp.Or(c.Transition, found.transition)
	}
	if loss.Targets {
		c.Targets = cmp.Or(c.Targets, found.targets[c.Loss])
	}
}

// trainingSource returns the data that the arguments describe, and what the audit that --audit
// names has found.
func trainingSource(c *cli.Context, names []string) (s own.Source, found auditFound, err error) {
	dir := c.String("audit")
	if dir == "" {
		s, err = onePath(c, names)
		return s, found, err
	}
	folder, err := audit.Open(dir)
	if err != nil {
		return s, found, err
	}
	summary, err := folder.Summary()
	if err != nil {
		return s, found, err
	}
	found.folder = folder
	if _, err := folder.Transition(); err != nil {
		return s, found, err
	}
	if len(summary.Views) > 0 {
		found.view = summary.Views[0].Name
	}
	if summary.Crowd != nil {
		found.targets, err = folder.Targets()
	} else {
		found.transition, err = filepath.Abs(folder.Path(audit.TransitionFile))
	}
	if err != nil {
		return s, found, err
	}
	if len(names) > 0 {
		if s, err = onePath(c, names); err == nil && summary.Crowd != nil && s.Labels == "" {
			s.Labels = summary.Source.Labels // the majority of the answers
		}
		return s, found, err
	}
	if summary.Source.Path == "" {
		what := "of probabilities"
		if summary.Crowd != nil {
			what = "of answers"
		}
		err = app.Misuse(c, "DATA is missing: the audit in %s was %s, without the examples", dir, what)
		return summary.Source, found, err
	}
	s, err = withTest(c, summary.Source)
	return s, found, err
}

// withTest returns the source of an audit with the test set that the flags name. Other flags of the source
// are refused, since the audit has read it.
func withTest(c *cli.Context, s own.Source) (own.Source, error) {
	given, err := sourceOf(c, "")
	if err != nil {
		return s, err
	}
	for _, f := range own.Fields {
		if f.Flag == "" || app.FromEnvironment(c, f.Flag) || !c.IsSet(f.Flag) {
			continue
		}
		if f.Key != "test" && f.Key != "test_labels" {
			return s, app.Misuse(c, "--%s is of DATA, and the training reads that of the audit as the audit did: leave it "+
				"out, or name DATA", f.Flag)
		}
		path, err := filepath.Abs(*f.Text(&given))
		if err == nil {
			err = app.IsThere(path)
		}
		if err != nil {
			return s, err
		}
		*f.Text(&s) = path
	}
	return s, nil
}

// writeTrusted writes the known labels of the data and of --answers-from into the folder of the runs, and returns the
// path of the file, "" if there are none.
func (p Commands) writeTrusted(c *cli.Context, source own.Source, data *dataset.Dataset,
	out string) (path string, err error) {
	answers, err := audit.ReadAnswerFiles(c.StringSlice("answers-from"), source, data)
	if err != nil {
		return "", err
	}
	known, warnings := audit.Known(data, answers)
	for _, warning := range warnings {
		fmt.Fprintf(p.Stderr, "warning: %s\n", warning)
	}
	if len(known) == 0 {
		return "", nil
	}
	return audit.WriteKnown(out, "trusted", data, known)
}
