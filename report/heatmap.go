package report

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/store"
)

// MatricesFigure draws T beside its estimate, as far as there are both, as heat
// maps with the probabilities in the cells; rows are true classes.
func MatricesFigure(t *store.TransitionInfo) *Figure {
	panels := matrixPlots(t)
	side := 3.4 * vg.Inch
	return &Figure{width: side * vg.Length(len(panels)), height: side, draw: func(c draw.Canvas) {
		for k, p := range panels {
			drawSquare(p, inset(column(c, vg.Length(k)*side, side)))
		}
	}}
}

// column returns the part of c from x on, counted from its left edge.
func column(c draw.Canvas, x, width vg.Length) draw.Canvas {
	c.Min.X += x
	c.Max.X = c.Min.X + width
	return c
}

func matrixPlots(t *store.TransitionInfo) []*plot.Plot {
	var panels []*plot.Plot
	title := "estimate of T"
	if len(t.Nominal) > 0 {
		panels = append(panels, heatMap("transition matrix T", t.Classes, t.Nominal))
		title = fmt.Sprintf("estimate of T (row error %.2f)", t.EstimateError)
	}
	if t.Estimated != nil {
		panels = append(panels, heatMap(title, t.Classes, t.Estimated))
	}
	return panels
}

func heatMap(title string, classes []string, rows [][]float64) *plot.Plot {
	p := newPlot(title, "given label", "true class")
	c := float64(len(classes))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, c, 0, c
	// About 25 names fit beside a panel.
	every := (len(classes) + 24) / 25
	var x, y []plot.Tick
	long := false
	for i, name := range classes {
		if i%every != 0 {
			continue
		}
		x = append(x, plot.Tick{Value: float64(i) + .5, Label: name})
		y = append(y, plot.Tick{Value: c - float64(i) - .5, Label: name})
		long = long || len([]rune(name)) > 2
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(x), plot.ConstantTicks(y)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Width = 0
		a.Tick.LineStyle.Width = 0
	}
	if long {
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
		p.X.Padding = vg.Points(5) // turned names start that much too high
	}
	p.Add(cells{rows})
	return p
}

// cells draws the entries of a matrix, the first row on top.
type cells struct{ rows [][]float64 }

// Plot implements plot.Plotter.
func (m cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	n := float64(len(m.rows))
	size := x(1) - x(0)
	s := style(min(8, .42*float64(size)))
	s.YAlign = text.YCenter // of the line, whose middle lies below that of digits
	readable := size >= vg.Points(13)
	for i, row := range m.rows {
		for j, v := range row {
			left, top := x(float64(j)), y(n-float64(i))
			box := vg.Rectangle{Min: vg.Point{X: left, Y: y(n - float64(i) - 1)}, Max: vg.Point{X: x(float64(j) + 1), Y: top}}
			c.SetColor(shade(v))
			c.Fill(box.Path())
			if readable && v >= .005 {
				s.Color = ink
				if v > .55 {
					s.Color = color.White
				}
				c.FillText(s, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y+box.Max.Y)/2 + .1*s.Font.Size}, shortest(v))
			}
		}
	}
	thin := draw.LineStyle{Color: grey, Width: vg.Points(.4)}
	for k := range len(m.rows) + 1 {
		v := float64(k)
		c.StrokeLine2(thin, x(v), c.Min.Y, x(v), c.Max.Y)
		c.StrokeLine2(thin, c.Min.X, y(v), c.Max.X, y(v))
	}
}

// shade goes from white at 0 to dark blue at 1.
func shade(v float64) color.Color {
	v = math.Sqrt(min(1, max(0, v))) // small entries are what one looks for
	mix := func(from, to float64) uint8 { return uint8(math.Round(from + (to-from)*v)) }
	return color.NRGBA{R: mix(255, 8), G: mix(255, 81), B: mix(255, 140), A: 255}
}

// shortest writes a number with two decimals at most and without the zero
// before the point, as in tables of probabilities: .8, .07, 1, 40.
func shortest(v float64) string {
	s := strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64)
	if strings.HasPrefix(s, "0.") {
		return s[1:]
	}
	return s
}

// drawSquare draws a plot whose data area is a square as large as c allows, at
// the top left of it.
func drawSquare(p *plot.Plot, c draw.Canvas) {
	area := dataArea(p, c)
	w, h := area.Max.X-area.Min.X, area.Max.Y-area.Min.Y
	if w > h {
		c.Max.X -= w - h
	} else {
		c.Min.Y += h - w
	}
	drawTitled(p, c)
}
