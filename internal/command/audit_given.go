package command

import (
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// answersOf reads --answers, or returns nil without the flag.
func answersOf(c *cli.Context, source own.Source) (*find.Answers, error) {
	file := c.String("answers")
	if file == "" {
		return nil, app.Needs(c, "answers FILE", "ask", "ask-each", "task", "worker", "answer", "annotator")
	}
	for _, flag := range []string{"labels", "label", "split", "test", "test-labels"} {
		if c.IsSet(flag) {
			return nil, app.Misuse(c, "leave out --%s: --answers gives the labels, and all examples are audited", flag)
		}
	}
	ask := annotators.AskOptions{Count: c.Int("ask"), Each: c.Int("ask-each")}
	if ask.Count < 0 || ask.Each < 0 {
		return nil, app.Misuse(c, "--ask %d --ask-each %d: give numbers of examples", ask.Count, ask.Each)
	}
	if err := app.Needs(c, "ask N", "ask-each"); err != nil {
		return nil, err
	}
	if err := app.IsThere(file); err != nil {
		return nil, err
	}
	columns := own.AnswerColumns{Task: c.String("task"), Worker: c.String("worker"), Label: c.String("answer"),
		People: c.StringSlice("annotator")}
	given, err := own.ReadAnswers(file, columns)
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	return &find.Answers{Answers: given, File: file, Source: source, Task: columns.Task, Ask: ask}, nil
}

// classesFlag returns the flag that names the columns of --probabilities.
func classesFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "classes",
		Usage: "the classes of the columns of --probabilities if the file does not name them: a,b,c, or a FILE.txt " +
			"with one per line (default: in the order of their numbers or names)",
	}
}

// givenProbabilities reads --probabilities and --classes, or returns nil without them.
func givenProbabilities(c *cli.Context, features string) (*find.Given, error) {
	file := c.String("probabilities")
	if file == "" {
		return nil, app.Needs(c, "probabilities FILE", "classes")
	}
	if err := app.IsThere(file); err != nil {
		return nil, err
	}
	var columns []string
	if text := c.String("classes"); strings.EqualFold(filepath.Ext(text), ".txt") {
		var err error
		if columns, err = own.ReadClasses(text); err != nil {
			return nil, dataset.Errorf("--classes: %w", err)
		}
	} else if text != "" {
		for name := range strings.SplitSeq(text, ",") {
			columns = append(columns, strings.TrimSpace(name))
		}
	}
	return &find.Given{File: file, Columns: columns, Features: features}, nil
}

// auditSource returns the data to audit, and the file of features that goes with --probabilities. Without
// --probabilities, --features names columns of a table.
func auditSource(c *cli.Context, names []string) (s own.Source, features string, err error) {
	if s, err = onePath(c, names); err != nil {
		return s, "", err
	}
	if c.String("probabilities") == "" || len(s.Features) != 1 || !strings.EqualFold(filepath.Ext(s.Features[0]), ".npy") {
		return s, "", nil
	}
	features, s.Features = s.Features[0], nil
	return s, features, app.IsThere(features)
}
