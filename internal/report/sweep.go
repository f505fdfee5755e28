package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/results/paper"
)

// SweepLosses returns those of the paper's figures (a) to (f), cross-entropy with
// its corrections.
func SweepLosses() []string {
	return slices.DeleteFunc(paper.Losses(), func(loss string) bool {
		return loss != losses.FirstLoss && losses.All.Named(loss).T == losses.NoT
	})
}

// Sweep is a panel of the paper's figures: test accuracy against N, the level of
// asymmetric noise, on one data set with one network.
type Sweep struct {
	Title string
	Aside string // what else has to be said of the runs, under the title
	Lines []SweepLine
}

// SweepLine is one loss; its points are in the order of their levels.
type SweepLine struct {
	Loss   string
	Row    string // its name in the table
	Points []SweepPoint
}

// SweepPoint is the test accuracy at the selected epoch over seeds, in per cent.
type SweepPoint struct {
	Level float64 // 0: no noise
	Sample
}

// SweepName is the title of a block's panel: its letter, the data set and, where
// the block's name has it, the network.
func SweepName(b paper.Block) string {
	name := fmt.Sprintf("(%c) %s", 'a'+slices.Index(paper.Blocks(), b), published.All.Named(b.Dataset).Title)
	if b.Name() != b.Dataset {
		name += ", " + models.All.Named(b.Model).Title
	}
	return name
}

// NewSweep makes the panel of a block of Table 2 from the table with the most
// points: of runs in the block's settings, else of other full runs, else of quick ones;
// more of the data before less. It is nil where no table has two levels.
func NewSweep(block paper.Block, tables []*Table) *Sweep {
	var best *Sweep
	points, whole := 0, 0
	for _, suits := range []func(*Table) bool{
		func(t *Table) bool { return t.of(block) },
		func(t *Table) bool { return !t.Quick },
		func(t *Table) bool { return t.Quick },
	} {
		for _, t := range tables {
			if t.Dataset != block.Dataset || t.Model != block.Model || !suits(t) {
				continue
			}
			s := t.Sweep("asymmetric")
			more := s.points() > points || s.points() == points && whole < t.share()
			if len(s.Levels()) > 1 && more {
				best, points, whole = s, s.points(), t.share()
				best.Title, best.Aside = SweepName(block), t.aside()
			}
		}
		if best != nil {
			break
		}
	}
	return best
}

// aside names what sets runs apart from those of the paper's figures.
func (t *Table) aside() string {
	var parts []string
	if t.Quick || t.usual > 0 && t.usual != t.Epochs {
		parts = append(parts, t.duration())
		if t.Quick {
			parts[0] = "quick: " + parts[0]
		}
	}
	parts = append(parts, t.part()...)
	if t.DataVariant != "" {
		parts = append(parts, t.DataVariant)
	}
	if t.Preset != "code" {
		parts = append(parts, "preset "+t.Preset)
	}
	if others := t.others(); others != "" {
		parts = append(parts, others)
	}
	return strings.Join(parts, ", ")
}

// Sweep takes the losses of the figures from the columns without noise and with
// that kind of it.
func (t *Table) Sweep(kind string) *Sweep {
	s := &Sweep{}
	groups := ""
	for _, c := range t.Columns {
		if c.Noise == kind {
			groups = c.Groups // the first, if classes were grouped in two ways
			break
		}
	}
	for _, loss := range SweepLosses() {
		var line SweepLine
		for i, row := range t.Rows {
			if row.Loss != loss || len(line.Points) > 0 { // a loss in several settings: the first
				continue
			}
			line.Loss, line.Row = loss, row.Name
			for j, column := range t.Columns {
				wanted := column.Noise == correction.NoNoise || column.Noise == kind && column.Groups == groups
				if c := t.Cells[i][j]; wanted && c != nil && c.Selected.N > 0 { // 0 where the data has no test set
					line.Points = append(line.Points, SweepPoint{column.Level, c.Selected.Sample})
				}
			}
		}
		if len(line.Points) > 0 {
			s.Lines = append(s.Lines, line)
		}
	}
	return s
}

// share ranks tables by how many examples they were trained on.
func (t *Table) share() int {
	if t.Examples.Train == 0 {
		return math.MaxInt
	}
	return t.Examples.Train
}

func (s *Sweep) points() int {
	n := 0
	for _, line := range s.Lines {
		n += len(line.Points)
	}
	return n
}

// Levels returns the levels of any line, sorted.
func (s *Sweep) Levels() []float64 {
	var levels []float64
	for _, line := range s.Lines {
		for _, p := range line.Points {
			levels = append(levels, p.Level)
		}
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}
