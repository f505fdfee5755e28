package command

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/command/app"
)

func (p Program) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write corrected labels in the format of the data", ArgsUsage: "AUDIT OUT",
		Description: "Writes the corrected labels to the new file OUT, in the format of the data.\n" +
			"For a folder of images CLASS/FILE, OUT is a copy with each image in the folder of its corrected class.\n" +
			"Label Studio gets a prediction for each task, with the suggested class and the score 1 - p_wrong, and an\n" +
			"annotation where a review changed the class. COCO, YOLO, Pascal VOC and CVAT get the corrected classes; for\n" +
			"YOLO and VOC, OUT is a new folder with only the label files. Parquet, a file or a folder of\n" +
			"files, gets the columns label_corrected and p_wrong, and label_consensus if several people labelled the data.\n" +
			"A table of texts or numbers becomes a CSV file with the same columns. For any data, --to csv writes a table of\n" +
			"names, given and corrected labels. Nothing else in the files changes.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "format: the data's own, one of " +
				strings.Join(relabel.Forms(), ", ") + "; " + relabel.TableForm + " for any data; or " +
				relabel.AnswersForm + ": a table of each reviewer's answers, for audit --answers and --answers-from",
				DefaultText: relabel.TableForm + " for OUT.csv, else the data's own"},
			&cli.BoolFlag{Name: "decisions-only", Usage: "write only people's decisions, without the audit's suggestions"},
			&cli.StringFlag{Name: "link", Usage: "with a folder of images: make links, symbolic or hard, instead of copies"},
			&cli.BoolFlag{Name: "json", Usage: "print the counts as JSON"},
		},
		Action: p.export,
	}
}

func (p Program) export(c *cli.Context) error {
	if err := cmp.Or(
		app.Arguments(c, 2, 2, "name the folder of an AUDIT, and OUT, the new file or folder"),
		app.OneOf(c, "to", append(relabel.Forms(), relabel.AnswersForm)),
		app.OneOf(c, "link", relabel.Links),
	); err != nil {
		return err
	}
	folder, err := audit.Open(c.Args().Get(0))
	if err != nil {
		return err
	}
	s, err := folder.Summary()
	if err != nil {
		return err
	}
	out, form := c.Args().Get(1), relabel.FormOf(s)
	if isTable(out) {
		form = relabel.TableForm
	}
	form = cmp.Or(c.String("to"), form)
	if err := checkForm(c, s, out, form); err != nil {
		return err
	}
	if form == relabel.FolderForm {
		defer app.Stoppable(c.Context, app.OtherStops)()
	}
	done, err := relabel.Export(c.Context, folder, form, out,
		relabel.Options{DecisionsOnly: c.Bool("decisions-only"), Link: c.String("link")})
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return p.PrintJSON(done)
	}
	return done.WriteText(p.Stdout, out)
}

func isTable(out string) bool {
	return slices.Contains([]string{".csv", ".tsv"}, strings.ToLower(filepath.Ext(out)))
}

// checkForm refuses a format that the audited data cannot be written in, and flags that do not go with the format.
func checkForm(c *cli.Context, s audit.Summary, out, form string) error {
	of := relabel.FormOf(s)
	switch {
	case form == relabel.AnswersForm:
		return nil
	case form != of && form != relabel.TableForm:
		return app.Misuse(c, "--to %s: %s can only be written as %s", form, s.Source.Path,
			strings.Join(slices.Compact([]string{of, relabel.TableForm}), " or "))
	case form == relabel.TableForm && !isTable(out):
		return app.Misuse(c, "%s: tables are written as CSV; choose a name that ends in .csv or .tsv", out)
	case form != relabel.FolderForm && c.IsSet("link"):
		return app.Misuse(c, "--link is for folders of images, and %s is not one", s.Source.Path)
	}
	return nil
}
