package labels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/audit/page"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/command/runs"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
)

func (p Commands) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "find the wrong labels in your own data", ArgsUsage: "DATA [key=value...]",
		OnUsageError: app.OnUsageError,
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
			&cli.IntFlag{Name: "folds", Value: 4, Usage: "parts of the data, each judged by networks that have not seen it"},
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
func (p Commands) audit(c *cli.Context) error {
	names, given := app.Split(c.Args().Slice())
	source, features, err := auditSource(c, names)
	if err != nil {
		return err
	}
	crowd, err := crowdOf(c, &source)
	if err != nil {
		return err
	}
	out, err := auditFolder(c, source, given)
	if err != nil {
		return err
	}
	settings, err := auditSettings(c, source)
	if err != nil {
		return err
	}
	a := find.Audit{Program: losscorr.Version, Command: repeated(app.CommandLine(c)), Note: p.Note(c),
		Hold: p.Pipeline.Hold}
	folder := audit.At(out)
	defer func() { _ = folder.Unlock() }()
	if err := crowd.write(c.Context, folder, &a); err != nil {
		return err
	}
	doc, err := config.ReadOwn(settings, given...)
	if err != nil {
		return err
	}
	if a.Networks, err = oneRun(doc); err != nil {
		return err
	}
	chosen, err := chosenViews(c, source, given)
	if err != nil {
		return err
	}
	if err := a.Check(); err != nil {
		return app.Misuse(c, "%v", err)
	}
	if err := readBeside(c, source, features, given, &a); err != nil {
		return err
	}
	if err := p.readData(c, folder, &a); err != nil {
		return err
	}
	if a.Networks, err = oneRun(doc.With(find.Sized(settings, a.Networks, a.Data.Train.Len()))); err != nil {
		return err
	}
	if err := p.chooseCandidates(c, folder, source, chosen, given, &a); err != nil {
		return err
	}
	a.Do = p.stages(c, filepath.Join(out, audit.RunsDir), given)
	s, err := runAudit(c.Context, folder, a)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.PrintJSON(s)
	}
	return p.showAudit(out, s)
}

// repeated is the command that repeats an audit: without --answers-from, whose answers its folder has then.
func repeated(command string) string {
	var kept []string
	words := shell.Split(command)
	for k := 0; k < len(words); k++ {
		switch word := words[k]; {
		case word == "--answers-from":
			k++
		case !strings.HasPrefix(word, "--answers-from="):
			kept = append(kept, shell.Word(word))
		}
	}
	return strings.Join(kept, " ")
}

// readBeside reads what the flags give beside the data: probabilities and features, answers of people.
func readBeside(c *cli.Context, source own.Source, features string, given []string, a *find.Audit) (err error) {
	if a.Given, err = givenProbabilities(c, source, features, given); err != nil {
		return err
	}
	a.AnswersFrom = c.StringSlice("answers-from")
	return checkNames(source, a.AnswersFrom...)
}

// readData reads the data of an audit, whose folder is locked from then on.
func (p Commands) readData(c *cli.Context, folder *audit.Folder, a *find.Audit) error {
	if err := folder.Lock(); err != nil {
		return err
	}
	return folder.ListBad(a.Read(c.Context, dataset.Options{Offline: true, MaxBad: c.Int("max-bad"),
		Progress: p.Reading(c)}))
}

// chooseCandidates gives an audit the views that it compares, of the chosen ones those whose encoder is
// there or can be had.
func (p Commands) chooseCandidates(c *cli.Context, folder *audit.Folder, source own.Source, chosen []views.Entry,
	given []string, a *find.Audit) error {
	if before := viewsBefore(folder, c.IsSet("view")); len(chosen) > 0 && len(before) > 0 {
		a.Note("views as before: " + strings.Join(table.Of[views.Entry](before).Names(), ", ") +
			"; --view auto compares all again")
		chosen = before
	}
	chosen, weak, err := p.withEncoders(c, chosen, a.Grey, a.Data.Train.Len())
	if err != nil {
		return err
	}
	if weak != "" {
		a.Findings = append(a.Findings, weak)
		a.Note("warning: " + weak)
	}
	a.Candidates, err = candidates(c, source, chosen, a.Data.Train.Len(), given)
	return err
}

