package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LogLine is a line of LogLog: points with positive coordinates, and the power law that
// was fitted to those from From on.
type LogLine struct {
	Name   string
	Points []plotter.XY

	// Exponent and Factor are those of y = Factor x^Exponent, drawn dotted from the first
	// point at or above From to the last one. Factor 0: no law is drawn.
	Exponent, Factor, From float64
}

// LogLog draws lines with both axes logarithmic, where a power law is straight and its
// exponent is the slope. Each line has its name at the right end of the row below the
// plot, in its style.
func LogLog(title, x, y string, lines []LogLine) *Figure {
	p := newPlot(title, x, y)
	p.Add(horizontalGrid())
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = powers{}, powers{}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	for k, line := range lines {
		style := styles[(k+firstLogStyle)%len(styles)]
		if law := line.law(); law != nil {
			p.Add(&plotter.Line{XYs: law, LineStyle: draw.LineStyle{Color: style.ink, Width: vg.Points(.8), Dashes: []vg.Length{1, 2}}})
		}
		p.Add(&plotter.Line{XYs: line.Points, LineStyle: style.line()}, &plotter.Scatter{XYs: line.Points, GlyphStyle: style.glyph()})
		p.Legend.Add(line.Name, logSample(style))
		for _, q := range line.Points {
			low = [2]float64{min(low[0], q.X), min(low[1], q.Y)}
			high = [2]float64{max(high[0], q.X), max(high[1], q.Y)}
		}
	}
	const room = 1.3
	p.X.Min, p.X.Max = low[0]/room, high[0]*room
	p.Y.Min, p.Y.Max = low[1]/room, high[1]*room
	p.Legend.TextStyle = textStyle(smallType)
	p.Legend.TextStyle.XAlign, p.Legend.TextStyle.YAlign = text.XLeft, text.YCenter
	p.Legend.Top, p.Legend.Left, p.Legend.ThumbnailWidth = true, true, 26
	return &Figure{width: 4.6 * vg.Inch, height: 3.4 * vg.Inch, draw: func(c draw.Canvas) { drawTitled(p, inset(c)) }}
}

// firstLogStyle is the style of LogLog's first line: the paper's forward is the darkest
// that has a colour of its own.
const firstLogStyle = 6

// law returns both ends of the fitted law, nil if there is none.
func (l LogLine) law() plotter.XYs {
	if l.Factor == 0 || len(l.Points) == 0 {
		return nil
	}
	at := func(x float64) plotter.XY { return plotter.XY{X: x, Y: l.Factor * math.Pow(x, l.Exponent)} }
	first := l.Points[len(l.Points)-1].X
	for _, q := range l.Points {
		if q.X >= l.From {
			first = min(first, q.X)
		}
	}
	return plotter.XYs{at(first), at(l.Points[len(l.Points)-1].X)}
}

// logSample is a style's line and mark in a legend.
func logSample(s Style) plot.Thumbnailer { return sample{s} }

type sample struct{ Style }

// Thumbnail implements plot.Thumbnailer.
func (s sample) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(s.line(), c.Min.X, y, c.Max.X, y)
	c.DrawGlyph(s.glyph(), vg.Point{X: c.Center().X, Y: y})
}

// powers is a plot.Ticker of logarithmic axes: labels at powers of ten, or, where there
// are fewer than three, also at 2 and 5 times them.
type powers struct{}

// Ticks implements plot.Ticker.
func (powers) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	few := math.Log10(high/low) < 2.5
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < low || v > high {
				continue
			}
			tick := plot.Tick{Value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				tick.Label = tickText(v)
			}
			out = append(out, tick)
		}
	}
	return out
}
