package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/html"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/results/paper"
)

func (p Program) reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "print the tables of finished runs beside the paper's", ArgsUsage: "DIR...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Usage: strings.Join(formats.Names(), ", "), Value: "text"},
			&cli.StringFlag{Name: "out", Usage: "folder that also gets report.html, table.csv, table.md, table.tex, runs.csv " +
				"and a figure for each noise"},
			&cli.BoolFlag{Name: "table2", Usage: "only the six blocks of the paper's Table 2"},
			&cli.BoolFlag{Name: "claims",
				Usage: "the paper's claims about Table 2, checked against its numbers and ours"},
			&cli.BoolFlag{Name: "table3", Usage: "rows 4 to 8 of the paper's Table 3, on Clothing1M"},
		},
		Action: p.report,
	}
}

// format is a format of the printed tables.
type format struct {
	name  string
	write func(io.Writer, document) error
}

// document is the content of a report: the blocks of a study, or one table made from them.
type document struct {
	study   *report.Study
	blocks  []*report.Block
	table   *report.Table
	command string // command line that makes the page
}

// write writes the tables, separated by empty lines.
func (d document) write(w io.Writer, one func(*report.Table, io.Writer) error) error {
	tables := []*report.Table{d.table}
	if d.table == nil {
		tables = nil
		for _, b := range d.blocks {
			tables = append(tables, b.Table())
		}
	}
	for k, t := range tables {
		if k > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := one(t, w); err != nil {
			return err
		}
	}
	return nil
}

var formats = table.Of[format]{
	{"text", func(w io.Writer, d document) error { return d.write(w, (*report.Table).WriteText) }},
	{"markdown", func(w io.Writer, d document) error { return d.write(w, (*report.Table).WriteMarkdown) }},
	{"latex", func(w io.Writer, d document) error {
		if _, err := io.WriteString(w, report.LaTeXNeeds); err != nil {
			return err
		}
		return d.write(w, (*report.Table).WriteLaTeX)
	}},
	{"csv", func(w io.Writer, d document) error {
		if d.table != nil {
			return d.table.WriteCSV(w)
		}
		return report.CellsTable(d.blocks).WriteCSV(w)
	}},
	{"runs", func(w io.Writer, d document) error { return report.List(d.study).WriteCSV(w) }},
	{"html", func(w io.Writer, d document) error {
		return html.Write(w, d.study, html.Options{Program: "losscorr " + losscorr.Version, Command: d.command})
	}},
}

// String returns the format's name.
func (f format) String() string { return f.name }

func (p Program) report(c *cli.Context) error {
	name := app.HelpName(c)
	which := c.String("format")
	table2, table3, claims := c.Bool("table2"), c.Bool("table3"), c.Bool("claims")
	switch {
	case c.NArg() == 0:
		return app.Usage(name, "a folder of runs is missing, such as runs/mnist")
	case !formats.Has(which):
		return app.Usage(name, "unknown --format %s%s; there is: %s", which,
			config.Suggest(which, formats.Names()), strings.Join(formats.Names(), ", "))
	case table2 && table3, table2 && claims, table3 && claims:
		return app.Usage(name, "--table2, --table3 and --claims are different reports; choose one")
	}
	if out := c.String("out"); out != "" {
		if err := replaceable(out); err != nil {
			return app.Usage(name, "%v", err)
		}
	}
	// These reports use whatever runs there are, even unfinished ones.
	assembled := table2 || table3 || claims || which == "runs"
	study, damage := load(c.Args().Slice(), assembled)
	if assembled && len(study.Empty) > 0 {
		fmt.Fprintf(p.Stderr, "left out, without a finished run: %s\n", strings.Join(study.Empty, ", "))
	}
	doc := document{study: study, blocks: study.Blocks(), command: pageCommand(c.Args().Slice())}
	switch {
	case len(doc.blocks) == 0 && damage != nil && !assembled:
		return damage
	case table2:
		doc.keepTable2()
		if len(doc.blocks) == 0 {
			fmt.Fprintln(p.Stderr, "no finished run belongs to Table 2; make table2 runs all of it")
		}
	case claims:
		doc.table = report.Claims(doc.blocks)
	case table3:
		doc.table = report.Table3(study.Finished())
	}
	if err := formats.Named(which).write(p.Stdout, doc); err != nil {
		return err
	}
	if out := c.String("out"); out != "" {
		if err := leaveReport(p.Stderr, out, doc); err != nil {
			return err
		}
	}
	return damage
}

// keepTable2 keeps only the blocks of the paper's Table 2.
func (d *document) keepTable2() {
	elsewhere := func(dataset, model string) bool {
		return !slices.Contains(paper.Blocks(), paper.Block{Dataset: dataset, Model: model})
	}
	apart := func(b *report.Block) bool { return elsewhere(b.Dataset, b.Model) }
	d.blocks, d.study.Kept = slices.DeleteFunc(d.blocks, apart), slices.DeleteFunc(d.study.Kept, apart)
	d.study.Runs = slices.DeleteFunc(d.study.Runs, func(r *report.Run) bool {
		return elsewhere(r.Config.Dataset, r.Config.Model)
	})
}

// pageCommand returns the command line that writes the page of these folders.
func pageCommand(dirs []string) string {
	text := "losscorr report --format html"
	for _, dir := range dirs {
		text += " " + shell.Word(dir)
	}
	return text
}

// errNoResult is the error for a folder without a finished run.
var errNoResult = errors.New("no " + store.ResultFile)

// load reads the runs below the folders, or the blocks kept there. It leaves
// damaged ones out and names them in the error. If lenient is set, folders that
// are missing or have no finished run are listed in Study.Empty instead.
func load(dirs []string, lenient bool) (*report.Study, error) {
	var there, missing []string
	for _, dir := range dirs {
		if _, err := os.Stat(dir); lenient && errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, dir)
		} else {
			there = append(there, dir)
		}
	}
	study, err := report.Load(there...)
	study.Empty = append(study.Empty, missing...)
	problems := []error{err}
	if !lenient {
		for _, dir := range study.Empty {
			problems = append(problems, fmt.Errorf("%w in %s or below: has a run finished there?", errNoResult, dir))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return study, dataset.Errorf("%w", err)
	}
	return study, nil
}

// pageFile is the page of a report.
const pageFile = "report.html"

// reportFiles are the files of a report. The page comes first: it marks the folder as a
// report if the program is killed before it has written the rest.
var reportFiles = []struct{ format, name string }{{"html", pageFile}, {"markdown", "table.md"}, {"latex", "table.tex"},
	{"csv", "table.csv"}, {"runs", "runs.csv"}}

// replaceable returns an error if a report would replace files in a folder that do not belong
// to a report.
func replaceable(folder string) error {
	if html.IsPage(filepath.Join(folder, pageFile)) {
		return nil
	}
	var names []string
	for _, f := range reportFiles {
		names = append(names, f.name)
	}
	return files.Foreign(folder, "report", "a report of runs", names...)
}

func writeReport(folder string, doc document) (written []string, err error) {
	if err := replaceable(folder); err != nil {
		return nil, err
	}
	for _, f := range reportFiles {
		path := filepath.Join(folder, f.name)
		if err := app.WriteFile(path, func(w io.Writer) error { return formats.Named(f.format).write(w, doc) }); err != nil {
			return written, fmt.Errorf("write the table: %w", err)
		}
		written = append(written, path)
	}
	return written, nil
}
