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
// exponent is the slope. The names of the lines stand below the plot.
func LogLog(title, x, y string, lines []LogLine) *Figure {
	p := newPlot(title, x, y)
	p.Add(horizontalGrid())
	p.X.Tick.Marker, p.Y.Tick.Marker = powers{}, powers{}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	names := &logLegend{style: textStyle(smallType)}
	names.style.XAlign, names.style.YAlign = text.XLeft, text.YCenter
	for k, line := range lines {
		style := styles[(k+firstLogStyle)%len(styles)]
		if law := line.law(); law != nil {
			p.Add(&plotter.Line{XYs: logs(law), LineStyle: draw.LineStyle{Color: style.ink, Width: vg.Points(.8), Dashes: []vg.Length{1, 2}}})
		}
		at := logs(line.Points)
		p.Add(&plotter.Line{XYs: at, LineStyle: style.line()}, &plotter.Scatter{XYs: at, GlyphStyle: style.glyph()})
		names.lines, names.styles = append(names.lines, line.Name), append(names.styles, style)
		for _, q := range at {
			low = [2]float64{min(low[0], q.X), min(low[1], q.Y)}
			high = [2]float64{max(high[0], q.X), max(high[1], q.Y)}
		}
	}
	const room = .1 // of a power of ten
	p.X.Min, p.X.Max = low[0]-room, high[0]+room
	p.Y.Min, p.Y.Max = low[1]-room, high[1]+room
	return &Figure{width: 4.6 * vg.Inch, height: 3.2*vg.Inch + names.height(), draw: func(c draw.Canvas) {
		drawTitled(p, inset(draw.Crop(c, 0, 0, names.height(), 0)))
		names.draw(c)
	}}
}

// logs are points with the logarithms of their coordinates, in powers of ten. (A
// plot.LogScale leaves too much room for the name of an axis.)
func logs(points []plotter.XY) plotter.XYs {
	out := make(plotter.XYs, len(points))
	for k, q := range points {
		out[k] = plotter.XY{X: math.Log10(q.X), Y: math.Log10(q.Y)}
	}
	return out
}

// firstLogStyle is the style of LogLog's first line: the paper's forward is the darkest
// that has a colour of its own.
const firstLogStyle = 6

// law returns both ends of the fitted law, nil if nothing was fitted.
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

// logLegend names the lines of a LogLog below it.
type logLegend struct {
	lines  []string
	styles []Style
	style  text.Style
}

func (l *logLegend) height() vg.Length { return legendRow*vg.Length(len(l.lines)) + 6 }

func (l *logLegend) draw(c draw.Canvas) {
	const margin = 50
	for k, name := range l.lines {
		x, y := c.Min.X+margin, c.Min.Y+l.height()-legendRow*(vg.Length(k)+.5)
		c.StrokeLine2(l.styles[k].line(), x, y, x+legendSample, y)
		c.DrawGlyph(l.styles[k].glyph(), vg.Point{X: x + legendSample/2, Y: y})
		c.FillText(l.style, vg.Point{X: x + legendSample + 4, Y: y + .1*l.style.Font.Size}, name)
	}
}

// powers is a plot.Ticker of axes of logarithms: labels at powers of ten, or, where there
// are fewer than three, also at 2 and 5 times them, or at all ticks.
type powers struct{}

// Ticks implements plot.Ticker.
func (powers) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	labels := 0
	few := high-low < 2.5
	for e := math.Floor(low); e <= math.Ceil(high); e++ {
		for m := 1.0; m < 10; m++ {
			tick := plot.Tick{Value: e + math.Log10(m)}
			if tick.Value < low || tick.Value > high {
				continue
			}
			if m == 1 || few && (m == 2 || m == 5) {
				tick.Label = powerText(tick.Value)
				labels++
			}
			ticks = append(ticks, tick)
		}
	}
	for k := range ticks {
		if labels < 2 {
			ticks[k].Label = powerText(ticks[k].Value)
		}
	}
	return ticks
}

func powerText(log float64) string { return tickText(math.Pow(10, log)) }
