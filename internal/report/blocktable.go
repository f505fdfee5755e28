package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
)

// Table compares the accuracies of a block with the paper's: for every noise the mean ± sample standard deviation at
// the selected and the last epoch, the paper's, and ours minus the paper's at the selected epoch.
func (b *Block) Table() *Table {
	t := &Table{
		Title: b.name(), Detail: ", " + b.seeds() + ": test accuracy in %, mean ± sample standard deviation",
		About: about,
		Tied:  "single runs: within .5", Headings: Headings("loss"), Notes: b.remarks(),
	}
	for j, column := range b.Columns {
		names := []string{"selected", "last"}
		if b.published(j) {
			names = append(names, "paper", "diff")
			t.About = about + "; diff: ours minus the paper's"
		}
		for _, name := range names {
			t.Headings = append(t.Headings, Heading{Group: column.String(), Name: name, Right: true})
		}
	}
	for i, row := range b.Rows {
		items := []Item{{Text: row.Name, LaTeX: latexLoss(row)}}
		for j := range b.Columns {
			c := cmp.Or(b.Cells[i][j], &Cell{})
			items = append(items, c.Selected.item(), c.Last.item())
			if b.published(j) {
				items = append(items, c.paper(), c.difference())
			}
			if c.Selected.N > 1 {
				t.Tied = "Welch's test, p ≥ .05 for each pair, as in the paper"
			}
		}
		t.Rows = append(t.Rows, items)
	}
	return t
}

const about = "; selected: the epoch with the lowest loss on noisy validation labels"

// published reports whether the paper has a cell for any runs of a column.
func (b *Block) published(column int) bool {
	return slices.ContainsFunc(b.Cells, func(line []*Cell) bool {
		return line[column] != nil && line[column].Paper != nil
	})
}

// item returns the entry for a table.
func (e Entry) item() Item { return Item{Text: e.String(), Marks: e.Marks} }

// paper returns the paper's mean; LaTeX also has room for its deviation.
func (c *Cell) paper() Item {
	if c.Paper == nil {
		return Item{}
	}
	mean, _ := c.Paper.text("%.1f")
	return Item{Text: mean, LaTeX: latex(c.Paper.String()), Marks: c.Paper.Marks}
}

// difference returns the signed difference from the paper; more than a point is marked as far.
func (c *Cell) difference() Item {
	d, ok := c.Difference()
	if !ok {
		return Item{}
	}
	return Item{Text: signed("%+.1f", d), Far: math.Round(10*math.Abs(d)) > 10}
}

// signed formats a difference with its sign, and zero as positive.
func signed(format string, d float64) string {
	s := fmt.Sprintf(format, d)
	if strings.Trim(s, "-0.") == "" {
		return "+" + s[1:]
	}
	return s
}

// latexLoss returns the title of a loss with its own settings, and writes an estimated T as
// the paper does: forward $\hat{T}$.
func latexLoss(r Row) string {
	loss, hat := losses.All.Named(r.Loss), ""
	if loss.T == losses.EstimatedT {
		loss, hat = losses.All.Named(loss.FormOf), ` $\hat{T}$`
	}
	return latex(cmp.Or(loss.Title, loss.Name, r.Loss)) + hat + latex(strings.TrimPrefix(r.Name, r.Loss))
}

// remarks returns notes on single runs: divergence, estimated accuracies without a test set, and their own notes.
func (b *Block) remarks() (remarks []string) {
	var diverged, notes []string
	for i, row := range b.Rows {
		for j, column := range b.Columns {
			c := b.Cells[i][j]
			if c == nil {
				continue
			}
			if c.Diverged > 0 {
				diverged = append(diverged, fmt.Sprintf("%s, %s: %d of %d runs diverged and count with their accuracy at that "+
					"point", row.Name, column, c.Diverged, len(c.Seeds)))
			}
			for _, r := range c.Runs {
				if a := r.Result.CleanAccuracy; a != nil {
					remarks = append(remarks, fmt.Sprintf("%s (seed %d): right on about %.1f %% of new examples, "+
						"%.1f to %.1f judging by noisy validation labels and T (90 %% interval)",
						r.Config.Trains(), r.Config.Seed, a.Estimate, a.Low, a.High))
				}
				if note := "note: " + r.Config.Note; r.Config.Note != "" && !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
		}
	}
	return slices.Concat(remarks, diverged, notes)
}
