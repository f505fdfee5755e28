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
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
)

// defaultFolds is the number of parts that an audit splits the data into.
const defaultFolds = 4

func (p Program) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "find the wrong labels in your own data", ArgsUsage: "DATA [key=value...]",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "folder of the audit", DefaultText: "audits/<name of DATA>"},
			&cli.StringFlag{Name: "probabilities",
				Usage: "`FILE` [N C] of another model's class probabilities, out of sample (NPY, CSV or Parquet): no network is " +
					"trained"},
			&cli.StringFlag{Name: "answers", Usage: "`FILE` of labels by several people: a table of task, worker and " +
				"label, a table with a column for each person (--annotator), or an NPY file [N R] with -1 for no answer"},
			&cli.StringFlag{Name: "task", Usage: "column of --answers with the names of the examples",
				DefaultText: "task, id or file_name"},
			&cli.StringFlag{Name: "worker", Usage: "column of --answers with the names of the people",
				DefaultText: "worker or annotator"},
			&cli.StringFlag{Name: "answer", Usage: "column of --answers with the labels", DefaultText: "label"},
			&cli.StringSliceFlag{Name: "annotator", Usage: "`COLUMN` of --answers with one person's labels; may be repeated"},
			&cli.IntFlag{Name: "ask", Usage: "write to ask.csv the N examples that gain most from one more answer, and whom " +
				"to ask", DefaultText: "none"},
			&cli.IntFlag{Name: "ask-each", Usage: "ask each person about at most N examples", DefaultText: "any number"},
			classesFlag(),
			&cli.StringSliceFlag{Name: "answers-from", Usage: "`FILE` of labels that people have checked: a sheet of losscorr " +
				"review --write with its column \"true\" filled in, the folder of another audit, or a table with the columns id " +
				"and label; may be repeated"},
			&cli.IntFlag{Name: "folds", Value: defaultFolds,
				Usage: "split the data into this many parts, each judged by networks trained on the others"},
			&cli.StringFlag{Name: "model", Usage: "network (default: depends on the data)"},
			&cli.StringFlag{Name: "device", Usage: "cpu, cuda or cuda:N", EnvVars: app.Env("DEVICE")},
			&cli.BoolFlag{Name: "json", Usage: "print the summary as JSON"},
			viewFlag(),
			app.JobsFlag(0),
		}, sourceFlags(), app.WorkFlags()),
		Action: p.audit,
	}
}

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

// auditRequest turns the command line into a request.
func auditRequest(c *cli.Context) (r find.Request, err error) {
	names, given := app.Split(c.Args().Slice())
	r = find.Request{
		AnswersFrom: c.StringSlice("answers-from"), Folds: c.Int("folds"), Model: c.String("model"),
		Device: c.String("device"), View: c.String("view"), Anew: c.IsSet("view"), Settings: given,
		MaxBad: c.Int("max-bad"), Program: losscorr.Version,
		Command: app.CommandLine(c, "answers-from"), // the folder keeps the answers
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
	if r.Given, err = givenProbabilities(c, features); err != nil {
		return r, err
	}
	return r, app.CheckWork(c)
}

// find runs an audit.
func (p Program) find(c *cli.Context, r find.Request) (*audit.Report, error) {
	defer app.Stoppable(c.Context, app.OtherStops)()
	report, err := find.Find(c.Context, r, p.host(c))
	return report, misused(c, err)
}

// host returns the services that audits and training on own data need from the program.
func (p Program) host(c *cli.Context) find.Host {
	return find.Host{
		Train: func(plan store.Plan, dir string) error {
			_, err := p.Work(c, plan, dir, false)
			return err
		},
		Encoder: func(e encoders.Entry) error {
			_, err := p.encoder(c.Context, e, c.Bool("offline"))
			return err
		},
		Hold: p.Pipeline.Hold, Reading: p.Reading(c), Note: p.Note(c),
	}
}

// misused turns an audit's usage errors into usage errors of the command, and passes other errors on.
func misused(c *cli.Context, err error) error {
	if usage, is := errors.AsType[*audit.UsageError](err); is {
		return app.Misuse(c, "%v", usage)
	}
	return err
}

// viewFlag returns the flag --view of an audit.
func viewFlag() cli.Flag {
	return &cli.StringFlag{Name: "view", Value: find.AutoView, Category: "DATA", Usage: "features to judge " +
		"the data by: `NAME` or NAME,NAME of " + strings.Join(views.All.Names(), ", ") +
		"; auto tries the cheap ones for the kind of data and takes the best, or their mean"}
}
