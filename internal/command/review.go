package command

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/review"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
)

func (p Program) reviewCommand() *cli.Command {
	return &cli.Command{
		Name: "review", Usage: "check the labels of an audit on a page in the browser", ArgsUsage: "AUDIT",
		Description: "Serves the page to this machine only, unless --listen is given, and prints its address.\n" +
			"Each answer is saved at once to AUDIT/decisions.jsonl, so you can end the review with Ctrl-C\n" +
			"at any time; the same command resumes it. Repeat the audit to use the answers.\n\n" +
			"--random N asks about N random labels to estimate how many of all labels are wrong. The estimate\n" +
			"holds whatever the mistakes are like.\n\n" +
			"--accept 3% asks about random labels until it is clear whether fewer than 3 % of all are wrong.\n" +
			"With --accept, AUDIT may also be DATA without an audit.\n\n" +
			"Several people can review at once at one address (--listen), or one after the other (--reviewer).\n" +
			"Each makes their own decisions; a label they disagree on stays undecided until somebody settles it.",
		Flags: slices.Concat([]cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "port (0: a free one)"},
			&cli.StringFlag{Name: "listen", Usage: "let others open the page at `ADDRESS` of this machine (0.0.0.0: all its " +
				"addresses); the page asks for their names", DefaultText: "127.0.0.1, only this machine"},
			&cli.StringFlag{Name: "reviewer", Usage: "your `NAME`, if several people review one after the other"},
			&cli.IntFlag{Name: "second", Usage: "ask a second reviewer about `N` percent of each reviewer's examples, " +
				"without showing the first decision; the page asks for names"},
			&cli.IntFlag{Name: "random", Usage: "check `N` random labels, to estimate how many are wrong; a larger N keeps " +
				"the labels of a smaller one"},
			&cli.BoolFlag{Name: "blind", Usage: "hide suggestions, probabilities, similar examples"},
			&cli.StringFlag{Name: "write", Usage: "instead of opening a page, write the labels of --random N, or of --accept " +
				"with --checks N, to a new `FILE` for a spreadsheet, with a column \"true\" to fill in for --answers-from"},
		}, acceptFlags()),
		Action: p.review,
	}
}

// checkReview checks the arguments of review.
func checkReview(c *cli.Context) error {
	least := 1
	if c.IsSet("accept") && c.IsSet("labels") { // --labels may be the only data
		least = 0
	}
	if err := app.Arguments(c, least, 1, "name the folder of an audit"); err != nil {
		return err
	}
	switch {
	case c.IsSet("random") && c.Int("random") < 1:
		return app.Misuse(c, "--random %d: give 25 or so", c.Int("random"))
	case c.IsSet("random") && c.IsSet("accept"):
		return app.Misuse(c, "--random estimates the wrong labels, and --accept tests whether they are few: choose one")
	case c.String("write") != "" && !c.IsSet("random") && !(c.IsSet("accept") && c.Int("checks") > 0):
		return app.Misuse(c, "--write needs --random N, or --accept SHARE with --checks N")
	case c.IsSet("reviewer") && review.Name(c.String("reviewer")) == "":
		return app.Misuse(c, "--reviewer %q: use 1 to 60 printable characters", c.String("reviewer"))
	case c.IsSet("reviewer") && c.IsSet("listen"):
		return app.Misuse(c, "--reviewer names one person, but --listen is for several and asks for their names: choose one")
	case strings.Contains(c.String("listen"), ":") && net.ParseIP(c.String("listen")) == nil:
		return app.Misuse(c, "--listen %q: give the address without a port, and the port with --port", c.String("listen"))
	}
	return nil
}

// hosts returns the host names under which others open the page, or none if nobody else may.
func hosts(listen string) []string {
	if listen == "" {
		return nil
	}
	name, err := os.Hostname()
	if err != nil {
		return []string{listen}
	}
	return []string{listen, name}
}

