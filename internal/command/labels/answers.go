package labels

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
)

// crowdData is the answers of several people that an audit is given; nil without.
type crowdData struct {
	file   string
	given  *own.Answers
	source own.Source // as the user gives it
	ask    annotators.AskOptions
}

// crowdOf reads --answers, and says in the source where its labels will lie: in the folder of the
// audit, for the consensus of answers is all that is audited.
func crowdOf(c *cli.Context, source *own.Source) (*crowdData, error) {
	file := c.String("answers")
	if file == "" {
		for _, flag := range []string{"ask", "ask-each"} {
			if c.IsSet(flag) {
				return nil, app.Misuse(c, "--%s is of the answers of several people: give their file (--answers)", flag)
			}
		}
		for _, flag := range []string{"task", "worker", "answer", "annotator"} {
			if c.IsSet(flag) {
				return nil, app.Misuse(c, "--%s is a column of answers: give their file (--answers)", flag)
			}
		}
		return nil, nil
	}
	for _, flag := range []string{"labels", "label", "split", "test", "test-labels"} {
		if c.IsSet(flag) {
			return nil, app.Misuse(c, "--%s: with --answers the labels are those of the answers, and all examples are audited",
				flag)
		}
	}
	ask := annotators.AskOptions{Count: c.Int("ask"), Each: c.Int("ask-each")}
	switch {
	case ask.Count < 0 || ask.Each < 0:
		return nil, app.Misuse(c, "--ask %d --ask-each %d: want numbers of examples", ask.Count, ask.Each)
	case ask.Each > 0 && ask.Count == 0:
		return nil, app.Misuse(c, "--ask-each %d needs --ask N", ask.Each)
	}
	if err := app.IsThere(file); err != nil {
		return nil, err
	}
	d := &crowdData{file: file, ask: ask}
	var err error
	columns := own.AnswerColumns{Task: c.String("task"), Worker: c.String("worker"), Label: c.String("answer"),
		People: c.StringSlice("annotator")}
	if d.given, err = own.ReadAnswers(file, columns); err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	if source.ID == "" && rows.Is(source.Path) && !own.IsEmbedded(source.Path) {
		source.ID = commonName(source.Path, cmp.Or(columns.Task, "task"), "id", "file_name")
	}
	if !c.IsSet("class-names") { // they are of a column of the file, and the answers are the labels
		source.Label, source.ClassNames = "", nil
	}
	d.source = *source
	out := cmp.Or(c.String("out"), filepath.Join("audits", nameOf(own.Source{Path: source.Path, Labels: file})))
	votes := audit.VotesFile
	if source.Path == "" {
		votes = audit.NamedVotesFile
	}
	if source.Labels, err = filepath.Abs(filepath.Join(out, audit.RunsDir, votes)); err != nil {
		return nil, err
	}
	return d, c.Set("out", out)
}

// commonName returns the first of the columns that a table has, "" if it has none.
func commonName(path string, names ...string) string {
	t, err := rows.Open(path)
	if err != nil {
		return "" // which reading the data says better
	}
	defer func() { _ = t.Close() }()
	if at := slices.IndexFunc(names, t.Has); at >= 0 {
		return names[at]
	}
	return ""
}

// write gives the answers to the examples of an audit, locks its folder, and writes the labels
// that its data is read with.
func (d *crowdData) write(ctx context.Context, folder *audit.Folder, a *find.Audit) error {
	if d == nil {
		return nil
	}
	names, alone := d.given.Tasks, d.given.Tasks
	if d.source.Path != "" {
		var err error
		if names, err = d.source.Names(ctx); err != nil {
			return dataset.Errorf("%w", err)
		}
		if err := d.given.Locate(names); err != nil {
			return dataset.Errorf("%s: %w", d.file, err)
		}
		alone = nil
	}
	crowd, findings, err := find.NewCrowd(d.file, d.given, names)
	if err != nil {
		return err
	}
	for _, finding := range slices.Concat(d.given.Findings, findings) {
		a.Findings = append(a.Findings, "in the answers: "+finding)
		a.Note("check: " + finding)
	}
	crowd.Ask = d.ask
	a.Crowd = crowd
	if err := folder.Lock(); err != nil {
		return err
	}
	votes, err := crowd.Votes()
	if err != nil {
		return err
	}
	return folder.WriteVotes(votes, alone)
}

// showPeople prints who stands out among people who have labelled the same examples.
func showPeople(w io.Writer, out string, p *audit.People) {
	if p == nil {
		return
	}
	of := map[string][]string{}
	for _, person := range p.Ranked {
		of[person.Verdict] = append(of[person.Verdict], person.Name)
	}
	for _, verdict := range []annotators.Verdict{annotators.Harmful, annotators.Useless} {
		if names := of[string(verdict)]; len(names) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", verdict, humanize.Quoted(names, 5))
		}
	}
	for _, c := range p.Copies[:min(5, len(p.Copies))] {
		fmt.Fprintf(w, "  %q and %q gave the same label to %d of %d examples, %.0f expected: does one copy the other?\n",
			c.First, c.Second, c.Same, c.Shared, c.Expected)
	}
	fmt.Fprintf(w, "train on the answers: losscorr train DATA --audit %s\n", shell.Word(out))
	if p.Asked > 0 {
		fmt.Fprintf(w, "what to ask next, and whom: %s (%s)\n", filepath.Join(out, audit.AskFile),
			humanize.Count(p.Asked, "example"))
	}
	fmt.Fprintf(w, "the people: %s\nthe consensus: %s\nevery answer, the likeliest wrong ones first: %s\n",
		filepath.Join(out, audit.PeopleFile), filepath.Join(out, audit.ConsensusFile), filepath.Join(out, audit.AnswersFile))
}
