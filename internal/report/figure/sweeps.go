package figure

import (
	"cmp"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/report"
)

// Sweeps draws two panels per row, with a legend of the losses below them.
// Vertical bars are one sample standard deviation over seeds to either side.
// Losses differ in colour and shape of the mark, and estimated T in fill and
// dashes, so that they can be distinguished in grey.
func Sweeps(panels []*report.Sweep) *Figure {
	const perRow = 2
	columns := min(perRow, max(1, len(panels)))
	rows := (len(panels) + perRow - 1) / perRow
	wide, high := pageWidth/perRow, 2.5*vg.Inch
	if columns == 1 {
		wide, high = 4.6*vg.Inch, 3.2*vg.Inch
	}
	// All panels have room for the highest title, so that they line up.
	titles, most := make([]string, len(panels)), vg.Length(0)
	for k, p := range panels {
		titles[k] = wrap(strings.TrimSuffix(p.Title+"\n"+p.Aside, "\n"), titleStyle, wide-.8*vg.Inch)
		most = max(most, titleStyle.Height(titles[k]))
	}
	high += most - titleStyle.Height("x")
	legend := newLegend(panels, wide*vg.Length(columns))
	return &Figure{width: wide * vg.Length(columns), height: high*vg.Length(rows) + legend.height(),
		draw: func(c draw.Canvas) {
			for k, p := range panels {
				x, y := vg.Length(k%perRow)*wide, c.Max.Y-vg.Length(k/perRow)*high
				lower := most - titleStyle.Height(titles[k])
				drawTitled(sweepPlot(titles[k], p, func(l report.SweepLine) style {
					return lossStyles[l.Loss]
				}), inset(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
					Min: vg.Point{X: c.Min.X + x, Y: y - high}, Max: vg.Point{X: c.Min.X + x + wide, Y: y - lower},
				}}))
			}
			legend.draw(c)
		}}
}

// Sweep draws one panel in the styles of a table's rows, with their names at the ends of the lines.
func Sweep(s *report.Sweep, rows []report.Row) *Figure {
	styles := stylesOf(rows)
	p := sweepPlot("", s, func(l report.SweepLine) style { return styles[l.Row] })
	labels := &endLabels{style: textStyle(smallType)}
	for _, line := range s.Lines {
		last := line.Points[len(line.Points)-1]
		labels.entries = append(labels.entries, endLabel{line.Row, plotter.XY{X: last.Level, Y: last.Mean},
			styles[line.Row].color})
	}
	p.Add(labels)
	return &Figure{width: 5.5 * vg.Inch, height: 2.6 * vg.Inch, draw: func(c draw.Canvas) { drawTitled(p, c) }}
}

// lossStyles are the styles of the losses in the paper's figures.
var lossStyles = func() map[string]style {
	var rows []report.Row
	for _, loss := range report.SweepLosses() {
		rows = append(rows, report.Row{Name: loss, Loss: loss})
	}
	return stylesOf(rows)
}()

func sweepPlot(title string, s *report.Sweep, styleOf func(report.SweepLine) style) *plot.Plot {
	p := newPlot(title, "noise level N", "test accuracy (%)")
	p.Add(horizontalGrid())
	levels := s.Levels()
	last, low, high := levels[len(levels)-1], math.Inf(1), 0.0
	// Move each loss a little to the side of its level, so that bars of similar
	// losses do not hide each other.
	step := last / 120
	var bars, lines, marks []plot.Plotter
	for k, line := range s.Lines {
		style := styleOf(line)
		side := step * (float64(k) - float64(len(s.Lines)-1)/2)
		at := make(plotter.XYs, len(line.Points))
		bar := &plotter.YErrorBars{CapWidth: 4, LineStyle: draw.LineStyle{Color: style.color, Width: vg.Points(.9)}}
		for i, q := range line.Points {
			at[i] = plotter.XY{X: q.Level + side, Y: q.Mean}
			low, high = min(low, q.Mean-q.Std), max(high, q.Mean+q.Std)
			if q.N > 1 {
				bar.XYs = append(bar.XYs, at[i])
				bar.YErrors = append(bar.YErrors, struct{ Low, High float64 }{q.Std, q.Std})
			}
		}
		bars = append(bars, bar)
		lines = append(lines, &plotter.Line{XYs: at, LineStyle: style.line()})
		marks = append(marks, &plotter.Scatter{XYs: at, GlyphStyle: style.glyph()})
	}
	p.Add(bars...)
	p.Add(lines...)
	p.Add(marks...)
	p.X.Min, p.X.Max = -4*step, last+4*step
	room := max(1, .06*(high-low)) // for the outermost marks
	p.Y.Min, p.Y.Max = max(0, low-room), min(100+room/2, high+room)
	p.X.Tick.Marker = levelTicks(levels)
	p.Y.Tick.Marker = ticks{}
	return p
}

// levelTicks puts a tick at each level with runs.
func levelTicks(levels []float64) plot.Ticker {
	ticks := make(plot.ConstantTicks, len(levels))
	for k, v := range levels {
		ticks[k] = plot.Tick{Value: v, Label: shortest(v)}
	}
	return ticks
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

func newLegend(panels []*report.Sweep, width vg.Length) *legend {
	l := &legend{style: textStyle(smallType)}
	l.style.XAlign, l.style.YAlign = text.XLeft, text.YCenter
	for _, loss := range report.SweepLosses() {
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
			c.StrokeLine2(lossStyles[loss].line(), x, y, x+legendSample, y)
			c.DrawGlyph(lossStyles[loss].glyph(), vg.Point{X: x + legendSample/2, Y: y})
			s := l.style
			c.FillText(s, vg.Point{X: x + legendSample + 4, Y: y + .1*s.Font.Size}, legendName(loss))
			x += legendSample + 4 + s.Width(legendName(loss)) + legendGap
		}
	}
}

// legendName is the title of a loss.
func legendName(loss string) string { return cmp.Or(losses.All.Named(loss).Title, loss) }
