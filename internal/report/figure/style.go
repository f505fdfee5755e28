package figure

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/results/paper"
)

var (
	dark   = rgb(0x222222)
	grey   = rgb(0xdddddd)
	ground = rgb(0xffffff)
)

// rgb is the colour of six hex digits.
func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// style is the look of a block's row, the same in every figure.
type style struct {
	color  color.NRGBA
	dashes []vg.Length
	mark   draw.GlyphDrawer
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: vg.Points(1.6), Dashes: s.dashes}
}

func (s style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: vg.Points(2.9), Shape: s.mark}
}

var (
	dash, dot, dashDot = []vg.Length{4, 2}, []vg.Length{1.2, 2}, []vg.Length{5.6, 1.6, 1.2, 1.6}

	filled, square, triangle = draw.BoxGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}
	disc, pyramid            = draw.CircleGlyph{}, draw.PyramidGlyph{}
	plus, cross              = draw.PlusGlyph{}, draw.CrossGlyph{}
)

// styles has the colours of Okabe and Ito (2008), which colour-blind readers can distinguish, in shades that suit thin
// lines. The first ten are for the paper's losses: corrections by T-hat are dashed with a hollow mark, losses without T
// are dotted. Similar colours differ in dashes.
var styles = []style{
	{rgb(0x444444), nil, disc},       // cross-entropy
	{rgb(0x00805d), dot, plus},       // unhinged
	{rgb(0xa84f83), dot, cross},      // sigmoid
	{rgb(0x8a6d00), dot, disc},       // savage
	{rgb(0x00805e), dashDot, filled}, // bootstrap-soft
	{rgb(0xa84f84), dashDot, square}, // bootstrap-hard
	{rgb(0xc04800), nil, pyramid},    // backward
	{rgb(0xb97800), dash, triangle},  // backward-estimated
	{rgb(0x0060a0), nil, filled},     // forward
	{rgb(0x2f8fc4), dash, square},    // forward-estimated
	{rgb(0x00815d), nil, pyramid},
	{rgb(0xa85083), nil, triangle},
	{rgb(0x8a6d01), nil, filled},
	{rgb(0x00815e), dash, square},
	{rgb(0xa85084), dash, plus},
	{rgb(0x8a6e00), dash, cross},
}

// stylesOf returns the styles of a block's rows by name. The paper's losses always have the
// same ones; other rows, such as a loss with other settings, take the remaining ones in turn.
func stylesOf(rows []report.Row) map[string]style {
	published := paper.Losses()
	out := make(map[string]style)
	taken := make(map[string]bool)
	next := len(published)
	for _, row := range rows {
		k := slices.Index(published, row.Loss)
		if k < 0 || taken[row.Loss] {
			k = next
			if next++; next == len(styles) {
				next = len(published)
			}
		}
		taken[row.Loss] = true
		out[row.Name] = styles[k]
	}
	return out
}

// textStyle returns centred, dark sans-serif text of a size in points.
func textStyle(size float64) text.Style {
	return text.Style{
		Color:   dark,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size)),
		XAlign:  text.XCenter,
		YAlign:  text.YTop,
		Handler: plot.DefaultTextHandler,
	}
}
