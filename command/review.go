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
			"with Ctrl-C or killed at any time; the same command resumes it.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "port of 127.0.0.1 (0: a free one)", EnvVars: env("PORT")},
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
	}
	folder, err := audit.Open(c.Args().First())
	if err != nil {
		return err
	}
	session, err := review.Open(folder, review.Options{})
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
	if done := session.Progress(); err == nil && done.Decided > 0 {
		path := filepath.Join(folder.Dir(), audit.DecisionsFile)
		fmt.Fprintf(p.Stderr, "decided: %s; to use them, repeat the audit with --trusted %s\n", humanize.Count(done.Decided, "label"), shell.Word(path))
	}
	return err
}
