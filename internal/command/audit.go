package command

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/store"
)

// defaultFolds is the number of parts of an audit's data.
const defaultFolds = 4

func (p Program) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "find the wrong labels in your own data", ArgsUsage: "DATA [key=value...]",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "folder of the audit", DefaultText: "audits/<name of DATA>"},
			&cli.StringFlag{Name: "probabilities",
				Usage: "`FILE` [N C] of another model's class probabilities, out of sample (NPY, CSV or Parquet): no network is " +
					"trained"},
			&cli.StringFlag{Name: "answers", Usage: "`FILE` of labels that several people gave: a table of task, worker and " +
				"label, one with a column for each person (--annotator), Parquet with lists, or an NPY file [N R] with " +
				"-1 for none"},
			&cli.StringFlag{Name: "task", Usage: "column of --answers with the names of the examples",
				DefaultText: "task, id or file_name"},
			&cli.StringFlag{Name: "worker", Usage: "column of --answers with the names of the people",
				DefaultText: "worker or annotator"},
			&cli.StringFlag{Name: "answer", Usage: "column of --answers with the labels", DefaultText: "label"},
			&cli.StringSliceFlag{Name: "annotator", Usage: "`COLUMN` of --answers with the labels of one person, several times"},
			&cli.IntFlag{Name: "ask", Usage: "write the N examples of --answers that gain most by one more answer, and who " +
				"should give it, into ask.csv", DefaultText: "none"},
			&cli.IntFlag{Name: "ask-each", Usage: "ask one person about N of them at most", DefaultText: "any number"},
			classesFlag(),
			answersFromFlag(""),
			&cli.IntFlag{Name: "folds", Value: defaultFolds,
				Usage: "parts of the data, each judged by networks that have not seen it"},
			&cli.StringFlag{Name: "model", Usage: "network (default: by the kind of the data)"},
			&cli.StringFlag{Name: "device", Usage: "cpu, cuda or cuda:N", EnvVars: app.Env("DEVICE")},
			&cli.BoolFlag{Name: "json", Usage: "print the summary as JSON"},
			viewFlag(),
			app.JobsFlag(0),
		}, sourceFlags(), app.WorkFlags()),
		Action: p.audit,
	}
}

// audit audits the labels of a user's own data.
func (p Program) audit(c *cli.Context) error {
	r, err := auditRequest(c)
	if err != nil {
		return err
	}
	report, err := p.find(c, r)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.PrintJSON(report.Summary)
	}
	return report.WriteText(p.Stdout, r.Dir)
}

// auditRequest is what the command line asks an audit for.
func auditRequest(c *cli.Context) (r find.Request, err error) {
	names, given := app.Split(c.Args().Slice())
	r = find.Request{
		AnswersFrom: c.StringSlice("answers-from"), Folds: c.Int("folds"), Model: c.String("model"),
		Device: c.String("device"), Settings: given, MaxBad: c.Int("max-bad"), Program: losscorr.Version,
		Command: app.CommandLine(c, "answers-from"), // whose answers the folder has then
	}
	var features string
	if r.Source, features, err = auditSource(c, names); err != nil {
		return r, err
	}
	if r.Answers, err = answersOf(c, r.Source); err != nil {
		return r, err
	}
	r.Dir = cmp.Or(c.String("out"), filepath.Join("audits", r.Name()))
	if err := r.LabelWithAnswers(c.IsSet("class-names")); err != nil {
		return r, err
	}
	if err := checkFolder(c, r); err != nil {
		return r, err
	}
	if r.Given, err = givenProbabilities(c, r.Source, features, given); err != nil {
		return r, err
	}
	if err := chooseViews(c, &r); err != nil {
		return r, err
	}
	return r, checkNames(r.Source, r.AnswersFrom...)
}

