package figure

import (
	"cmp"
	"errors"
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

// Curve holds the epochs of one row's runs at one noise, one slice per seed.
type Curve struct {
	report.Row
	Runs [][]metrics.Epoch
}

// CurveOf reads the metrics of a row's runs. If some cannot be read, it returns the
// others together with an error that names the missing ones.
func CurveOf(row report.Row, runs []*report.Run) (Curve, error) {
	c := Curve{Row: row}
	var problems []error
	for _, r := range runs {
		epochs, err := r.Epochs()
		problems = append(problems, err)
		if len(epochs) > 0 {
			c.Runs = append(c.Runs, epochs)
		}
	}
	return c, errors.Join(problems...)
}

// Measure is a quantity that learning curves show by epoch.
type Measure struct {
	Name string
	axis string
	of   func(metrics.Epoch) float64
}

const percent = "accuracy (%)"

// Measures are the measures on a page.
var Measures = []Measure{
	{"training loss", "loss", func(e metrics.Epoch) float64 { return e.TrainLoss }},
	{"accuracy on noisy validation labels", percent, func(e metrics.Epoch) float64 { return e.ValAccuracy }},
	{"test accuracy, on true labels", percent, testAccuracy},
}

func testAccuracy(e metrics.Epoch) float64 { return e.TestAccuracy }

// LearningCurves draws a measure by epoch: a faint line per seed and a strong one
// for their mean. It returns nil if no run has metrics, or the data has no test set
// to measure.
func LearningCurves(m Measure, curves []Curve, styles map[string]Style) *Figure {
	p := curvesPlot("", m, curves, styles, false)
	if p == nil || m.Name == Measures[len(Measures)-1].Name && untested(curves) {
		return nil
	}
	return &Figure{width: 3.7 * vg.Inch, height: 2.5 * vg.Inch, draw: func(c draw.Canvas) {
		drawTitled(p, draw.Crop(c, 0, -6, 0, 0)) // room for the right half of the last epoch's number
	}}
}

// noiseFigure draws runs that differ only in loss and seed: test accuracy by epoch, with the
// name of each row at the end of its line, and below it T and its estimate. If t is nil it
// draws only the curves.
func noiseFigure(title string, curves []Curve, styles map[string]Style, t *store.TransitionInfo) *Figure {
	m := Measure{axis: "test " + percent, of: testAccuracy}
	if untested(curves) {
		m = Measure{axis: "noisy validation " + percent, of: func(e metrics.Epoch) float64 { return e.ValAccuracy }}
	}
	p := curvesPlot(title, m, curves, styles, true)
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
func untested(curves []Curve) bool {
	some := false
	for _, c := range curves {
		for _, run := range c.Runs {
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

func curvesPlot(title string, m Measure, curves []Curve, styles map[string]Style, labelled bool) *plot.Plot {
	p := newPlot(title, "epoch", m.axis)
	p.Add(horizontalGrid())
	labels := &endLabels{style: textStyle(smallType)}
	var seeds, means []plot.Plotter
	values := make([][]float64, len(curves))
	last := 0.0
	for k, c := range curves {
		s := styles[c.Name]
		faint := s.color
		faint.A = 0x48
		if len(c.Runs) > crowd {
			faint.A = 0x12
		}
		mean := meanLine(c.Runs, m)
		if len(mean) == 0 {
			continue
		}
		for _, run := range c.Runs {
			var line plotter.XYs
			for _, e := range run {
				line = append(line, plotter.XY{X: float64(e.Epoch), Y: m.of(e)})
				values[k] = append(values[k], m.of(e))
			}
			if len(c.Runs) > 1 {
				seeds = append(seeds, lines(line, draw.LineStyle{Color: faint, Width: vg.Points(.7)})...)
			}
		}
		means = append(means, lines(mean, s.line())...)
		end := mean[len(mean)-1]
		last = max(last, end.X)
		labels.entries = append(labels.entries, endLabel{c.Name, end, s.color})
	}
	if last == 0 && !labelled {
		return nil
	}
	p.Add(seeds...) // below all means
	p.Add(means...)
	if labelled {
		p.Add(labels)
	}
	p.X.Min, p.X.Max = 0, max(1, last)
	if m.axis == Measures[0].axis {
		p.Y.Min, p.Y.Max = commonSpan(values)
	} else {
		p.Y.Min, p.Y.Max = span(slices.Concat(values...))
		p.Y.Min, p.Y.Max = max(0, p.Y.Min), min(100, p.Y.Max)
	}
	p.X.Tick.Marker = ticks{atLeast: 1}
	p.Y.Tick.Marker = ticks{}
	return p
}

// meanLine returns the mean over runs at each epoch. Runs that ended early count
// only until their end.
func meanLine(runs [][]metrics.Epoch, m Measure) plotter.XYs {
	values := make(map[int][]float64)
	var epochs []int
	for _, run := range runs {
		for _, e := range run {
			if values[e.Epoch] == nil {
				epochs = append(epochs, e.Epoch)
			}
			values[e.Epoch] = append(values[e.Epoch], m.of(e))
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
