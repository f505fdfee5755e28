package figure

import (
	"fmt"
	"html"
	"html/template"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Inline returns the figure as an SVG element of a page, with a label for those
// who do not see it. It has no colours: each is a class, whose colour the page's
// style sheet sets, so that a figure follows the reader's light or dark scheme
// and a row can be hidden. Lengths are points with one decimal.
func (f *Figure) Inline(class, label string) template.HTML {
	c := &inline{height: f.height, pens: []pen{{width: 1}}}
	f.draw(draw.NewCanvas(c, f.width, f.height))
	c.end()
	text := fmt.Sprintf(`<svg class="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n%s</svg>",
		class, unit(f.width), unit(f.height), html.EscapeString(label), c.out.String())
	return template.HTML(text) //nolint:gosec // names are escaped
}

// Swatch returns a line of the style with its mark, for a legend of a page.
func (s Style) Swatch() template.HTML {
	f := &Figure{width: 26, height: 9, draw: func(c draw.Canvas) {
		c.StrokeLine2(s.line(), 0, 4.5, 26, 4.5)
		c.DrawGlyph(s.glyph(), vg.Point{X: 13, Y: 4.5})
	}}
	return template.HTML(strings.Replace(string(f.Inline("swatch", "")), `role="img" aria-label=""`, `aria-hidden="true"`,
		1)) //nolint:gosec // constants
}

// inline is a vg.Canvas that writes SVG by class. Shapes of one look that follow
// each other are one path, which keeps matrices of many classes small.
type inline struct {
	height vg.Length
	pens   []pen // a stack
	out    strings.Builder
	look   string // of the open path
	path   strings.Builder
	title  string
}

// pen is what Push saves.
type pen struct {
	ink    ink
	width  vg.Length
	dashes []vg.Length
	angle  float64 // of the axes
}

func (c *inline) pen() *pen { return &c.pens[len(c.pens)-1] }

func (c *inline) Push() { c.pens = append(c.pens, *c.pen()) }
func (c *inline) Pop()  { c.pens = c.pens[:len(c.pens)-1] }

func (c *inline) SetLineWidth(w vg.Length)                    { c.pen().width = w }
func (c *inline) SetLineDash(dashes []vg.Length, _ vg.Length) { c.pen().dashes = dashes }
func (c *inline) Rotate(angle float64)                        { c.pen().angle += angle }

// Plots do not move or scale their axes, and those of this package have no images.
func (c *inline) Translate(vg.Point)                  { panic("figure: no translation of an inline figure") }
func (c *inline) Scale(float64, float64)              { panic("figure: no scale of an inline figure") }
func (c *inline) DrawImage(vg.Rectangle, image.Image) { panic("figure: no image in an inline figure") }

// SetColor takes an ink, as every colour of a figure is; another is drawn as text is.
func (c *inline) SetColor(of color.Color) {
	i, ok := of.(ink)
	if !ok {
		i = dark
	}
	c.pen().ink = i
}

func (c *inline) Stroke(p vg.Path) {
	now := c.pen()
	if now.width <= 0 {
		return
	}
	look := fmt.Sprintf(`class="%s" stroke-width="%s"`, now.ink.class, unit(now.width))
	if len(now.dashes) > 0 {
		var dashes []string
		for _, d := range now.dashes {
			dashes = append(dashes, unit(d))
		}
		look += fmt.Sprintf(` stroke-dasharray="%s"`, strings.Join(dashes, " "))
	}
	c.add(look, p)
}

func (c *inline) Fill(p vg.Path) { c.add(fmt.Sprintf(`class="fill %s"`, c.pen().ink.class), p) }

// add appends a path to the open one if that has the same look.
func (c *inline) add(look string, p vg.Path) {
	i := c.pen().ink
	opacity := i.opacity
	if opacity == 0 {
		opacity = float64(i.A) / 0xff
	}
	if opacity < 1 {
		look += fmt.Sprintf(` opacity="%.3g"`, opacity)
	}
	if look != c.look || i.title != c.title {
		c.end()
		c.look, c.title = look, i.title
	}
	var x, y float64 // the last point, as it was written
	for _, part := range p {
		switch part.Type {
		case vg.CloseComp:
			c.path.WriteString("z")
		case vg.ArcComp:
			const steps = 16
			for k := range steps + 1 {
				sin, cos := math.Sincos(part.Start + part.Angle*float64(k)/steps)
				c.to(k == 0 && c.path.Len() == 0, &x, &y, vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos), Y: part.Pos.Y +
					part.Radius*vg.Length(sin)})
			}
		default:
			c.to(part.Type == vg.MoveComp, &x, &y, part.Pos)
		}
	}
}

// to moves the pen to a point, or draws a line to it.
func (c *inline) to(move bool, x, y *float64, at vg.Point) {
	px, py := round1(float64(at.X)), round1(float64(c.height-at.Y))
	if move {
		c.path.WriteString("M" + unit(vg.Length(px)) + " " + unit(vg.Length(py)))
	} else {
		c.path.WriteString("l" + unit(vg.Length(px-*x)) + " " + unit(vg.Length(py-*y)))
	}
	*x, *y = px, py
}

// end writes the open path.
func (c *inline) end() {
	if c.path.Len() > 0 {
		fmt.Fprintf(&c.out, `<path %s d="%s">`, c.look, c.path.String())
		if c.title != "" {
			c.out.WriteString("<title>" + html.EscapeString(c.title) + "</title>")
		}
		c.out.WriteString("</path>\n")
	}
	c.path.Reset()
	c.look, c.title = "", ""
}

func (c *inline) FillString(f font.Face, at vg.Point, text string) {
	c.end()
	now := c.pen()
	sin, cos := math.Sincos(now.angle)
	x := unit(at.X*vg.Length(cos) - at.Y*vg.Length(sin))
	y := unit(c.height - at.X*vg.Length(sin) - at.Y*vg.Length(cos))
	turn := ""
	if now.angle != 0 {
		turn = fmt.Sprintf(` transform="rotate(%.0f %s %s)"`, -now.angle*180/math.Pi, x, y)
	}
	fmt.Fprintf(&c.out, `<text class="%s" x="%s" y="%s" font-size="%s"%s>%s</text>`+"\n", now.ink.class, x, y,
		unit(f.Font.Size), turn, html.EscapeString(text))
}

func round1(v float64) float64 { return math.Round(10*v) / 10 }

// unit writes a length with at most one decimal.
func unit(v vg.Length) string {
	return strconv.FormatFloat(round1(float64(v))+0, 'f', -1, 64) // +0: no -0
}
