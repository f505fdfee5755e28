package figure

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

	"github.com/losscorr/losscorr/internal/store"
)

// Matrices draws T, if it is known, beside its estimate as heat maps with the
// probabilities in the cells; rows are true classes.
func Matrices(t *store.TransitionInfo) *Figure {
	panels := matrixPlots(t)
	const side = pageWidth / 2
	return &Figure{width: side * vg.Length(len(panels)), height: side, draw: func(c draw.Canvas) {
		for k, p := range panels {
			drawSquare(p, inset(column(c, vg.Length(k)*side, side)))
		}
	}}
}

// Matrix draws a transition matrix as a heat map.
func Matrix(classes []string, rows [][]float64) *Figure {
	side := 3 * vg.Inch
	return &Figure{width: side, height: side, draw: func(c draw.Canvas) { drawSquare(heatMap("", classes, rows), c) }}
}

// column returns the part of c that starts at x from its left edge.
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
		name = clip(name)
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
		p.X.Padding = vg.Points(5) // rotated names start too high by this
	}
	p.Add(cells{rows})
	return p
}

// clip shortens a name that would leave too little room for the matrix.
func clip(name string) string {
	const most = 16
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// cells draws the entries of a matrix, the first row on top.
type cells struct{ rows [][]float64 }

func (m cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	n := len(m.rows)
	for i, row := range m.rows {
		for j, v := range row {
			if step(v) > 0 {
				c.SetColor(shade(v))
				c.Fill(vg.Rectangle{
					Min: vg.Point{X: x(float64(j)), Y: y(float64(n - i - 1))},
					Max: vg.Point{X: x(float64(j + 1)), Y: y(float64(n - i))},
				}.Path())
			}
		}
	}
	thin := draw.LineStyle{Color: grey, Width: vg.Points(.4)}
	for k := range n + 1 {
		v := float64(k)
		c.StrokeLine2(thin, x(v), c.Min.Y, x(v), c.Max.Y)
		c.StrokeLine2(thin, c.Min.X, y(v), c.Max.X, y(v))
	}
	const type8 = 8
	if x(1)-x(0) < 1.7*type8 { // numbers of two digits would touch each other
		return
	}
	s := textStyle(type8)
	s.YAlign = text.YCenter // centre of the line, slightly below the centre of digits
	for i, row := range m.rows {
		for j, v := range row {
			if v < .005 {
				continue
			}
			s.Color = onShade(v)
			at := vg.Point{X: x(float64(j) + .5), Y: y(float64(n-i)-.5) + .1*s.Font.Size}
			c.FillText(s, at, shortest(v))
		}
	}
}

// shade returns a colour from white at 0 to dark blue at 1, with most contrast for small entries.
func shade(v float64) color.NRGBA {
	v = math.Sqrt(min(1, max(0, v)))
	mix := func(from, to float64) uint8 { return uint8(math.Round(from + (to-from)*v)) }
	return color.NRGBA{R: mix(255, 8), G: mix(255, 81), B: mix(255, 140), A: 255}
}

// onShade returns black or white for a number on the shade of v, with a contrast of at least 4.5 to 1.
func onShade(v float64) color.NRGBA {
	if v < .583 {
		return color.NRGBA{A: 255}
	}
	return ground
}

// steps is the number of shades on a page.
const steps = 20

// step returns the shade of v on a page, from 0 to steps.
func step(v float64) int { return int(math.Round(steps * math.Sqrt(min(1, max(0, v))))) }

// Shade returns the look of a probability in a heat map on a page: the percentage of the
// style sheet's --heat in the background, and the class of the number on it, low, half or on.
// Their colours --heat-low, black and --heat-ink have a contrast of 4.5.
func Shade(v float64) (share int, class string) {
	k := step(v)
	switch {
	case k >= 16:
		class = "on"
	case k >= 12:
		class = "half"
	default:
		class = "low"
	}
	return 100 * k / steps, class
}

// shortest formats a number with at most two decimals and without a leading
// zero, as in tables of probabilities: .8, .07, 1, 40.
func shortest(v float64) string {
	s := strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64)
	if strings.HasPrefix(s, "0.") {
		return s[1:]
	}
	return s
}

// drawSquare draws a plot at the top left of c, with the largest square data
// area that fits.
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