// viewsBefore returns the views of the finished audit in the folder, which a repeated one compares unless the flags
// name others: an encoder that was fetched meanwhile does not change the result.
func viewsBefore(folder *audit.Folder, named bool) (before []views.Entry) {
	s, err := folder.Summary()
	if err != nil || named {
		return nil
	}
	for _, v := range s.Views {
		if e := views.All.Named(v.Name); e.Name != "" {
			before = append(before, e)
		}
	}
	return before
}

// auditFolder returns the folder of an audit, and refuses one that is of use for something else, and
// settings of the source.
func auditFolder(c *cli.Context, source own.Source, given []string) (string, error) {
	for _, setting := range given {
		if part, _, _ := strings.Cut(config.KeyOf(setting), "."); part == "source" {
			return "", app.Misuse(c, "%s: an audit takes its data from DATA and the flags, such as --label or --side", setting)
		}
	}
	out := cmp.Or(c.String("out"), filepath.Join("audits", nameOf(source)))
	if app.IsRoot(out) {
		return "", app.Misuse(c, "--out %s is the root of the file system: choose another folder", out)
	}
	if app.Inside(out, source.Path) {
		return "", app.Misuse(c, "the audit's folder %s is inside of the data: choose another with --out", out)
	}
	if err := checkFolder(c, out, source); errors.Is(err, dataset.ErrData) {
		return "", err
	} else if err != nil {
		return "", app.Misuse(c, "%v", err)
	}
	return out, app.CheckWork(c)
}

// auditSettings are the values of an audit's networks, but for what depends on the size of the data.
func auditSettings(c *cli.Context, source own.Source) (config.Own, error) {
	kind, err := source.Kind()
	if err != nil {
		return config.Own{}, dataset.Errorf("%w", err)
	}
	return config.Own{
		Source: source, Model: c.String("model"), Device: c.String("device"), Folds: config.Folds{Count: c.Int("folds"),
			Out: 1},
		Epochs:     find.Epochs(kind, 0), // of the least data
		Estimator:  "vertices",           // no network judges the examples that it was trained on
		LabelsOnly: c.String("probabilities") != "" || c.String("answers") != "",
	}, nil
}

// oneRun returns the configuration of a document that has to describe one run.
func oneRun(doc *config.Document) (config.Config, error) {
	configs, err := doc.Expand()
	if err != nil {
		return config.Config{}, err
	}
	if len(configs) != 1 {
		return config.Config{}, config.NewError(config.Problem{Text: fmt.Sprintf("the settings describe %d runs; give one "+
			"value for each", len(configs))})
	}
	return configs[0], nil
}

// stages returns what does the runs of an audit's stages. The first one that has something to do says
// how long it takes: with the second stage, whose networks are as those of the first.
func (p Commands) stages(c *cli.Context, dir string, given []string) func(context.Context, store.Plan, int) error {
	said := false
	return func(_ context.Context, plan store.Plan, stage int) error {
		share := runs.Sharing{Foretold: said, Stage: stage}
		said = stage == 1 && len(plan.Unfinished(dir)) > 0
		_, err := runs.Commands{Program: p.Program}.Work(c, plan, dir, given, share)
		return err
	}
}

// runAudit does an audit and writes its page.
func runAudit(ctx context.Context, folder *audit.Folder, a find.Audit) (audit.Summary, error) {
	end := app.Stoppable(ctx, app.RunsStop)
	s, err := a.Run(ctx, folder)
	end()
	if err != nil {
		return s, err
	}
	defer app.Stoppable(ctx, app.OtherStops)()
	err = page.Make(ctx, folder, a.Opened.EachOriginal)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("the audit is finished but for its page: audit again, its networks are kept: %w", cause)
	}
	return s, err
}

