package report

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/correction"
)

// SweepsFigure draws panels three a row, with the losses explained below them.
// Vertical bars are one sample standard deviation over seeds to either side.
// Losses differ in colour, in the shape of their marks, and in fill and dashes
// where T is estimated, so that they can be told apart in grey.
func SweepsFigure(panels []*Sweep) *Figure {
	const perRow = 3
	columns := min(perRow, max(1, len(panels)))
	rows := (len(panels) + perRow - 1) / perRow
	wide, high := 3*vg.Inch, 2.5*vg.Inch
	if columns == 1 {
		wide, high = 4.6*vg.Inch, 3.2*vg.Inch
	}
	// Titles of a row are of one height, so that the panels stand level.
	asides := slices.ContainsFunc(panels, func(s *Sweep) bool { return s.Aside != "" })
	legend := newLegend(panels, wide*vg.Length(columns))
	return &Figure{width: wide * vg.Length(columns), height: high*vg.Length(rows) + legend.height(), draw: func(c draw.Canvas) {
		for k, p := range panels {
			x, y := vg.Length(k%perRow)*wide, c.Max.Y-vg.Length(k/perRow)*high
			title := p.Title
			if asides {
				title += "\n" + p.Aside
			}
			drawTitled(sweepPlot(title, p), inset(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: c.Min.X + x, Y: y - high}, Max: vg.Point{X: c.Min.X + x + wide, Y: y},
			}}))
		}
		legend.draw(c)
	}}
}

// marks are the shapes of points.
var marks = map[correction.Mark]draw.GlyphDrawer{
	correction.Plus: draw.PlusGlyph{}, correction.Circle: draw.CircleGlyph{}, correction.Square: draw.BoxGlyph{},
	correction.HollowSquare: square, correction.Triangle: draw.PyramidGlyph{}, correction.HollowTriangle: triangle,
}

// hollow draws a polygon's outline on white, so that no line shows through.
type hollow []vg.Point // corners of a glyph of radius 1

var (
	square   = hollow{{X: -.85, Y: -.85}, {X: .85, Y: -.85}, {X: .85, Y: .85}, {X: -.85, Y: .85}}
	triangle = hollow{{X: -.95, Y: -.65}, {X: .95, Y: -.65}, {X: 0, Y: 1}}
)

// DrawGlyph implements draw.GlyphDrawer.
func (h hollow) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	var outline vg.Path
	outline.Move(at.Add(h[0].Scale(s.Radius)))
	for _, corner := range h[1:] {
		outline.Line(at.Add(corner.Scale(s.Radius)))
	}
	outline.Close()
	c.SetColor(color.White)
	c.Fill(outline)
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: vg.Points(1.1)})
	c.Stroke(outline)
}

func sweepPlot(title string, s *Sweep) *plot.Plot {
	p := newPlot(title, "noise level N", "test accuracy (%)")
	p.Add(horizontalGrid{})
	levels := s.levels()
	last, low := levels[len(levels)-1], 100.0
	// Losses that score alike would hide each other's bars: each stands a little
	// to the side of its level.
	step := last / 120
	var bars, lines, points []plot.Plotter
	for k, line := range s.Lines {
		l := lossLook(line.Loss)
		side := step * (float64(k) - float64(len(s.Lines)-1)/2)
		at := make(plotter.XYs, len(line.Points))
		for i, q := range line.Points {
			at[i] = plotter.XY{X: q.Level + side, Y: q.Mean}
			low = min(low, q.Mean-q.Std)
			if q.N > 1 {
				bars = append(bars, bar{at[i], q.Std, draw.LineStyle{Color: l.color, Width: vg.Points(.9)}})
			}
		}
		lines = append(lines, &plotter.Line{XYs: at, LineStyle: l.line()})
		points = append(points, &plotter.Scatter{XYs: at, GlyphStyle: glyph(line.Loss)})
	}
	p.Add(bars...)
	p.Add(lines...)
	p.Add(points...)
	p.X.Min, p.X.Max = -3*step, last+3*step
	p.Y.Min, p.Y.Max = max(0, 10*math.Floor((low-2)/10)), 100 // room for the lowest mark
	p.X.Tick.Marker = levelTicks(levels)
	p.Y.Tick.Marker = roundTicks(p.Y.Max - p.Y.Min)
	return p
}

func glyph(loss string) draw.GlyphStyle {
	return draw.GlyphStyle{Color: lossLook(loss).color, Radius: vg.Points(2.6), Shape: marks[correction.Losses.Named(loss).Look.Mark]}
}

// levelTicks puts a tick at each level that runs were done at.
func levelTicks(levels []float64) plot.Ticker {
	ticks := make(plot.ConstantTicks, len(levels))
	for k, v := range levels {
		ticks[k] = plot.Tick{Value: v, Label: shortest(v)}
	}
	return ticks
}

// bar is a vertical error bar with short caps.
type bar struct {
	at    plotter.XY
	std   float64
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (b bar) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = 2
	at, top, bottom := x(b.at.X), y(min(100, b.at.Y+b.std)), y(max(p.Y.Min, b.at.Y-b.std))
	c.StrokeLine2(b.style, at, bottom, at, top)
	c.StrokeLine2(b.style, at-half, bottom, at+half, bottom)
	c.StrokeLine2(b.style, at-half, top, at+half, top)
}

// legend explains the losses of all panels in one or more rows.
type legend struct {
	rows  [][]string
	style text.Style
}

const (
	legendSample = 26 // points of line before a name
	legendGap    = 16 // between a name and the next sample
	legendRow    = 14
)

func newLegend(panels []*Sweep, width vg.Length) *legend {
	l := &legend{style: style(8.5)}
	l.style.XAlign, l.style.YAlign = text.XLeft, text.YCenter
	for _, loss := range SweepLosses() {
		shown := false
		for _, p := range panels {
			for _, line := range p.Lines {
				shown = shown || line.Loss == loss
			}
		}
		if !shown {
			continue
		}
		if n := len(l.rows); n > 0 && l.width(append(l.rows[n-1], loss)) < width-12 {
			l.rows[n-1] = append(l.rows[n-1], loss)
			continue
		}
		l.rows = append(l.rows, []string{loss})
	}
	return l
}

func (l *legend) width(row []string) vg.Length {
	w := vg.Length(-legendGap)
	for _, loss := range row {
		w += legendSample + 4 + l.style.Width(legendName(loss)) + legendGap
	}
	return w
}

func (l *legend) height() vg.Length { return legendRow*vg.Length(len(l.rows)) + 6 }

func (l *legend) draw(c draw.Canvas) {
	for k, row := range l.rows {
		y := c.Min.Y + 6 + legendRow*(vg.Length(len(l.rows)-1-k)+.5)
		x := (c.Min.X + c.Max.X - l.width(row)) / 2
		for _, loss := range row {
			c.StrokeLine2(lossLook(loss).line(), x, y, x+legendSample, y)
			c.DrawGlyph(glyph(loss), vg.Point{X: x + legendSample/2, Y: y})
			s := l.style
			c.FillText(s, vg.Point{X: x + legendSample + 4, Y: y + .1*s.Font.Size}, legendName(loss))
			x += legendSample + 4 + s.Width(legendName(loss)) + legendGap
		}
	}
}

// legendName is the title of a loss.
func legendName(loss string) string { return cmp.Or(correction.Losses.Named(loss).Title, loss) }
