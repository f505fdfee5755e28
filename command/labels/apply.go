package labels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/audit/relabel"
	"github.com/losscorr/losscorr/command/app"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/internal/humanize"
)

func (p Commands) applyCommand() *cli.Command {
	return &cli.Command{
		Name: "apply", Usage: "copy a folder of images with the labels that an audit and its review have corrected", ArgsUsage: "AUDIT DIR", OnUsageError: app.OnUsageError,
		Description: "Writes DIR with the images of an audited folder CLASS/FILE in the folders of their corrected classes:\n" +
			"those of labels_corrected.csv and, before these, of the review's decisions. A test set is copied as it is.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "decisions-only", Usage: "change only the labels that people have changed"},
			&cli.StringFlag{Name: "link", Usage: "make links in place of copies: symbolic or hard"},
			&cli.BoolFlag{Name: "json", Usage: "print the counts as JSON"},
		},
		Action: p.apply,
	}
}

// apply writes a corrected copy of a folder of images.
func (p Commands) apply(c *cli.Context) error {
	link := relabel.Link(c.String("link"))
	switch {
	case c.NArg() < 2:
		return app.Misuse(c, "want the folder of an AUDIT, and the new folder DIR of the copy")
	case c.NArg() > 2:
		return app.Misuse(c, "unexpected argument %q", c.Args().Get(2))
	case link != "" && !slices.Contains(relabel.Links, link):
		names := []string{string(relabel.Symbolic), string(relabel.Hard)}
		return app.Misuse(c, "--link %q is not one of %s%s", link, strings.Join(names, ", "), config.Suggest(string(link), names))
	}
	folder, err := audit.Open(c.Args().Get(0))
	if err != nil {
		return err
	}
	defer app.Stoppable(c.Context, app.OtherStops)()
	dir := c.Args().Get(1)
	done, err := relabel.Apply(c.Context, folder, dir, relabel.ApplyOptions{DecisionsOnly: c.Bool("decisions-only"), Link: link})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.PrintJSON(struct {
			Schema int `json:"schema"`
			relabel.Applied
		}{1, done})
	}
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s: %s, of which %d have another class than before (%d decided by people)\n", dir, humanize.Count(done.Files, "file"), done.Moved, done.ByPeople)
	writeCounts(w, []countLine{
		{done.Files - done.Judged, "were not audited, such as a test set, and are as they were"},
		{done.Undecided, "keep their label, since several classes fit or none: look at them"},
		{done.Renamed, "have a new name, since theirs was taken in the folder of their class"},
		{done.Missing, "were audited and are no longer there"},
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
