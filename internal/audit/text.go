package audit

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
)

// WriteText writes what an audit in a folder has found, and which files to open.
func (s Summary) WriteText(out io.Writer, dir string) error {
	w := &strings.Builder{}
	file := func(name string) string { return filepath.Join(dir, name) }
	fmt.Fprintln(w, s.Verdict)
	for _, line := range warningLines(s.Warnings, file(ReportFile)) {
		fmt.Fprintln(w, line)
	}
	if s.Stronger != "" {
		fmt.Fprintln(w, s.Stronger)
	}
	for _, k := range s.Confusions[:min(5, len(s.Confusions))] {
		fmt.Fprintf(w, "  %d labelled %q look like %q\n", k.Count, k.Given, k.Suggested)
	}
	s.Crowd.writeText(w, dir)
	if m := s.Measured; m != nil {
		fmt.Fprintf(w, "against the %d true labels of the data (%d wrong ones): average precision %.3f", m.Known, m.Wrong,
			m.AveragePrecision)
		if s.Crowd == nil { // no label of a consensus is likelier wrong than right
			fmt.Fprintf(w, ", F1 %.3f, %.1f %% of the wrong ones corrected", m.F1, 100*m.Corrected)
		}
		fmt.Fprintln(w)
	}
	if s.Unreadable > 0 {
		fmt.Fprintf(w, "files that were left out, and why: %s\n", file(UnreadableFile))
	}
	if s.Duplicates != nil {
		fmt.Fprintf(w, "examples that are there twice, or nearly: %s\n", file(DuplicatesFile))
	}
	fmt.Fprintf(w, "the page: %s\nevery example, worst first: %s\ncheck them: losscorr review %s\n",
		file(ReportFile), file(IssuesFile), shell.Word(dir))
	if s.Random == nil {
		fmt.Fprintf(w, "count the wrong ones, whatever the mistakes are like: losscorr review %s --random 25\n",
			shell.Word(dir))
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// shownWarnings is how many lines of warnings an audit prints, the most important first.
const shownWarnings = 6

// warningLines are the warnings that are printed. The page has all of them.
func warningLines(warnings []string, page string) (lines []string) {
	for k, warning := range warnings {
		if more := len(warnings) - k; k == shownWarnings-1 && more > 1 {
			return append(lines, fmt.Sprintf("%d more warnings in %s", more, page))
		}
		lines = append(lines, "warning: "+warning)
	}
	return lines
}

// writeText writes who stands out among people who have labelled the same examples.
func (p *People) writeText(w io.Writer, dir string) {
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
	fmt.Fprintf(w, "train on the answers: losscorr train DATA --audit %s\n", shell.Word(dir))
	if p.Asked > 0 {
		fmt.Fprintf(w, "what to ask next, and whom: %s (%s)\n", filepath.Join(dir, AskFile),
			humanize.Count(p.Asked, "example"))
	}
	fmt.Fprintf(w, "the people: %s\nthe consensus: %s\nevery answer, the likeliest wrong ones first: %s\n",
		filepath.Join(dir, PeopleFile), filepath.Join(dir, ConsensusFile), filepath.Join(dir, AnswersFile))
}

// verdict is the result of an audit in a sentence.
func verdict(s Summary) string {
	if s.Random != nil {
		return s.Random.Verdict(s.Examples)
	}
	if s.Model == NoModel {
		return "No audit has judged these labels yet."
	}
	where := ""
	if s.Crowd != nil {
		where = " in the consensus of " + humanize.People(s.Crowd.People)
	}
	return between(s.Wrong, s.Examples, where) + " " + next(s.Wrong, s.Examples)
}

// FirstChecks is the recommended number of random checks to begin with.
const FirstChecks = 25

// narrow is the width, as a share of all labels, below which a range of wrong labels is narrow.
const narrow = .1

// next recommends random checks for a range.
func next(w Wrong, examples int) string {
	purpose := "narrow this down"
	if w.High-w.Low < narrow*float64(examples) {
		purpose = "test this"
	}
	return fmt.Sprintf("Check %d at random to %s.", min(examples, FirstChecks), purpose)
}

// between states how many labels look wrong before any is checked. where follows the number of
// labels.
func between(w Wrong, examples int, where string) string {
	low, high, of := humanize.About(w.Low), humanize.About(w.High), humanize.Number(examples)
	look := "look"
	if high == "1" {
		look = "looks"
	}
	switch {
	case math.Round(w.High) < 1:
		return fmt.Sprintf("None of %s labels%s looks wrong.", of, where)
	case low == high:
		return fmt.Sprintf("About %s of %s labels%s %s wrong.", high, of, where, look)
	case math.Round(w.Low) < 1:
		return fmt.Sprintf("Up to %s of %s labels%s %s wrong, perhaps none.", high, of, where, look)
	}
	return fmt.Sprintf("Between %s and %s of %s labels%s look wrong.", low, high, of, where)
}

// Verdict returns the result of random checks as a sentence. labels is the number of all labels.
func (c Checked) Verdict(labels int) string {
	wrong, low, high := humanize.About(c.Wrong), humanize.About(c.Interval.Low), humanize.About(c.Interval.High)
	are, within := "are", fmt.Sprintf(", between %s and %s", low, high)
	if wrong == "1" {
		are = "is"
	}
	if low == high {
		within = ""
	}
	return fmt.Sprintf("About %s of %s labels %s wrong%s, by %s random checks.", wrong, humanize.Number(labels), are,
		within, humanize.Number(c.Checked))
}
