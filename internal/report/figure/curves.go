package figure

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

	"github.com/losscorr/losscorr/internal/report"

	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// curve holds the epochs of one row's runs at one noise, one slice per seed.
type curve struct {
	report.Row
	runs [][]metrics.Epoch
}

func testAccuracy(e metrics.Epoch) float64  { return e.TestAccuracy }
func validAccuracy(e metrics.Epoch) float64 { return e.ValAccuracy }

// noiseFigure draws runs that differ only in loss and seed: test accuracy by epoch, with the
// name of each row at the end of its line, and below it T and its estimate. If t is nil it
// draws only the curves.
func noiseFigure(title string, curves []curve, styles map[string]style, t *store.TransitionInfo) *Figure {
	p := curvesPlot(title, curves, styles)
	p.Title.Text = wrap(title, p.Title.TextStyle, pageWidth-vg.Inch)
	high := 3*vg.Inch + titleSpace(p)
	if t == nil {
		return &Figure{width: pageWidth, height: high, draw: func(c draw.Canvas) { drawTitled(p, inset(c)) }}
	}
	below := Matrices(t)
	return &Figure{width: pageWidth, height: high + below.height, draw: func(c draw.Canvas) {
		top, bottom := c, c
		top.Min.Y, bottom.Max.Y = c.Min.Y+below.height, c.Min.Y+below.height
		drawTitled(p, inset(top))
		below.draw(bottom)
	}}
}

// untested reports whether there are metrics but none has a test accuracy.
func untested(curves []curve) bool {
	some := false
	for _, c := range curves {
		for _, run := range c.runs {
			for _, e := range run {
				if !math.IsNaN(e.TestAccuracy) {
					return false
				}
				some = true
			}
		}
	}
	return some
}

// crowd is the number of seeds above which their lines are drawn even fainter, so
// that the means stand out.
const crowd = 10

func curvesPlot(title string, curves []curve, styles map[string]style) *plot.Plot {
	axis, of := "test accuracy (%)", testAccuracy
	if untested(curves) {
		axis, of = "noisy validation accuracy (%)", validAccuracy
	}
	p := newPlot(title, "epoch", axis)
	p.Add(horizontalGrid())
	labels := &endLabels{style: textStyle(smallType)}
	var seeds, means []plot.Plotter
	var values []float64
	last := 0.0
	for _, c := range curves {
		s := styles[c.Name]
		faint := s.color
		faint.A = 0x48
		if len(c.runs) > crowd {
			faint.A = 0x12
		}
		mean := meanLine(c.runs, of)
		if len(mean) == 0 {
			continue
		}
		for _, run := range c.runs {
			var line plotter.XYs
			for _, e := range run {
				line = append(line, plotter.XY{X: float64(e.Epoch), Y: of(e)})
				values = append(values, of(e))
			}
			if len(c.runs) > 1 {
				seeds = append(seeds, lines(line, draw.LineStyle{Color: faint, Width: vg.Points(.7)})...)
			}
		}
		means = append(means, lines(mean, s.line())...)
		end := mean[len(mean)-1]
		last = max(last, end.X)
		labels.entries = append(labels.entries, endLabel{c.Name, end, s.color})
	}
	p.Add(seeds...) // below all means
	p.Add(means...)
	p.Add(labels)
	p.X.Min, p.X.Max = 0, max(1, last)
	p.Y.Min, p.Y.Max = span(values)
	p.Y.Min, p.Y.Max = max(0, p.Y.Min), min(100, p.Y.Max)
	p.X.Tick.Marker = ticks{atLeast: 1}
	p.Y.Tick.Marker = ticks{}
	return p
}

// meanLine returns the mean over runs at each epoch. Runs that ended early count
// only until their end.
func meanLine(runs [][]metrics.Epoch, of func(metrics.Epoch) float64) plotter.XYs {
	values := make(map[int][]float64)
	var epochs []int
	for _, run := range runs {
		for _, e := range run {
			if values[e.Epoch] == nil {
				epochs = append(epochs, e.Epoch)
			}
			values[e.Epoch] = append(values[e.Epoch], of(e))
		}
	}
	slices.Sort(epochs)
	line := make(plotter.XYs, len(epochs))
	for k, e := range epochs {
		line[k] = plotter.XY{X: float64(e), Y: report.NewSample(values[e]).Mean}
	}
	return line
}

// lines draws a line through points, with gaps where a value is not a number.
func lines(points plotter.XYs, style draw.LineStyle) []plot.Plotter {
	var out []plot.Plotter
	var part plotter.XYs
	for _, p := range append(slices.Clip(points), plotter.XY{Y: math.NaN()}) {
		if finite(p.Y) {
			part = append(part, p)
			continue
		}
		if part != nil {
			out = append(out, &plotter.Line{XYs: part, LineStyle: style})
		}
		part = nil
	}
	return out
}

// endLabels writes names to the right of the area, each at the end of its line,
// and moves them apart if they would overlap.
type endLabels struct {
	style   text.Style
	entries []endLabel
}

type endLabel struct {
	name  string
	at    plotter.XY
	color color.NRGBA
}

const labelGap = 5 // points between line and name

// GlyphBoxes implements plot.GlyphBoxer: it reserves the room for the names.
func (l *endLabels) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, e := range l.entries {
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: .5, Rectangle: vg.Rectangle{
			Max: vg.Point{X: labelGap + l.style.Width(e.name)},
		}})
	}
	return boxes
}

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

// spread moves heights at least distance apart and keeps their order, by pushing
// up from below and then down from the top.
func spread(heights []vg.Length, distance, low, high vg.Length) []vg.Length {
	order := make([]int, len(heights))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(heights[a], heights[b]), b-a) // among equals, the first is on top
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
