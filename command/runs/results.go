package runs

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
	"golang.org/x/term"

	"github.com/losscorr/losscorr/command/app"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/table"
	"github.com/losscorr/losscorr/report"
)

func (p Commands) resultsCommand() *cli.Command {
	return group("results", "list runs, finished or not, and write them for other programs", "command",
		&cli.Command{
			Name: "show", Usage: "print runs, one a line, or their epochs", ArgsUsage: "DIR...", OnUsageError: app.OnUsageError,
			Flags:  append(listFlags(), &cli.BoolFlag{Name: "json", Usage: "print JSON, with all columns", EnvVars: app.Env("JSON")}),
			Action: p.showResults,
		},
		&cli.Command{
			Name: "export", Usage: "write runs or their epochs as " + strings.Join(exports.Names(), ", "), ArgsUsage: "DIR...", OnUsageError: app.OnUsageError,
			Flags: append(listFlags(),
				&cli.StringFlag{Name: "format", Usage: strings.Join(exports.Names(), ", ") + " (default: by the ending of --out, else csv)", EnvVars: app.Env("FORMAT")},
				&cli.StringFlag{Name: "out", Usage: "file to write (default: standard output)", EnvVars: app.Env("OUT")},
				&cli.BoolFlag{Name: "force", Usage: "replace the file where it is there", EnvVars: app.Env("FORCE")}),
			Action: p.exportResults,
		})
}

func (p Commands) showResults(c *cli.Context) error {
	all := c.Bool("json")
	listing, damage := p.listing(c, all)
	if listing == nil {
		return damage
	}
	var err error
	if all {
		err = listing.WriteRows(p.Stdout)
	} else {
		err = listing.WriteText(p.Stdout)
		fmt.Fprintln(p.Stderr, countOf(c, listing))
	}
	return errors.Join(err, damage)
}

// export is a format in which runs are written.
type export struct {
	name    string
	endings []string
	whole   bool // for programs: all columns
	write   func(*report.Sheet, io.Writer) error
}

var exports = table.Of[export]{
	{"csv", []string{".csv"}, true, (*report.Sheet).WriteCSV},
	{"json", []string{".json"}, true, (*report.Sheet).WriteRows},
	{"latex", []string{".tex"}, false, func(l *report.Sheet, w io.Writer) error {
		if _, err := io.WriteString(w, report.LaTeXNeeds); err != nil {
			return err
		}
		return l.WriteLaTeX(w)
	}},
	{"md", []string{".md", ".markdown"}, false, func(l *report.Sheet, w io.Writer) error { return l.WriteMarkdown(w) }},
	{"parquet", []string{".parquet", ".pq"}, true, (*report.Sheet).WriteParquet},
}

// String returns the format's name.
func (e export) String() string { return e.name }

func (p Commands) exportResults(c *cli.Context) error {
	out, which := c.String("out"), c.String("format")
	if which == "" {
		which = "csv"
		ending := strings.ToLower(filepath.Ext(out))
		known := slices.IndexFunc(exports, func(e export) bool { return slices.Contains(e.endings, ending) })
		if known < 0 && ending != "" {
			return app.Misuse(c, "--out %s: no format has the ending %s; name one with --format: %s", out, ending, strings.Join(exports.Names(), ", "))
		}
		if known >= 0 {
			which = exports[known].name
		}
	}
	switch {
	case !exports.Has(which):
		return app.Misuse(c, "--format %s: there is no such format%s; there is: %s", which, config.Suggest(which, exports.Names()), strings.Join(exports.Names(), ", "))
	case out == "" && which == "parquet" && onTerminal(app.Raw(p.Stdout)):
		return app.Misuse(c, "parquet is no text for a terminal: name a file with --out")
	}
	if out != "" {
		if err := mayWrite(c, out); err != nil {
			return err
		}
	}
	listing, damage := p.listing(c, exports.Named(which).whole)
	if listing == nil {
		return damage
	}
	write := func(w io.Writer) error { return exports.Named(which).write(listing, w) }
	if out == "" {
		return errors.Join(write(app.Raw(p.Stdout)), damage)
	}
	if err := app.WriteFile(out, write); err != nil {
		return errors.Join(fmt.Errorf("write the runs: %w", err), damage)
	}
	fmt.Fprintf(p.Stderr, "written: %s, %s\n", out, countOf(c, listing))
	return damage
}

// countOf says how many rows a listing has.
func countOf(c *cli.Context, l *report.Sheet) string {
	if c.IsSet("epochs") {
		return humanize.Count(len(l.Rows), "epoch")
	}
	return humanize.Runs(len(l.Rows))
}

// mayWrite refuses a path that cannot become a file, before anything is read.
func mayWrite(c *cli.Context, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil // a device or a pipe
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return app.Misuse(c, "--out %s: it is a folder; name a file in it", path)
	case err == nil && !c.Bool("force"):
		return app.Misuse(c, "--out %s: the file is there already; --force replaces it", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write the runs: %w", err)
	}
	if folder := filepath.Dir(path); err != nil {
		if _, err := os.Stat(folder); err != nil {
			return fmt.Errorf("write the runs: %w; make the folder first, or name another", err)
		}
	}
	return nil
}

func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
