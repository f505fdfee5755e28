package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/results/paper"
)

// Block holds the runs of one data set, network and preset that differ only
// in noise, loss and seed: one row per loss and one column per noise, as in the paper's Table 2.
type Block struct {
	config.Config        // settings shared by the runs
	DataVariant   string // as in Cell

	Columns []Column
	Rows    []Row     // losses in the paper's order, others after them
	Cells   [][]*Cell // [row][column], nil without runs

	presetEpochs int      // 0 if unknown
	differing    []string // settings unlike the preset's, and those that distinguish otherwise equal blocks
}

// Row is a loss.
type Row struct {
	Name string // the loss, with its own settings if they differ from the preset's
	Loss string
}

// Column is a noise.
type Column struct {
	Noise  string // none, symmetric, asymmetric or matrix
	Level  float64
	File   string // of a noise by matrix
	Groups string // groups of classes that asymmetric noise stays within
}

// ColumnOf returns the column of a run.
func ColumnOf(c config.Config) Column {
	n := c.Noise
	if !correction.Noises.Named(n.Kind).Flips {
		n.Groups = ""
	}
	return Column{Noise: n.Kind, Level: n.Level, File: n.File, Groups: n.Groups}
}

// String returns the noise in words: no noise, symmetric 0.2.
func (c Column) String() string {
	kind := correction.Noises.Named(c.Noise)
	switch {
	case kind.File:
		return c.Noise + " " + fromHere(c.File)
	case !kind.Level:
		return cmp.Or(kind.Title, c.Noise)
	}
	s := c.Noise + " " + strconv.FormatFloat(c.Level, 'g', -1, 64)
	if c.Groups != "" {
		s += " (" + c.Groups + ")"
	}
	return s
}

// Blocks sorts cells into blocks, and keeps full runs and quick runs apart. A loss with several settings,
// such as two estimators, has a row for each.
func Blocks(cells []*Cell) []*Block {
	groups := make(map[string][]*Cell)
	for _, c := range cells {
		key := fmt.Sprintf("%s\n%s\n%#v", c.DataVariant, c.OwnData, shared(c.Config))
		groups[key] = append(groups[key], c)
	}
	var blocks []*Block
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		blocks = append(blocks, newBlock(groups[key]))
	}
	distinguish(blocks)
	sortBlocks(blocks)
	return blocks
}

func sortBlocks(blocks []*Block) {
	slices.SortStableFunc(blocks, func(a, b *Block) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Model, b.Model),
			cmp.Compare(flag(a.Quick), flag(b.Quick)), cmp.Compare(a.DataVariant, b.DataVariant),
			cmp.Compare(a.Preset, b.Preset), cmp.Compare(a.Epochs, b.Epochs), slices.Compare(a.differing, b.differing))
	})
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

// distinguish adds differing settings to the names of blocks that look the same: settings
// under an unknown preset, or the source and content of own data.
func distinguish(blocks []*Block) {
	alike := make(map[string][]*Block)
	for _, b := range blocks {
		alike[b.name()] = append(alike[b.name()], b)
	}
	for _, group := range alike {
		several := func(text func(*Block) string) bool {
			return slices.ContainsFunc(group, func(b *Block) bool { return text(b) != text(group[0]) })
		}
		for _, s := range config.Settings {
			if several(func(b *Block) string { return valueText(s, b.Config) }) {
				for _, b := range group {
					b.differing = append(b.differing, s.Key+" "+cmp.Or(valueText(s, b.Config), "unset"))
				}
			}
		}
		data := func(b *Block) string { return b.Filled()[0].OwnData }
		if several(data) {
			for _, b := range group {
				b.differing = append(b.differing, "data "+cmp.Or(data(b), "unset"))
			}
		}
	}
}

// emptyBlock returns the block of a run with configuration c, without cells.
func emptyBlock(c config.Config) *Block {
	b := &Block{Config: shared(c), differing: differing(c)}
	if preset, ok := presetOf(c); ok {
		b.presetEpochs = preset.Epochs
	}
	return b
}

