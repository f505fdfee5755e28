package command

import (
	"cmp"
	"io"
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
		Name: "export", Usage: "write suggestions and decisions back to where the data came from", ArgsUsage: "AUDIT OUT",
		Description: "Writes the audited annotations to the new file OUT, ready to be imported where they came from.\n" +
			"Of a folder of images CLASS/FILE, OUT is a copy with each image in the folder of its corrected class. An\n" +
			"export of Label Studio gets a prediction for each task with the suggested class and the score 1 - p_wrong, and\n" +
			"an annotation where a review has changed the class. COCO, YOLO, Pascal VOC, CVAT and FiftyOne get the classes\n" +
			"that the audit and its review have corrected; of YOLO and VOC, OUT is a new folder with the files of labels\n" +
			"alone. Parquet, a file or a folder of them, gets the columns label_corrected and p_wrong, and label_consensus\n" +
			"of an audit of answers. A table of texts or numbers becomes a CSV file with the same two columns. Of any data\n" +
			"--to csv writes a table of names, given and corrected labels. Nothing else in the files changes.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "form of the file: that of the data, one of " +
				strings.Join(relabel.Forms(), ", ") + "; " + relabel.TableForm + " of any data; or " +
				relabel.AnswersForm + ": a table of each reviewer's answers, for audit --answers and --answers-from",
				DefaultText: "that of the data"},
			&cli.BoolFlag{Name: "decisions-only", Usage: "write what people have decided, and nothing of the audit"},
			&cli.StringFlag{Name: "link", Usage: "of a folder of images: make links in place of copies, symbolic or hard"},
			&cli.BoolFlag{Name: "json", Usage: "print the counts as JSON"},
		},
		Action: p.export,
	}
}

// export writes an audit back into the file of a label tool.
func (p Program) export(c *cli.Context) error {
	if err := cmp.Or(
		app.Arguments(c, 2, 2, "want the folder of an AUDIT, and OUT, the new file or folder"),
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
	out, form := c.Args().Get(1), cmp.Or(c.String("to"), relabel.FormOf(s))
	if err := checkForm(c, s, out, form); err != nil {
		return err
	}
	var done interface {
		WriteText(w io.Writer, out string) error
	}
	switch form {
	case relabel.AnswersForm:
		done, err = relabel.ExportAnswers(folder, out)
	case relabel.FolderForm:
		defer app.Stoppable(c.Context, app.OtherStops)()
		done, err = relabel.Apply(c.Context, folder, out, relabel.ApplyOptions{DecisionsOnly: c.Bool("decisions-only"),
			Link: c.String("link")})
	default:
		done, err = relabel.Export(folder, form, out, c.Bool("decisions-only"))
	}
	switch {
	case err != nil:
		return err
	case c.Bool("json"):
		return p.PrintJSON(done)
	}
	return done.WriteText(p.Stdout, out)
}

// checkForm refuses a form that the data of an audit cannot be written in, and what does not go with the form.
func checkForm(c *cli.Context, s audit.Summary, out, form string) error {
	of, ending := relabel.FormOf(s), strings.ToLower(filepath.Ext(out))
	switch {
	case form == relabel.AnswersForm:
		return nil
	case form != of && form != relabel.TableForm:
		return app.Misuse(c, "--to %s: the data of the audit, %s, can be written as %s", form, s.Source.Path,
			strings.Join(slices.Compact([]string{of, relabel.TableForm}), " or "))
	case form == relabel.TableForm && ending != ".csv" && ending != ".tsv":
		return app.Misuse(c, "%s: a table is written as CSV: choose a name that ends in .csv or .tsv", out)
	case form != relabel.FolderForm && c.IsSet("link"):
		return app.Misuse(c, "--link is for folders of images, and %s is not one", s.Source.Path)
	}
	return nil
}