// find does an audit with the networks and the display of the program.
func (p Program) find(c *cli.Context, r find.Request) (*audit.Report, error) {
	defer app.Stoppable(c.Context, app.OtherStops)()
	report, err := find.Find(c.Context, r, find.Host{
		Train: func(plan store.Plan, dir string, stage int, foretold bool) error {
			share := Sharing{Foretold: foretold, Stage: stage}
			_, err := p.Work(c, plan, dir, r.Settings, share)
			return err
		},
		Encoder: func(e encoders.Entry) error {
			_, err := p.encoder(c.Context, e, c.Bool("offline"))
			return err
		},
		Hold: p.Pipeline.Hold, Reading: p.Reading(c), Note: p.Note(c),
	})
	if usage := (*find.UsageError)(nil); errors.As(err, &usage) {
		return nil, app.Misuse(c, "%v", usage)
	}
	return report, err
}

// checkFolder refuses a folder that is of use for something else, settings of the source, and files that the audit
// would replace and that it reads or that are not an audit's.
func checkFolder(c *cli.Context, r find.Request) error {
	for _, setting := range r.Settings {
		if part, _, _ := strings.Cut(config.KeyOf(setting), "."); part == "source" {
			return app.Misuse(c, "%s: an audit takes its data from DATA and the flags, such as --label or --side", setting)
		}
	}
	switch {
	case app.IsRoot(r.Dir):
		return app.Misuse(c, "--out %s is the root of the file system: choose another folder", r.Dir)
	case app.Inside(r.Dir, r.Source.Path):
		return app.Misuse(c, "the audit's folder %s is inside of the data: choose another with --out", r.Dir)
	}
	if err := usable(c, r); errors.Is(err, dataset.ErrData) {
		return err
	} else if err != nil {
		return app.Misuse(c, "%v", err)
	}
	return app.CheckWork(c)
}

// usable returns an error if the folder of an audit has one of other data, whose answers it would take over, or a file
// that the audit would replace.
func usable(c *cli.Context, r find.Request) error {
	folder := audit.At(r.Dir)
	if err := folder.CheckSource(r.Source); err != nil {
		return err
	}
	read := slices.Concat(r.Source.Inputs(), r.AnswersFrom, []string{c.String("features"), c.String("probabilities"),
		c.String("answers"), c.String("classes")})
	written := slices.Concat(audit.Results, []string{audit.UnreadableFile})
	if r.Answers != nil {
		written = append(written, audit.CrowdResults...)
	}
	for _, name := range written {
		if err := app.Overwrites(filepath.Join(r.Dir, name), read...); err != nil {
			return err
		}
		if err := folder.Spare(name); err != nil {
			return err
		}
	}
	if _, err := folder.Summary(); err == nil || folder.Begun() {
		return nil
	}
	return app.Foreign(r.Dir, "audit", "an audit", audit.Results...)
}

// onePath returns the source that DATA and the flags describe.
func onePath(c *cli.Context, names []string) (own.Source, error) {
	switch len(names) {
	case 0:
		if c.String("probabilities") == "" && c.String("answers") == "" {
			return own.Source{}, app.Misuse(c, "DATA is missing: a folder or archive of images, a table, or an NPY file")
		}
		if c.String("labels") == "" && c.String("answers") == "" {
			return own.Source{}, app.Misuse(c, "--probabilities needs DATA, or --labels FILE with the labels of the examples")
		}
		names = []string{""}
	case 1:
	default:
		return own.Source{}, app.Misuse(c, "unexpected argument %q", names[1])
	}
	s, err := sourceOf(c, names[0])
	if err != nil {
		return s, err
	}
	for _, path := range s.Paths() {
		if err := app.IsThere(*path); err != nil {
			return s, err
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return s, err
		}
		*path = abs
	}
	if _, annotated := annotations.Of(s.Path); !annotated && s.ID == "" &&
		strings.EqualFold(filepath.Ext(s.Path), rows.TasksEnding) {
		s.ID = "id" // of a label tool's examples
	}
	return s.Described(), nil
}