// checkFolder returns an error if the folder of an audit has one of other data, whose
// decisions it would take over, or a file that the audit would replace and that it reads, or
// that is not an audit's.
func checkFolder(c *cli.Context, out string, s own.Source) error {
	folder := audit.At(out)
	if err := folder.CheckSource(s); err != nil {
		return err
	}
	read := slices.Concat(s.Inputs(), c.StringSlice("answers-from"), []string{c.String("features"),
		c.String("probabilities"), c.String("answers"), c.String("classes")})
	written := slices.Concat(audit.Results, []string{audit.UnreadableFile})
	if c.String("answers") != "" {
		written = append(written, audit.CrowdResults...)
	}
	for _, name := range written {
		if err := app.Overwrites(filepath.Join(out, name), read...); err != nil {
			return err
		}
		if err := folder.Spare(name); err != nil {
			return err
		}
	}
	if _, err := folder.Summary(); err == nil || folder.Begun() {
		return nil
	}
	return app.Foreign(out, "audit", "an audit", audit.Results...)
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

// nameOf returns the name of own data: that of its file or folder, without endings.
func nameOf(s own.Source) string {
	path := s.Path
	if path == "" {
		path = s.Labels
	}
	base := filepath.Base(path)
	name := rows.TrimEnding(base)
	for _, ending := range []string{".tar.gz", ".tgz", ".zip", ".npy", ".txt"} {
		if n := len(base) - len(ending); n >= 0 && strings.EqualFold(base[n:], ending) {
			name = base[:n]
		}
	}
	return cmp.Or(name, base)
}

// showAudit prints what was found, and which files to open.
func (p Commands) showAudit(out string, s audit.Summary) error {
	w := &strings.Builder{}
	fmt.Fprintln(w, s.Verdict)
	for _, line := range warningLines(s.Warnings, filepath.Join(out, audit.ReportFile)) {
		fmt.Fprintln(w, line)
	}
	if s.Stronger != "" {
		fmt.Fprintln(w, s.Stronger)
	}
	for _, k := range s.Confusions[:min(5, len(s.Confusions))] {
		fmt.Fprintf(w, "  %d labelled %q look like %q\n", k.Count, k.Given, k.Suggested)
	}
	showPeople(w, out, s.Crowd)
	if m := s.Measured; m != nil {
		fmt.Fprintf(w, "against the %d true labels of the data (%d wrong ones): average precision %.3f", m.Known, m.Wrong,
			m.AveragePrecision)
		if s.Crowd == nil { // no label of a consensus is likelier wrong than right
			fmt.Fprintf(w, ", F1 %.3f, %.1f %% of the wrong ones corrected", m.F1, 100*m.Corrected)
		}
		fmt.Fprintln(w)
	}
	if s.Unreadable > 0 {
		fmt.Fprintf(w, "files that were left out, and why: %s\n", filepath.Join(out, audit.UnreadableFile))
	}
	if s.Duplicates != nil {
		fmt.Fprintf(w, "examples that are there twice, or nearly: %s\n", filepath.Join(out, audit.DuplicatesFile))
	}
	fmt.Fprintf(w, "the page: %s\nevery example, worst first: %s\ncheck them: losscorr review %s\n",
		filepath.Join(out, audit.ReportFile), filepath.Join(out, audit.IssuesFile), shell.Word(out))
	if s.Random == nil {
		fmt.Fprintf(w, "count the wrong ones, whatever the mistakes are like: losscorr review %s --random 25\n",
			shell.Word(out))
	}
	_, err := fmt.Fprint(p.Stdout, w.String())
	return err
}

// shownWarnings is how many lines of warnings an audit prints, the most important first.
const shownWarnings = 6

// warningLines are the warnings that are printed. The page has all of them.
func warningLines(warnings []string, page string) (lines []string) {
	for k, warning := range warnings {
		if more := len(warnings) - k; k == shownWarnings-1 && more > 1 {
			return append(lines, fmt.Sprintf("%d more warnings in %s", more, page))
		}
		lines = append(lines, "warning: "+warning)
	}
	return lines
}
