package command

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
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
	form, forms := c.String("to"), append(relabel.Forms(), relabel.AnswersForm)
	switch {
	case c.NArg() < 2:
		return app.Misuse(c, "want the folder of an AUDIT, and OUT, the new file or folder")
	case c.NArg() > 2:
		return app.Misuse(c, "unexpected argument %q", c.Args().Get(2))
	case form != "" && !slices.Contains(forms, form):
		return app.Misuse(c, "--to %q is not one of %s%s", form, strings.Join(forms, ", "), config.Suggest(form, forms))
	}
	folder, err := audit.Open(c.Args().Get(0))
	if err != nil {
		return err
	}
	if form == relabel.AnswersForm {
		return p.exportAnswers(c, folder)
	}
	s, err := folder.Summary()
	if err != nil {
		return err
	}
	out := c.Args().Get(1)
	if form, err = formOf(c, s, form); err != nil {
		return err
	}
	if form == relabel.FolderForm {
		return p.exportFolder(c, folder)
	}
	if ending := strings.ToLower(filepath.Ext(out)); form == relabel.TableForm && ending != ".csv" && ending != ".tsv" {
		return app.Misuse(c, "%s: a table is written as CSV: choose a name that ends in .csv or .tsv", out)
	}
	if c.IsSet("link") {
		return app.Misuse(c, "--link is for folders of images, and %s is not one", s.Source.Path)
	}
	done, err := relabel.Export(folder, form, out, c.Bool("decisions-only"))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printExported(done)
	}
	w := &strings.Builder{}
	switch done.Form {
	case relabel.TasksForm:
		fmt.Fprintf(w, "%s: %s, %s, %s\n", out, humanize.Count(done.Tasks, "task"), humanize.Count(done.Predictions,
			"prediction"), humanize.Count(done.Corrections, "corrected annotation"))
	default:
		fmt.Fprintf(w, "%s: %s, %d with another class, %d of these by people\n", out, humanize.Count(done.Tasks, "label"),
			done.Corrections, done.ByPeople)
	}
	writeCounts(w, []countLine{
		{done.Undecided, "keep their label, since several classes fit or none: look at them"},
		{done.Conflicts, "count as undecided, since reviewers disagree: losscorr review settles them"},
		{done.Stale, "have another label than when they were audited or decided: audit again"},
	})
	_, err = fmt.Fprint(p.Stdout, w.String())
	return err
}

// formOf returns the form to write: the given one, or "" for that of the data.
func formOf(c *cli.Context, s audit.Summary, given string) (string, error) {
	of := relabel.FormOf(s)
	form := cmp.Or(given, of)
	if form != of && form != relabel.TableForm {
		return "", app.Misuse(c, "--to %s: the data of the audit, %s, can be written as %s", form, s.Source.Path,
			strings.Join(slices.Compact([]string{of, relabel.TableForm}), " or "))
	}
	return form, nil
}

func (p Program) printExported(done relabel.Exported) error {
	return p.PrintJSON(struct {
		Schema int `json:"schema"`
		relabel.Exported
	}{1, done})
}

// exportAnswers writes what each reviewer decided, for an audit of the answers of several people.
func (p Program) exportAnswers(c *cli.Context, folder *audit.Folder) error {
	out := c.Args().Get(1)
	done, err := relabel.ExportAnswers(folder, out)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printExported(done)
	}
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s: %s to %s\n", out, humanize.Count(done.Answers, "answer"), humanize.Count(done.Tasks, "example"))
	writeCounts(w, []countLine{{done.Undecided, "more decisions name no class, since several fit or none"}})
	fmt.Fprintf(w, "then: losscorr audit DATA --answers %s\n", shell.Word(out))
	_, err = fmt.Fprint(p.Stdout, w.String())
	return err
}

// exportFolder writes a copy of a folder of images, each in the folder of its corrected class.
func (p Program) exportFolder(c *cli.Context, folder *audit.Folder) error {
	link := relabel.Link(c.String("link"))
	if link != "" && !slices.Contains(relabel.Links, link) {
		names := []string{string(relabel.Symbolic), string(relabel.Hard)}
		return app.Misuse(c, "--link %q is not one of %s%s", link, strings.Join(names, ", "),
			config.Suggest(string(link), names))
	}
	defer app.Stoppable(c.Context, app.OtherStops)()
	dir := c.Args().Get(1)
	done, err := relabel.Apply(c.Context, folder, dir, relabel.ApplyOptions{DecisionsOnly: c.Bool("decisions-only"),
		Link: link})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.PrintJSON(struct {
			Schema int    `json:"schema"`
			Form   string `json:"form"`
			relabel.Applied
		}{1, relabel.FolderForm, done})
	}
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s: %s, of which %d have another class than before (%d decided by people)\n", dir,
		humanize.Count(done.Files, "file"), done.Moved, done.ByPeople)
	writeCounts(w, []countLine{
		{done.Files - done.Judged, "were not audited, such as a test set, and are as they were"},
		{done.Undecided, "keep their label, since several classes fit or none: look at them"},
		{done.Renamed, "have a new name, since theirs was taken in the folder of their class"},
		{done.Missing, "are missing since the audit"},
		{done.Replaced, "keep their label, since other files have their names since the audit: audit again"},
		{done.Conflicts, "count as undecided, since reviewers disagree: losscorr review settles them"},
		{done.Stale, "have another label than when a person decided: those decisions do not count"},
	})
	_, err = fmt.Fprint(p.Stdout, w.String())
	return err
}

// countLine says what a number of examples have in common.
type countLine struct {
	count int
	text  string
}

// writeCounts writes the lines whose count is not 0.
func writeCounts(w *strings.Builder, lines []countLine) {
	for _, line := range lines {
		if line.count > 0 {
			fmt.Fprintf(w, "  %d %s\n", line.count, line.text)
		}
	}
}