func (p Program) review(c *cli.Context) error {
	if err := checkReview(c); err != nil {
		return err
	}
	accept, err := acceptOf(c)
	if err != nil {
		return err
	}
	folder, err := p.reviewed(c)
	if err != nil {
		return err
	}
	sources, err := p.sourcesOf(c, folder)
	if err != nil {
		return err
	}
	if path := c.String("write"); path != "" {
		return p.writeChecks(c, folder, accept, path)
	}
	if files := c.StringSlice("answers-from"); len(files) > 0 {
		for _, file := range files {
			if err := folder.ImportJudged(file); err != nil {
				return err
			}
		}
		return p.certify(folder, *accept, sources)
	}
	session, err := p.serveReview(c, folder, accept)
	if err != nil {
		return err
	}
	done := session.Progress()
	p.showReviewers(folder, done)
	if done.Random != nil {
		p.showRandom(*done.Random)
	}
	if accept != nil {
		if err := p.certify(folder, *accept, sources); err != nil {
			return err
		}
	}
	if done.Decided > 0 {
		fmt.Fprintf(p.Stderr, "%s decided; to use the answers, repeat the audit (its networks are kept): %s\n",
			humanize.Count(done.Decided, "label"), session.Command())
	}
	return nil
}

// serveReview serves the page until somebody stops the program, and returns the closed session.
func (p Program) serveReview(c *cli.Context, folder *audit.Folder, accept *review.Accept) (*review.Session, error) {
	listen := c.String("listen")
	session, err := review.Open(folder, review.Options{
		Random: c.Int("random"), Accept: accept, Blind: c.Bool("blind"),
		Reviewer: review.Name(c.String("reviewer")), Several: listen != "", Second: c.Int("second"), Hosts: hosts(listen),
	})
	if err != nil {
		return nil, err
	}
	listener, err := review.Listen(listen, c.Int("port"))
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	if p0 := session.Progress().Accept; p0 != nil && p0.Before != "" {
		fmt.Fprintln(p.Stderr, p0.Before)
	}
	defer app.Stoppable(c.Context, app.ReviewEnds)()
	fmt.Fprintln(p.Stdout, session.Address(listener))
	fmt.Fprintln(p.Stderr, "open this address in a browser; Ctrl-C ends the review")
	if listen != "" {
		fmt.Fprintln(p.Stderr, "anyone with the address can see the data and decide, and traffic is not encrypted: share it "+
			"only with your reviewers, on a network you trust")
	}
	return session, errors.Join(session.Serve(c.Context, listener), session.Close())
}

// showReviewers prints how often reviewers agree, and the file that lists their disagreements.
func (p Program) showReviewers(folder *audit.Folder, done review.Progress) {
	if done.Reviewed != nil {
		for _, a := range done.Reviewed.Agreements {
			fmt.Fprintln(p.Stderr, a)
		}
	}
	if done.Conflicts > 0 {
		fmt.Fprintf(p.Stderr, "reviewers disagree on %s; these stay undecided until a review settles them: %s\n",
			humanize.Count(done.Conflicts, "label"), folder.Path(audit.ConflictsFile))
	}
}

// writeChecks writes the labels that --random or --accept draws, for a spreadsheet.
func (p Program) writeChecks(c *cli.Context, folder *audit.Folder, accept *review.Accept, path string) (err error) {
	judged, err := folder.Judged()
	if err != nil {
		return err
	}
	log, err := folder.Write()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var draws audit.Draws
	then := judged.Summary.Command
	if accept != nil {
		var a *audit.Accepting
		if a, err = folder.Accept(log, accept.Limit, accept.Reject, accept.Risk); err == nil {
			draws = a.Draws(accept.Checks)
		}
		then = "losscorr review " + shell.Word(folder.Dir()) + " --accept " + c.String("accept")
	} else {
		draws, err = judged.Draw(log, c.Int("random"))
	}
	if err != nil {
		return err
	}
	blind := c.Bool("blind") || judged.NoModel()
	if err := judged.WriteSheet(c.Context, path, draws, log, blind); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s; fill in the column \"true\" from the top: the class, or ambiguous (several fit), "+
		"none (no class fits) or skip. You can stop at any line.\n"+
		"then: %s --answers-from %s\n", path, humanize.Count(len(draws.Distinct()), "label"), then, shell.Word(path))
	return nil
}

// showRandom prints the result of random checks.
func (p Program) showRandom(done review.RandomProgress) {
	if done.Count == nil {
		fmt.Fprintf(p.Stderr, "%d of %d random checks done: too few for an estimate\n", done.Checked, done.Asked)
		return
	}
	fmt.Fprintln(p.Stderr, done.Verdict)
	for _, more := range done.Count.More[:min(1, len(done.Count.More))] {
		fmt.Fprintf(p.Stderr, "about %d more checks would narrow it down to within %.0f %%\n", more.Checks, 100*more.Share)
	}
}
