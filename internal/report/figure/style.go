package figure

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonum.org/v1/plot"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/results/paper"
)

// ink is a colour for files, and a class by whose colour the style sheet of a
// page draws in its place.
type ink struct {
	color.NRGBA
	class   string
	opacity float64 // on a page; 0 is that of the colour
	title   string  // on a page, shown on hover
}

var (
	dark   = ink{NRGBA: color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}, class: "ink"}
	grey   = ink{NRGBA: color.NRGBA{R: 0xdd, G: 0xdd, B: 0xdd, A: 0xff}, class: "grid"}
	ground = ink{NRGBA: color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}, class: "ground"}
)

// Style is how a row of a table is drawn: the same in every figure.
type Style struct {
	ink    ink
	dashes []vg.Length
	mark   draw.GlyphDrawer
}

// Class is the style's class in a page's style sheet: k0 to k15.
func (s Style) Class() string { return s.ink.class }

func (s Style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.ink, Width: vg.Points(1.6), Dashes: s.dashes}
}

func (s Style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.ink, Radius: vg.Points(2.9), Shape: s.mark}
}

// The colours of Okabe and Ito (2008), which colour-blind readers distinguish, in
// shades that read well as thin lines: those of the page in light, too. The first ten styles are those of the
// paper's losses: estimates of T are dashed with a hollow mark, losses that do not
// use T are dotted. No two styles share both colour and dashes.
var styles = func() []Style {
	rgb := func(r, g, b uint8) color.NRGBA { return color.NRGBA{R: r, G: g, B: b, A: 0xff} }
	green, purple, yellow := rgb(0x00, 0x80, 0x5d), rgb(0xa8, 0x4f, 0x83), rgb(0x8a, 0x6d, 0x00)
	dash, dot, dashDot := []vg.Length{4, 2}, []vg.Length{1.2, 2}, []vg.Length{5.6, 1.6, 1.2, 1.6}
	list := []Style{
		{ink{NRGBA: rgb(0x44, 0x44, 0x44)}, nil, draw.CircleGlyph{}},       // cross-entropy
		{ink{NRGBA: green}, dot, draw.PlusGlyph{}},                         // unhinged
		{ink{NRGBA: purple}, dot, draw.CrossGlyph{}},                       // sigmoid
		{ink{NRGBA: yellow}, dot, polygon{star, false}},                    // savage
		{ink{NRGBA: green}, dashDot, polygon{diamond, false}},              // bootstrap-soft
		{ink{NRGBA: purple}, dashDot, polygon{diamond, true}},              // bootstrap-hard
		{ink{NRGBA: rgb(0xc0, 0x48, 0x00)}, nil, polygon{triangle, false}}, // backward
		{ink{NRGBA: rgb(0xb9, 0x78, 0x00)}, dash, polygon{triangle, true}}, // backward-estimated
		{ink{NRGBA: rgb(0x00, 0x60, 0xa0)}, nil, polygon{square, false}},   // forward
		{ink{NRGBA: rgb(0x2f, 0x8f, 0xc4)}, dash, polygon{square, true}},   // forward-estimated
		{ink{NRGBA: green}, nil, polygon{pointed, false}},
		{ink{NRGBA: purple}, nil, polygon{pointed, true}},
		{ink{NRGBA: yellow}, nil, polygon{hexagon, false}},
		{ink{NRGBA: green}, dash, polygon{hexagon, true}},
		{ink{NRGBA: purple}, dash, polygon{flat, false}},
		{ink{NRGBA: yellow}, dash, polygon{upright, false}},
	}
	for k := range list {
		list[k].ink.class = fmt.Sprintf("k%d", k)
	}
	return list
}()

// Styles returns the styles of a table's rows by their names. Those of the paper's losses
// are always the same. Another loss has the style of its place in losses.All, and
// where that is taken, as by a loss's second settings, the next one that is free.
func Styles(rows []report.Row) map[string]Style {
	published := paper.Losses()
	more := losses.All.Which(func(e losses.Entry) bool { return !slices.Contains(published, e.Name) })
	others := styles[len(published):]
	out := make(map[string]Style)
	taken := make([]int, len(others))
	var seen []string
	var late []report.Row
	for _, row := range rows {
		switch k := slices.Index(published, row.Loss); {
		case slices.Contains(seen, row.Loss):
			late = append(late, row)
		case k >= 0:
			out[row.Name] = styles[k]
		default:
			n := slices.Index(more, row.Loss)
			if n < 0 || taken[n%len(others)] > 0 {
				late = append(late, row)
				break
			}
			n %= len(others)
			taken[n]++
			out[row.Name] = others[n]
		}
		seen = append(seen, row.Loss)
	}
	for _, row := range late {
		n := slices.Index(taken, slices.Min(taken))
		taken[n]++
		out[row.Name] = others[n]
	}
	return out
}

// polygon is a mark; a hollow one is filled with the ground, so that no line
// shows through.
type polygon struct {
	corners []vg.Point // of a mark of radius 1
	hollow  bool
}

var (
	square   = []vg.Point{{X: -.85, Y: -.85}, {X: .85, Y: -.85}, {X: .85, Y: .85}, {X: -.85, Y: .85}}
	triangle = []vg.Point{{X: -.95, Y: -.65}, {X: .95, Y: -.65}, {X: 0, Y: 1}}
	pointed  = []vg.Point{{X: -.95, Y: .65}, {X: .95, Y: .65}, {X: 0, Y: -1}}
	diamond  = []vg.Point{{X: 0, Y: -1.1}, {X: 1.1, Y: 0}, {X: 0, Y: 1.1}, {X: -1.1, Y: 0}}
	hexagon  = []vg.Point{{X: -.5, Y: -.9}, {X: .5, Y: -.9}, {X: 1, Y: 0}, {X: .5, Y: .9}, {X: -.5, Y: .9}, {X: -1, Y: 0}}
	flat     = []vg.Point{{X: -1.1, Y: -.4}, {X: 1.1, Y: -.4}, {X: 1.1, Y: .4}, {X: -1.1, Y: .4}}
	upright  = []vg.Point{{X: -.4, Y: -1.1}, {X: .4, Y: -1.1}, {X: .4, Y: 1.1}, {X: -.4, Y: 1.1}}
	star     = []vg.Point{{X: 0, Y: 1.2}, {X: .3, Y: .3}, {X: 1.2, Y: 0}, {X: .3, Y: -.3}, {X: 0, Y: -1.2},
		{X: -.3, Y: -.3}, {X: -1.2, Y: 0}, {X: -.3, Y: .3}}
)

func (p polygon) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	var outline vg.Path
	outline.Move(at.Add(p.corners[0].Scale(s.Radius)))
	for _, corner := range p.corners[1:] {
		outline.Line(at.Add(corner.Scale(s.Radius)))
	}
	outline.Close()
	if !p.hollow {
		c.SetColor(s.Color)
		c.Fill(outline)
		return
	}
	own, _ := s.Color.(ink)
	inside := ground
	inside.class += " " + own.class // hidden with the line
	c.SetColor(inside)
	c.Fill(outline)
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: vg.Points(1.1)})
	c.Stroke(outline)
}

// textStyle is dark sans-serif text of a size in points, set centred.
func textStyle(size float64) text.Style {
	return text.Style{
		Color:   dark,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size)),
		XAlign:  text.XCenter,
		YAlign:  text.YTop,
		Handler: plot.DefaultTextHandler,
	}
}
