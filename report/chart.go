package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// chart is a drawing with two axes as inline SVG. Colours, widths and dashes are
// those of the page's style sheet, by class, so that a chart follows the
// reader's light or dark scheme, which gonum/plot's figures do not.
type chart struct {
	label      string // for those who do not see it
	xName      string
	yName      string
	counted    bool    // the horizontal axis has whole numbers only
	width      float64 // of the data's area, in units of the drawing
	height     float64
	xLow, xTop float64
	yLow, yTop float64
	data       strings.Builder
}

// Room around the data's area, for ticks and names.
const (
	chartLeft   = 44.0
	chartRight  = 8.0
	chartTop    = 8.0
	chartBottom = 36.0
)

func (c *chart) x(v float64) float64 { return (v - c.xLow) / (c.xTop - c.xLow) * c.width }
func (c *chart) y(v float64) float64 { return (c.yTop - v) / (c.yTop - c.yLow) * c.height }

// path adds a line through points, broken where a value is no number.
func (c *chart) path(class, name string, lines ...[]xy) {
	var d strings.Builder
	for _, line := range lines {
		var x, y float64
		pen := "M"
		for _, p := range line {
			if math.IsNaN(p.y) || math.IsInf(p.y, 0) {
				pen = "M"
				continue
			}
			// Far outside, which an axis that leaves out extremes cuts off, any
			// place does.
			px, py := round1(c.x(p.x)), round1(min(max(c.y(p.y), -4*c.height), 4*c.height))
			if pen == "M" {
				d.WriteString("M" + unit(px) + " " + unit(py))
			} else {
				d.WriteString("l" + unit(px-x) + " " + unit(py-y))
			}
			x, y, pen = px, py, "l"
		}
	}
	if d.Len() == 0 {
		return
	}
	fmt.Fprintf(&c.data, `<path class="%s" d="%s">`, class, d.String())
	if name != "" {
		c.data.WriteString("<title>" + html.EscapeString(name) + "</title>")
	}
	c.data.WriteString("</path>\n")
}

type xy struct{ x, y float64 }

// svg closes the drawing.
func (c *chart) svg() template.HTML {
	w, h := c.width+chartLeft+chartRight, c.height+chartTop+chartBottom
	var b strings.Builder
	label := html.EscapeString(c.label)
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", unit(w), unit(h), label)
	fmt.Fprintf(&b, `<g transform="translate(%s %s)">`+"\n", unit(chartLeft), unit(chartTop))
	for _, v := range ticks(c.yLow, c.yTop, 5) {
		y := unit(c.y(v))
		fmt.Fprintf(&b, `<path class="grid" d="M0 %sh%s"/><text class="end" x="-6" y="%s" dy=".35em">%s</text>`+"\n", y, unit(c.width), y, tickText(v))
	}
	for _, v := range ticks(c.xLow, c.xTop, 6) {
		if c.counted && v != math.Round(v) {
			continue
		}
		x := unit(c.x(v))
		fmt.Fprintf(&b, `<path class="axis" d="M%s %sv4"/><text class="middle" x="%s" y="%s">%s</text>`+"\n", x, unit(c.height), x, unit(c.height+16), tickText(v))
	}
	fmt.Fprintf(&b, `<path class="axis" d="M0 0V%sH%s"/>`+"\n", unit(c.height), unit(c.width))
	fmt.Fprintf(&b, `<text class="middle" x="%s" y="%s">%s</text>`+"\n", unit(c.width/2), unit(c.height+31), html.EscapeString(c.xName))
	if c.yName != "" {
		fmt.Fprintf(&b, `<text class="middle" transform="translate(-34 %s) rotate(-90)">%s</text>`+"\n", unit(c.height/2), html.EscapeString(c.yName))
	}
	// A drawing within the drawing cuts off what lies outside the axes.
	fmt.Fprintf(&b, `<svg width="%s" height="%s">`+"\n%s</svg>\n</g></svg>", unit(c.width), unit(c.height), c.data.String())
	return template.HTML(b.String()) //nolint:gosec // names are escaped above
}

func round1(v float64) float64 { return math.Round(10*v) / 10 }

// unit writes a length with at most one decimal.
func unit(v float64) string {
	v = round1(v)
	if v == 0 {
		v = 0 // no -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// ticks returns about n multiples of 1, 2 or 5 times a power of ten from low to
// high.
func ticks(low, high float64, n int) []float64 {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/float64(n))))
	for _, m := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if span/step <= float64(n)+.5 {
			break
		}
		step *= m
	}
	var out []float64
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*span; k++ {
		out = append(out, k*step)
	}
	return out
}

func tickText(v float64) string {
	text := strconv.FormatFloat(v+0, 'g', 6, 64) // +0: -0 is 0
	return strings.Replace(text, "-", "−", 1)
}

// span returns an axis for values: all but the lowest and the highest fiftieth,
// with some room, so that a few extreme ones do not flatten the rest.
func span(values []float64) (low, high float64) {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(values) == 0 {
		return 0, 1
	}
	slices.Sort(values)
	cut := len(values) / 50
	low, high = values[cut], values[len(values)-1-cut]
	room := .05 * (high - low)
	if room == 0 {
		room = max(.5, .05*math.Abs(high))
	}
	return low - room, high + room
}
