package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/audit/review"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
)

func (p Program) reviewCommand() *cli.Command {
	return &cli.Command{
		Name: "review", Usage: "check the labels of an audit on a page in the browser", ArgsUsage: "FOLDER", OnUsageError: usageError,
		Description: "Serves the page on this machine alone and prints its address, which it does not open.\n" +
			"Each decision is saved at once to FOLDER/decisions.csv, so that the review may be ended\n" +
			"with Ctrl-C or killed at any time; the same command resumes it.\n\n" +
			"--random N asks about N labels drawn at random, and counts the wrong ones among all: that\n" +
			"number is true whatever the mistakes are like. The same audit again then uses the answers.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "port of 127.0.0.1 (0: a free one)", EnvVars: env("PORT")},
			&cli.IntFlag{Name: "random", Usage: "check `N` labels drawn at random, to count the wrong ones; the same ones each time, and further ones if N grows", EnvVars: env("RANDOM")},
			&cli.BoolFlag{Name: "blind", Usage: "with --random: show no suggestion, probability or similar example", EnvVars: env("BLIND")},
			&cli.StringFlag{Name: "write", Usage: "with --random: write the labels to a new `FILE` for a spreadsheet, with an empty column \"true\", and open no page (audit --checked FILE reads it)", EnvVars: env("WRITE")},
		},
		Action: p.review,
	}
}

func (p Program) review(c *cli.Context) error {
	switch port := c.Int("port"); {
	case c.NArg() == 0:
		return usage(helpName(c), "the folder of an audit is missing")
	case c.NArg() > 1:
		return usage(helpName(c), "unexpected argument %q", c.Args().Get(1))
	case port < 0 || port > 65535:
		return usage(helpName(c), "--port %d is not a port", port)
	case c.IsSet("random") && c.Int("random") < 10:
		return usage(helpName(c), "--random %d: want 10 or more labels to count by", c.Int("random"))
	case !c.IsSet("random") && c.Bool("blind"):
		return usage(helpName(c), "--blind needs --random N")
	case !c.IsSet("random") && c.String("write") != "":
		return usage(helpName(c), "--write needs --random N")
	}
	folder, err := audit.Open(c.Args().First())
	if err != nil {
		return err
	}
	if path := c.String("write"); path != "" {
		return p.writeChecks(folder, path, c.Int("random"))
	}
	session, err := review.Open(folder, review.Options{Random: c.Int("random"), Blind: c.Bool("blind")})
	if err != nil {
		return err
	}
	listener, err := review.Listen(c.Int("port"))
	if err != nil {
		return errors.Join(err, session.Close())
	}
	if text := session.Repaired(); text != "" {
		fmt.Fprintf(p.Stderr, "warning: %s\n", text)
	}
	defer stoppable(c.Context, reviewEnds)()
	fmt.Fprintln(p.Stdout, session.Address(listener))
	fmt.Fprintln(p.Stderr, "open this address in a browser; Ctrl-C ends the review")
	err = errors.Join(session.Serve(c.Context, listener), session.Close())
	if done := session.Progress(); err == nil && done.Random != nil {
		p.showRandom(*done.Random, session.Command())
	} else if err == nil && done.Decided > 0 {
		path := filepath.Join(folder.Dir(), audit.DecisionsFile)
		fmt.Fprintf(p.Stderr, "decided: %s; to use them, repeat the audit with --trusted %s\n", humanize.Count(done.Decided, "label"), shell.Word(path))
	}
	return err
}

// writeChecks writes random checks for a spreadsheet.
func (p Program) writeChecks(folder *audit.Folder, path string, n int) error {
	judged, err := folder.Judged()
	if err != nil {
		return err
	}
	draw, err := judged.Draw(n)
	if err != nil {
		return err
	}
	s, err := folder.Summary()
	if err != nil {
		return err
	}
	decisions, err := audit.ReadDecisions(folder.Path(audit.DecisionsFile))
	if err != nil {
		return err
	}
	if err := judged.WriteSheet(path, draw, audit.Last(audit.WithNames(decisions, s.Source))); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s; fill in the column \"true\" from the top: the class, or ambiguous (several fit), none (no class fits) or skip. You may stop at any line.\n"+
		"then: %s --checked %s\n", path, humanize.Count(draw.Asked, "label"), s.Command, shell.Word(path))
	return nil
}

// showRandom prints what random checks have said, and how to use them.
func (p Program) showRandom(done review.RandomProgress, again string) {
	if done.Count == nil {
		fmt.Fprintf(p.Stderr, "%d of %d random checks are made: too few to count by\n", done.Checked, done.Asked)
		return
	}
	fmt.Fprintln(p.Stderr, done.Verdict)
	for _, more := range done.Count.More[:min(1, len(done.Count.More))] {
		fmt.Fprintf(p.Stderr, "about %d more checks make it certain within %.0f %%\n", more.Checks, 100*more.Share)
	}
	fmt.Fprintf(p.Stderr, "to use the answers, repeat the audit, which keeps its networks: %s\n", again)
}
