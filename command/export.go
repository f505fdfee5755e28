package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/internal/humanize"
)

// exportForms are the forms of label tools to which an audit is written back.
var exportForms = []string{"label-studio"}

func (p Program) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write suggestions and decisions back for the label tool that the data came from", ArgsUsage: "AUDIT FILE", OnUsageError: usageError,
		Description: "Writes the audited JSON export of Label Studio to FILE, ready to be imported there: a prediction for each\n" +
			"task with the suggested class and the score 1 - p_wrong, and an annotation where a review has changed the\n" +
			"class. Nothing else in it changes.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Value: exportForms[0], Usage: "form of the file: " + strings.Join(exportForms, ", "), EnvVars: env("TO")},
			&cli.BoolFlag{Name: "decisions-only", Usage: "write no predictions", EnvVars: env("DECISIONS_ONLY")},
			&cli.BoolFlag{Name: "json", Usage: "print the counts as JSON", EnvVars: env("JSON")},
		},
		Action: p.export,
	}
}

// export writes an audit back into the file of a label tool.
func (p Program) export(c *cli.Context) error {
	form := c.String("to")
	switch {
	case c.NArg() < 2:
		return usage(helpName(c), "want the folder of an AUDIT, and the new FILE")
	case c.NArg() > 2:
		return usage(helpName(c), "unexpected argument %q", c.Args().Get(2))
	case !slices.Contains(exportForms, form):
		return usage(helpName(c), "--to %q is not one of %s%s", form, strings.Join(exportForms, ", "), config.Suggest(form, exportForms))
	}
	folder, err := audit.Open(c.Args().Get(0))
	if err != nil {
		return err
	}
	out := c.Args().Get(1)
	done, err := folder.Export(out, c.Bool("decisions-only"))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(struct {
			Schema int `json:"schema"`
			audit.Exported
		}{1, done})
	}
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s: %s, %s, %s\n", out, humanize.Count(done.Tasks, "task"), humanize.Count(done.Predictions, "prediction"), humanize.Count(done.Corrections, "corrected annotation"))
	writeCounts(w, []countLine{
		{done.Undecided, "keep their label, since several classes fit or none: look at them"},
		{done.Stale, "have another label than when they were audited or decided: audit again"},
	})
	_, err = fmt.Fprint(p.Stdout, w.String())
	return err
}
