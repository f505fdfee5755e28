package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
)

// shownLines is the number of lines in Text for each kind of finding.
const shownLines = 5

// finding is a line of Report.Findings, and its details.
type finding struct {
	text    string
	details []string
}

// list returns the findings, most important first.
func (r *Report) list(d *dataset.Dataset) (list []finding) {
	add := func(details []string, format string, args ...any) {
		list = append(list, finding{fmt.Sprintf(format, args...), details})
	}
	var different, across, others []Duplicates
	for _, g := range r.Duplicates {
		switch {
		case g.LabelsDiffer:
			different = append(different, g)
		case g.AcrossSplits:
			across = append(across, g)
		default:
			others = append(others, g)
		}
	}
	if len(different) > 0 {
		add(lines(different), "%s have different labels: check them, since some of these labels may be "+
			"wrong", count(different))
	}
	if n := len(r.Unreadable); n > 0 {
		add(r.Unreadable, "unusable files or labels, which are missing, broken or without a match: %d", n)
	}
	if empty := emptyTexts(d.Train); len(empty) > 0 {
		add(empty, "training texts without any word: %d", len(empty))
	}
	if len(across) > 0 {
		add(lines(across), "%s are in different splits: results on the test set look better than they are", count(across))
	}
	var small []string
	for _, c := range r.Classes {
		if c.TooSmall {
			small = append(small, c.Name)
		}
	}
	if odd := own.MissingNames(d.Classes); len(odd) > 0 {
		advice := "for a missing label leave the cell empty or remove the row"
		if slices.ContainsFunc(odd, func(class string) bool { return strings.ContainsAny(class, "0123456789") }) {
			advice += "; a negative number that is a class gets a name with --class-names"
		}
		add(nil, "%s named as programs write missing labels: %s; %s", humanize.Count(len(odd), "class"),
			humanize.Quoted(odd, shownLines), advice)
	}
	if len(small) > 0 {
		add(nil, "%s with fewer than %d training examples, too few to estimate the rows and columns of T: %s",
			humanize.Count(len(small), "class"), minClass, humanize.Quoted(small, shownLines))
	}
	var pairs []string
	for _, pair := range r.Similar {
		pairs = append(pairs, fmt.Sprintf("%q and %q", pair.Names[0], pair.Names[1]))
	}
	if len(pairs) > 0 {
		add(nil, "pairs of classes that differ only by %s: %s; check whether each is one class", r.Similar[0].Why,
			humanize.Listed(pairs, shownLines))
	}
	if len(others) > 0 {
		add(lines(others), "%s have the same label and split", count(others))
	}
	return list
}

// lines returns a line for each group with its examples.
func lines(groups []Duplicates) (lines []string) {
	for _, g := range groups {
		var names []string
		for _, e := range g.Examples {
			name := e.Split + " " + e.ID
			if g.LabelsDiffer {
				name += " (" + e.Label + ")"
			}
			names = append(names, name)
		}
		line := humanize.Listed(names, shownLines)
		if !g.Exact {
			line += ": nearly equal"
		}
		lines = append(lines, line)
	}
	return lines
}

func count(groups []Duplicates) string {
	examples, exact := 0, 0
	for _, g := range groups {
		examples += len(g.Examples)
		if g.Exact {
			exact++
		}
	}
	return fmt.Sprintf("%d examples in %s of duplicates (%d exact, %d near)", examples,
		humanize.Count(len(groups), "group"), exact, len(groups)-exact)
}

// Text is the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d training", r.Data, r.Train)
	if r.Validation > 0 {
		fmt.Fprintf(&b, ", %d validation", r.Validation)
	}
	fmt.Fprintf(&b, " and %d test examples in %d classes\n", r.Test, len(r.Classes))
	r.writeClasses(&b)
	for _, f := range r.found {
		fmt.Fprintf(&b, "\n- %s\n", f.text)
		for _, detail := range f.details[:min(len(f.details), shownLines)] {
			fmt.Fprintf(&b, "    %s\n", humanize.Visible(detail))
		}
		if more := len(f.details) - shownLines; more > 0 {
			fmt.Fprintf(&b, "    and %d more (all with --json)\n", more)
		}
	}
	if len(r.Findings) == 0 {
		b.WriteString("\nno problems found\n")
	}
	return b.String()
}

// writeClasses lists the classes; if there are many, only the largest and the smallest.
func (r *Report) writeClasses(b *strings.Builder) {
	classes := slices.Clone(r.Classes)
	slices.SortStableFunc(classes, func(a, b Class) int { return cmp.Compare(b.Train, a.Train) })
	width := 5
	for _, c := range classes {
		width = min(max(width, len([]rune(humanize.Visible(c.Name)))), 32)
	}
	fmt.Fprintf(b, "\n  %-*s %9s %7s %9s\n", width, "class", "training", "share", "test")
	for k, c := range classes {
		const most = 20
		if len(classes) > most && k >= most/2 && k < len(classes)-most/2 {
			if k == most/2 {
				fmt.Fprintf(b, "  ... %d more\n", len(classes)-most)
			}
			continue
		}
		fmt.Fprintf(b, "  %-*s %9d %6.1f%% %9d\n", width, humanize.Visible(c.Name), c.Train,
			100*float64(c.Train)/float64(max(1, r.Train)), c.Test)
	}
}
