package figure

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/losscorr/losscorr/internal/files"
)

// Figure is a drawing of fixed size, written in several formats.
type Figure struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// pageWidth is the text width of a page. Figures for files have it, so that 8-point type
// stays 8 points in print.
const pageWidth = 6.5 * vg.Inch

// smallType is the size of the smallest text, in points.
const smallType = 8.5

// pngDPI gives a figure 1300 pixels of width, enough for screens and print.
const pngDPI = 200

// WriteSVG writes the figure as SVG. Text stays text, in Liberation Sans or a
// font of the same metrics (Arial, Helvetica).
func (f *Figure) WriteSVG(w io.Writer) error {
	c := vgsvg.New(f.width, f.height)
	f.paint(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// WritePNG writes the figure as PNG at 200 dots per inch.
func (f *Figure) WritePNG(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI))
	f.paint(draw.New(c))
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// Element returns the figure as an SVG element with a transparent background. label describes it to screen readers;
// without a label it is decoration.
func (f *Figure) Element(class, label string) template.HTML {
	c := vgsvg.New(f.width, f.height)
	f.draw(draw.New(c))
	var b strings.Builder
	_, _ = c.WriteTo(&b) // a Builder returns no error
	_, svg, _ := strings.Cut(b.String(), "<svg ")
	role := `aria-hidden="true"`
	if label != "" {
		role = fmt.Sprintf(`role="img" aria-label="%s"`, html.EscapeString(label))
	}
	return template.HTML(fmt.Sprintf(`<svg class="%s" %s `, class, role) + svg) //nolint:gosec // gonum escapes texts
}

func (f *Figure) paint(c draw.Canvas) {
	c.SetColor(ground)
	c.Fill(c.Rectangle.Path())
	f.draw(c)
}

// Save writes base.svg and base.png, each whole or not at all, and returns their paths. The same figure gives the same
// bytes.
func (f *Figure) Save(base string) ([]string, error) {
	var paths []string
	for _, format := range []struct {
		extension string
		write     func(io.Writer) error
	}{{".svg", f.WriteSVG}, {".png", f.WritePNG}} {
		var b bytes.Buffer
		path := base + format.extension
		err := format.write(&b)
		if err == nil {
			err = files.Write(path, b.Bytes(), 0o644)
		}
		if err != nil {
			return paths, fmt.Errorf("figure: save %s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// titleStyle is the style of a plot's title.
var titleStyle = textStyle(10)

// newPlot returns an empty plot in the common style: sans-serif, thin dark axes,
// title above.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = title
	p.Title.TextStyle = titleStyle
	p.Title.Padding = vg.Points(6)
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: dark, Width: vg.Points(.6)}
		a.Label.TextStyle = keepAlignment(a.Label.TextStyle, textStyle(9))
		a.Label.Padding = vg.Points(3)
		a.Tick.Label = keepAlignment(a.Tick.Label, textStyle(smallType))
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = vg.Points(3)
		a.Padding = 0
	}
	return p
}

// horizontalGrid draws a light line at each tick of the vertical axis.
func horizontalGrid() plot.Plotter {
	g := plotter.NewGrid()
	g.Vertical.Color = nil
	g.Horizontal = draw.LineStyle{Color: grey, Width: vg.Points(.5)}
	return g
}

// wrap breaks a text between words to fit a width.
func wrap(s string, style text.Style, width vg.Length) string {
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		part := ""
		for _, word := range strings.Fields(line) {
			if longer := strings.TrimSpace(part + " " + word); part == "" || style.Width(longer) <= width {
				part = longer
				continue
			}
			lines, part = append(lines, part), word
		}
		lines = append(lines, part)
	}
	return strings.Join(lines, "\n")
}

// inset returns c less a margin on each side.
func inset(c draw.Canvas) draw.Canvas {
	const margin = 6
	return draw.Crop(c, margin, -margin, margin, -margin)
}

// titleSpace returns the height of a title with the gap below it.
func titleSpace(p *plot.Plot) vg.Length {
	if p.Title.Text == "" {
		return 0
	}
	return p.Title.TextStyle.Height(p.Title.Text) + p.Title.Padding
}

// dataArea returns where drawTitled puts the data.
func dataArea(p *plot.Plot, c draw.Canvas) draw.Canvas {
	untitled := *p
	untitled.Title.Text = ""
	return untitled.DataCanvas(draw.Crop(c, 0, 0, 0, -titleSpace(p)))
}

// drawTitled draws a plot with its title at the left edge of the data; plot.Draw
// would centre it over the axis labels.
func drawTitled(p *plot.Plot, c draw.Canvas) {
	area := dataArea(p, c)
	s := p.Title.TextStyle
	s.XAlign = text.XLeft
	c.FillText(s, vg.Point{X: area.Min.X, Y: c.Max.Y}, p.Title.Text)
	untitled := *p
	untitled.Title.Text = ""
	untitled.Draw(draw.Crop(c, 0, 0, 0, -titleSpace(p)))
}

// keepAlignment changes the look of an axis's text but keeps its alignment.
func keepAlignment(old, look text.Style) text.Style {
	look.XAlign, look.YAlign, look.Rotation = old.XAlign, old.YAlign, old.Rotation
	return look
}
