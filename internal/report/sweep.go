package report

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/results/paper"
)

// SweepLosses returns the losses of the paper's figures (a) to (f): cross-entropy
// and its corrections.
func SweepLosses() []string {
	return slices.DeleteFunc(paper.Losses(), func(loss string) bool {
		return loss != losses.FirstLoss && losses.All.Named(loss).T == losses.NoT
	})
}

// Sweep is a panel of the paper's figures: test accuracy against N, the level of
// asymmetric noise, on one data set with one network.
type Sweep struct {
	Title string
	Aside string // how the runs differ from the paper's, under the title
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

// SweepName returns the title of a block's panel: its letter, the data set and, if
// the block's name has it, the network.
func SweepName(b paper.Block) string {
	name := fmt.Sprintf("(%c) %s", 'a'+slices.Index(paper.Blocks(), b), published.All.Named(b.Dataset).Title)
	if b.Name() != b.Dataset {
		name += ", " + models.All.Named(b.Model).Title
	}
	return name
}

// NewSweep makes the panel of a block of Table 2. It prefers runs in the block's
// settings, then other full runs, then quick ones; then the table with the most points,
// then the one with most of the data. It returns nil if no table has two levels.
func NewSweep(of paper.Block, blocks []*Block) *Sweep {
	var best *Sweep
	var rank []int
	for _, b := range blocks {
		if b.Dataset != of.Dataset || b.Model != of.Model {
			continue
		}
		s := b.Sweep("asymmetric").ofFigures()
		if len(s.Levels()) < 2 {
			continue
		}
		s.Title, s.Aside = SweepName(of), b.aside()
		own := []int{flag(b.of(of)), flag(!b.Quick), s.points(), cmp.Or(b.Examples.Train, math.MaxInt)} // 0 is all
		if best == nil || slices.Compare(own, rank) > 0 {
			best, rank = s, own
		}
	}
	return best
}

// of reports whether the runs have the settings of a block of Table 2.
func (b *Block) of(block paper.Block) bool { return reflect.DeepEqual(b.Config, table2()[block]) }

// table2 returns the settings shared by the runs of each block of Table 2.
var table2 = sync.OnceValue(func() map[paper.Block]config.Config {
	all := make(map[paper.Block]config.Config)
	for _, block := range paper.Blocks() {
		doc, err := config.ReadFS(losscorr.Experiments(), block.Name()+"/"+block.Name()+".yaml")
		if err != nil {
			panic(fmt.Sprintf("experiments/%s: %v", block.Name(), err))
		}
		runs, err := doc.Expand()
		if err != nil {
			panic(fmt.Sprintf("experiments/%s: %v", block.Name(), err))
		}
		all[block] = shared(runs[0])
	}
	return all
})

// aside lists how the runs differ from the runs of the paper's figures.
func (b *Block) aside() string {
	var parts []string
	switch {
	case b.Quick:
		parts = append(parts, "quick: "+b.duration())
	case b.shortened():
		parts = append(parts, b.duration())
	}
	if b.DataVariant != "" {
		parts = append(parts, b.DataVariant)
	}
	if b.Preset != "code" {
		parts = append(parts, "preset "+b.Preset)
	}
	return strings.Join(append(parts, b.differing...), ", ")
}

// Sweep makes a panel of the columns with one kind of noise and the column without noise.
func (b *Block) Sweep(kind string) *Sweep {
	s := &Sweep{}
	groups := ""
	for _, c := range b.Columns {
		if c.Noise == kind {
			groups = c.Groups // the first way, if classes were grouped in two ways
			break
		}
	}
	for i, row := range b.Rows {
		line := SweepLine{Loss: row.Loss, Row: row.Name}
		for j, column := range b.Columns {
			wanted := column.Noise == correction.NoNoise || column.Noise == kind && column.Groups == groups
			if c := b.Cells[i][j]; wanted && c != nil && c.Selected.N > 0 { // 0 where the data has no test set
				line.Points = append(line.Points, SweepPoint{column.Level, c.Selected.Sample})
			}
		}
		if len(line.Points) > 0 {
			s.Lines = append(s.Lines, line)
		}
	}
	return s
}

// ofFigures keeps only the losses of the paper's figures, and the first settings of each.
func (s *Sweep) ofFigures() *Sweep {
	shown := SweepLosses()
	s.Lines = slices.DeleteFunc(s.Lines, func(line SweepLine) bool {
		k := slices.Index(shown, line.Loss)
		if k >= 0 {
			shown = slices.Delete(shown, k, k+1)
		}
		return k < 0
	})
	return s
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
