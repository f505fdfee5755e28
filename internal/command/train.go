package command

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
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
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
func (p Program) trainOwn(c *cli.Context) error {
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
	settings.Model = cmp.Or(settings.Model, model)
	if err != nil {
		return err
	}
	doc, err := config.ReadOwn(settings, flags...)
	if err != nil {
		return err
	}
	checked, err := doc.Expand()
	if err != nil {
		return err
	}
	data, err := find.OpenData(c.Context, source, dataset.Options{Offline: true, MaxBad: c.Int("max-bad"),
		Progress: p.Reading(c)})
	if err != nil {
		return err
	}
	if err := find.Enough(checked[0], data); err != nil {
		return err
	}
	settings = find.Sized(settings, checked[0], data.Train.Len())
	if settings.Trusted, err = p.writeTrusted(c, source, data, out); err != nil {
		return err
	}
	settings.Labelled = false
	configs, err := p.byAudit(c, found, data, out, doc, settings, flags)
	if err != nil {
		return err
	}
	held := configs[0]
	held.Source = source // which a setting may have changed
	p.Pipeline.Hold(held, data)
	return p.TrainAll(c, store.NewPlan(configs), out, "", flags)
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
	return config.Own{
		Source: source, Model: c.String("model"), Losses: chosen, Transition: found.transition, Targets: found.targets,
		Epochs:       find.Epochs(kind, 0), // of the least data
		WarmupEpochs: 1,                    // keeps most networks out of forward's trap, as in an audit
		Labelled:     len(files) > 0 || source.Trusted != "",
	}, nil
}

// auditFound is what a training takes from an audit; empty without one.
type auditFound struct {
	transition string            // the file of T-hat
	targets    map[string]string // of an audit of several people's answers: files by loss
	folder     *audit.Folder     // nil without an audit
	view       string            // by which its networks knew the labels best; "" where it tried none
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
func (p Program) writeTrusted(c *cli.Context, source own.Source, data *dataset.Dataset,
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

func (p Program) trainCommand() *cli.Command {
	return &cli.Command{
		Name: "train", Usage: "run a configuration file, or train on your own data", ArgsUsage: "FILE|DATA [key=value...]",
		Flags: slices.Concat(app.RunFlags("runs/<name of FILE or DATA>"), ownFlags(), sourceFlags()),
		Action: func(c *cli.Context) error {
			if isOwn(c) {
				return p.trainOwn(c)
			}
			if names, _ := app.Split(c.Args().Slice()); len(names) == 0 {
				return app.Misuse(c, "FILE or DATA is missing: a configuration FILE (.yaml), or your own data")
			}
			file, given, err := OneFile(c)
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

// relabels reports whether the audit has labels to train on for one of the runs.
func (found auditFound) relabels(configs []config.Config) bool {
	return found.folder != nil && found.targets == nil && slices.ContainsFunc(configs, func(c config.Config) bool {
		return c.LossEntry().Relabels()
	})
}

// correct writes the labels that the audit and people have corrected into the folder of the runs, and
// returns the path of the file, "" if there are none. It reports whether the audit is one of this data.
func (p Program) correct(c *cli.Context, found auditFound, source own.Source, data *dataset.Dataset,
	out string) (path string, of bool, err error) {
	answers, err := audit.ReadAnswerFiles(c.StringSlice("answers-from"), source, data)
	if err != nil {
		return "", false, err
	}
	corrected, err := relabel.Correct(found.folder, source, data, answers)
	if err != nil {
		return "", false, err
	}
	n := data.Train.Len()
	text := ""
	switch of = corrected.Of(n); {
	case !of:
		text = fmt.Sprintf("the audit in %s has judged %d of these %d examples with the labels that they have: it corrects "+
			"no label here", found.folder.Dir(), corrected.Judged, n)
	case len(corrected.Labels) > 0:
		text = fmt.Sprintf("corrected labels: %s of %d changed by the audit and people", humanize.Count(len(corrected.Labels),
			"label"), n)
		path, err = audit.WriteKnown(out, "corrected", data, corrected.Labels)
	default:
		text = "training on the given labels: the audit suggests no corrections"
	}
	p.Note(c)(text)
	return path, of, err
}

// byAudit returns the runs of a training with an audit: on the labels that it has corrected, for losses
// that use no T. Where the flags name no loss, that is cross-entropy, beside the given labels.
func (p Program) byAudit(c *cli.Context, found auditFound, data *dataset.Dataset, out string, doc *config.Document,
	settings config.Own, flags []string) ([]config.Config, error) {
	given, err := doc.With(settings).Expand()
	if err != nil || !found.relabels(given) {
		return given, err
	}
	corrected, of, err := p.correct(c, found, settings.Source, data, out)
	if err != nil {
		return nil, err
	}
	if of {
		settings.Losses = settings.Losses[:1]
	}
	named := config.Sets(flags, "loss")
	given, err = doc.With(settings).Expand()
	if err != nil || corrected == "" {
		return given, err
	}
	settings.Corrected = corrected
	configs, err := doc.With(settings).Expand()
	if !named {
		configs = slices.Concat(given, configs)
	}
	return configs, err
}
