package labels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/humanize"
)

// exportFolder writes a copy of a folder of images, each in the folder of its corrected class.
func (p Commands) exportFolder(c *cli.Context, folder *audit.Folder) error {
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
