package command

import (
	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// answersOf reads --answers; nil without.
func answersOf(c *cli.Context, source own.Source) (*find.Answers, error) {
	file := c.String("answers")
	if file == "" {
		for _, flag := range []string{"ask", "ask-each"} {
			if c.IsSet(flag) {
				return nil, app.Misuse(c, "--%s is of the answers of several people: give their file (--answers)", flag)
			}
		}
		for _, flag := range []string{"task", "worker", "answer", "annotator"} {
			if c.IsSet(flag) {
				return nil, app.Misuse(c, "--%s is a column of answers: give their file (--answers)", flag)
			}
		}
		return nil, nil
	}
	for _, flag := range []string{"labels", "label", "split", "test", "test-labels"} {
		if c.IsSet(flag) {
			return nil, app.Misuse(c, "--%s: with --answers the labels are those of the answers, and all examples are audited",
				flag)
		}
	}
	ask := annotators.AskOptions{Count: c.Int("ask"), Each: c.Int("ask-each")}
	switch {
	case ask.Count < 0 || ask.Each < 0:
		return nil, app.Misuse(c, "--ask %d --ask-each %d: want numbers of examples", ask.Count, ask.Each)
	case ask.Each > 0 && ask.Count == 0:
		return nil, app.Misuse(c, "--ask-each %d needs --ask N", ask.Each)
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