func newBlock(cells []*Cell) *Block {
	b := emptyBlock(cells[0].Config)
	b.DataVariant = cells[0].DataVariant
	type place struct {
		row    Row
		column Column
	}
	at := make(map[place]*Cell)
	for _, c := range cells {
		p := place{Row{rowName(c.Config, rowBase(c, cells)), c.Config.Loss}, ColumnOf(c.Config)}
		if !slices.Contains(b.Rows, p.row) {
			b.Rows = append(b.Rows, p.row)
		}
		if !slices.Contains(b.Columns, p.column) {
			b.Columns = append(b.Columns, p.column)
		}
		at[p] = c
	}
	slices.SortFunc(b.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(lossRank(a.Loss), lossRank(b.Loss)), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(b.Columns, func(a, b Column) int {
		return cmp.Or(cmp.Compare(columnRank(a), columnRank(b)), cmp.Compare(a.Level, b.Level), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Groups, b.Groups))
	})
	for _, row := range b.Rows {
		line := make([]*Cell, len(b.Columns))
		for j, column := range b.Columns {
			line[j] = at[place{row, column}]
		}
		b.Cells = append(b.Cells, line)
	}
	b.mark()
	return b
}

// rowBase returns the configuration that a cell's loss is compared with to name its row: the preset or, if it is
// unknown, the first cell with this loss. It has no trusted labels, since those are extra information that a name
// should show.
func rowBase(c *Cell, cells []*Cell) config.Config {
	if preset, ok := presetOf(c.Config); ok {
		return preset
	}
	k := slices.IndexFunc(cells, func(other *Cell) bool { return other.Config.Loss == c.Config.Loss })
	base := cells[k].Config
	base.Trusted = ""
	return base
}

// lossRank orders losses as in the paper's Table 2, each followed by its other forms,
// such as sigmoid-symmetric after sigmoid, and then as in the table of losses.
func lossRank(loss string) int {
	published := paper.Losses()
	if i := slices.Index(published, loss); i >= 0 {
		return 2 * i
	}
	if i := slices.Index(published, losses.All.Named(loss).FormOf); i >= 0 {
		return 2*i + 1
	}
	names := losses.All.Names()
	if i := slices.Index(names, loss); i >= 0 {
		return 2*len(published) + i
	}
	return 2*len(published) + len(names)
}

// columnRank orders noises as the paper does: symmetric .2 between no noise and asymmetric noise.
func columnRank(c Column) int {
	kinds := correction.Noises.Names()
	if i := slices.Index(kinds, c.Noise); i >= 0 {
		return i
	}
	return len(kinds)
}

// Filled returns the cells with runs, row by row.
func (b *Block) Filled() []*Cell {
	return slices.DeleteFunc(slices.Concat(b.Cells...), func(c *Cell) bool { return c == nil })
}

// Under returns the runs of a column, row by row.
func (b *Block) Under(column int) []*Run {
	var runs []*Run
	for _, line := range b.Cells {
		if c := line[column]; c != nil {
			runs = append(runs, c.Runs...)
		}
	}
	return runs
}

// name returns the data, the network, and the preset with all settings that differ from it.
func (b *Block) name() string {
	s := b.Dataset
	if b.DataVariant != "" {
		s += " (" + b.DataVariant + ")"
	}
	s += ", " + b.Network() + ", preset " + b.preset() + ", " + b.duration()
	if b.Quick {
		s = "quick, do not quote: " + s
	}
	return s
}

// preset returns the preset's name with the settings that differ from it.
func (b *Block) preset() string {
	if len(b.differing) == 0 {
		return b.Preset
	}
	return b.Preset + " with " + strings.Join(b.differing, ", ")
}

// What returns the preset with all differences, such as "code" or "code with
// batch_size 64, 3 epochs in place of 40".
func (b *Block) What() string {
	if b.shortened() {
		return b.preset() + ", " + b.duration()
	}
	return b.preset()
}

// duration returns the number of epochs, and the preset's if it differs.
func (b *Block) duration() string {
	text := humanize.Count(b.Epochs, "epoch")
	if b.shortened() {
		text += fmt.Sprintf(" in place of %d", b.presetEpochs)
	}
	return text
}

// shortened reports whether the number of epochs is not the preset's.
func (b *Block) shortened() bool { return b.presetEpochs > 0 && b.presetEpochs != b.Epochs }

// About returns the name without data set and network, and the number of seeds.
func (b *Block) About() string {
	s := "preset " + b.preset() + ", " + b.duration() + ", " + b.seeds()
	if b.DataVariant != "" {
		s = b.DataVariant + ", " + s
	}
	if b.Quick {
		s += ", quick: do not quote"
	}
	return s
}

// seeds returns how many seeds the cells have: 5 seeds, 1 to 5 seeds.
func (b *Block) seeds() string {
	low, high := math.MaxInt, 0
	for _, c := range b.Filled() {
		low, high = min(low, len(c.Seeds)), max(high, len(c.Seeds))
	}
	if low < high {
		return fmt.Sprintf("%d to %d seeds", low, high)
	}
	return humanize.Count(low, "seed")
}
