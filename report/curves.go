package report

import (
	"image/color"
	"math"
	"slices"

	"github.com/losscorr/losscorr/store"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/correction"
)

// Curve is the course of one loss's runs, one slice of epochs a seed.
type Curve struct {
	Name string // of the loss; it chooses the colour
	Runs [][]store.Epoch
}

// CurvesFigure draws test accuracy per epoch, one line a curve with its name
// at the end. Of several runs the line is the mean, and a band one sample
// standard deviation to either side of it.
func CurvesFigure(title string, curves []Curve) *Figure {
	return &Figure{width: 6 * vg.Inch, height: 3.6 * vg.Inch, draw: func(c draw.Canvas) {
		drawTitled(curvesPlot(title, curves), inset(c))
	}}
}

// inset leaves a margin around what is drawn.
func inset(c draw.Canvas) draw.Canvas {
	const margin = 6
	return draw.Crop(c, margin, -margin, margin, -margin)
}

// lossLook is the look of a loss's own, or a zero one. The colours are those of Okabe
// and Ito (2008), which colour-blind readers tell apart.
func lossLook(loss string) look {
	l := correction.Losses.Named(loss).Look
	if l == (correction.Look{}) {
		return look{}
	}
	return look{color.NRGBA{R: uint8(l.Color >> 16), G: uint8(l.Color >> 8), B: uint8(l.Color), A: 0xff}, l.Dashed}
}

// otherLooks serve names without a look of their own, in turn.
var otherLooks = []look{
	{color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, false},
	{color.NRGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, false},
	{color.NRGBA{R: 0x8a, G: 0x6d, B: 0x00, A: 0xff}, false},
	{color.NRGBA{R: 0x5b, G: 0x3a, B: 0x9e, A: 0xff}, false},
	{color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, true},
	{color.NRGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, true},
}

type look struct {
	color  color.NRGBA
	dashed bool
}

func (l look) line() draw.LineStyle {
	s := draw.LineStyle{Color: l.color, Width: vg.Points(1.6)}
	if l.dashed {
		s.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
	}
	return s
}

func curvesPlot(title string, curves []Curve) *plot.Plot {
	p := newPlot(title, "epoch", "test accuracy (%)")
	p.Add(horizontalGrid{})
	labels := &endLabels{style: style(8.5)}
	var bands, lines []plot.Plotter
	low, last, others := 100.0, 1.0, 0
	for _, curve := range curves {
		points := summarise(curve.Runs)
		if len(points) == 0 {
			continue
		}
		l := lossLook(curve.Name)
		if l == (look{}) {
			l = otherLooks[others%len(otherLooks)]
			others++
		}
		mean := make(plotter.XYs, len(points))
		for k, q := range points {
			mean[k] = plotter.XY{X: float64(q.epoch), Y: q.Mean}
			low = min(low, q.Mean-q.Std)
			last = max(last, float64(q.epoch))
		}
		bands = append(bands, band(points, l.color))
		lines = append(lines, &plotter.Line{XYs: mean, LineStyle: l.line()})
		labels.add(curve.Name, mean[len(mean)-1], l.color)
	}
	p.Add(bands...) // below all lines
	p.Add(lines...)
	p.Add(labels)
	p.X.Min, p.X.Max = 0, last
	p.Y.Min, p.Y.Max = max(0, 10*math.Floor(low/10)), 100
	p.X.Tick.Marker = roundTicks(last)
	p.Y.Tick.Marker = roundTicks(p.Y.Max - p.Y.Min)
	return p
}

// point is the accuracy of a curve's runs at one epoch.
type point struct {
	epoch int
	Sample
}

// summarise returns the runs' accuracies by epoch, in order. Where some runs
// ended early, later epochs rest on the others.
func summarise(runs [][]store.Epoch) []point {
	values := make(map[int][]float64)
	var epochs []int
	for _, run := range runs {
		for _, e := range run {
			if values[e.Epoch] == nil {
				epochs = append(epochs, e.Epoch)
			}
			values[e.Epoch] = append(values[e.Epoch], e.TestAccuracy)
		}
	}
	slices.Sort(epochs)
	points := make([]point, len(epochs))
	for k, e := range epochs {
		points[k] = point{e, NewSample(values[e])}
	}
	return points
}

// band is the area one standard deviation around the mean.
func band(points []point, c color.NRGBA) *plotter.Polygon {
	outline := make(plotter.XYs, 0, 2*len(points))
	for _, q := range points {
		outline = append(outline, plotter.XY{X: float64(q.epoch), Y: min(100, q.Mean+q.Std)})
	}
	for _, q := range slices.Backward(points) {
		outline = append(outline, plotter.XY{X: float64(q.epoch), Y: max(0, q.Mean-q.Std)})
	}
	c.A = 0x30
	return &plotter.Polygon{XYs: []plotter.XYs{outline}, Color: c}
}

// roundTicks puts about five ticks on multiples of 1, 2 or 5 times a power of
// ten.
func roundTicks(span float64) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		step := math.Pow(10, math.Floor(math.Log10(span/5)))
		for _, m := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
			if span/step <= 6 {
				break
			}
			step *= m
		}
		step = max(1, step)
		var ticks []plot.Tick
		for v := math.Ceil(low/step) * step; v <= high+1e-9; v += step {
			ticks = append(ticks, plot.Tick{Value: v, Label: shortest(v)})
		}
		return ticks
	})
}

// horizontalGrid draws a light line at each tick of the vertical axis.
type horizontalGrid struct{}

// Plot implements plot.Plotter.
func (horizontalGrid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: vg.Points(.5)}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
}

// endLabels writes names to the right of the area, each at the height of its
// line's end, moved apart where they would overlap.
type endLabels struct {
	style   text.Style
	entries []endLabel
}

type endLabel struct {
	name  string
	at    plotter.XY
	color color.NRGBA
}

func (l *endLabels) add(name string, at plotter.XY, c color.NRGBA) {
	l.entries = append(l.entries, endLabel{name, at, c})
}

const labelGap = 5 // points between line and name

// GlyphBoxes implements plot.GlyphBoxer: it keeps the names' room free.
func (l *endLabels) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, e := range l.entries {
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: .5, Rectangle: vg.Rectangle{
			Max: vg.Point{X: labelGap + l.style.Width(e.name)},
		}})
	}
	return boxes
}

// Plot implements plot.Plotter.
func (l *endLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	s := l.style
	s.XAlign, s.YAlign = text.XLeft, text.YCenter
	heights := make([]vg.Length, len(l.entries))
	for k, e := range l.entries {
		heights[k] = y(e.at.Y)
	}
	for k, h := range spread(heights, s.Height("x")*1.15, c.Min.Y, c.Max.Y) {
		s.Color = l.entries[k].color
		c.FillText(s, vg.Point{X: max(x(l.entries[k].at.X), c.Max.X) + labelGap, Y: h}, l.entries[k].name)
	}
}

// spread moves heights apart to at least distance, in their order, as little
// as pushing up from below and then down from the top does.
func spread(heights []vg.Length, distance, low, high vg.Length) []vg.Length {
	order := make([]int, len(heights))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case heights[a] < heights[b]:
			return -1
		case heights[a] > heights[b]:
			return 1
		}
		return b - a // of equal ones the first stands on top
	})
	moved := slices.Clone(heights)
	floor := low
	for _, k := range order {
		moved[k] = max(moved[k], floor)
		floor = moved[k] + distance
	}
	ceiling := high
	for _, k := range slices.Backward(order) {
		moved[k] = min(moved[k], ceiling)
		ceiling = moved[k] - distance
	}
	return moved
}
