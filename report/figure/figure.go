package figure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/losscorr/losscorr/internal/files"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a drawing of fixed size that can be written in several formats.
type Figure struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// pngDPI gives a figure of 7 inches 1400 pixels, enough for screens and print.
const pngDPI = 200

// WriteSVG writes the figure as SVG. Text stays text, in Liberation Sans or
// what the viewer has of the same metrics (Arial, Helvetica).
func (f *Figure) WriteSVG(w io.Writer) error {
	c := vgsvg.New(f.width, f.height)
	f.paint(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// WritePNG writes the figure as PNG at 200 dots an inch.
func (f *Figure) WritePNG(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI))
	f.paint(draw.New(c))
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// WritePDF writes the figure as PDF with its fonts in it. The date in the file is
// always the same, so that the same figure gives the same bytes.
func (f *Figure) WritePDF(w io.Writer) error {
	undated()
	c := vgpdf.New(f.width, f.height)
	f.paint(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// undated fixes for the process what a PDF would take from the clock and from
// the order of maps. vgpdf does not reach its document's own settings.
var undated = sync.OnceFunc(func() {
	day := time.Date(2017, 7, 21, 0, 0, 0, 0, time.UTC) // of the paper
	fpdf.SetDefaultCreationDate(day)
	fpdf.SetDefaultModificationDate(day)
	fpdf.SetDefaultCatalogSort(true)
})

func (f *Figure) paint(c draw.Canvas) {
	c.SetColor(ground)
	c.Fill(c.Rectangle.Path())
	f.draw(c)
}

// Save writes base.svg, base.png and base.pdf, each whole or not at all, and returns
// the paths of those that were written. The error names the others. The same figure gives
// the same bytes.
func (f *Figure) Save(base string) ([]string, error) {
	var paths []string
	var failed error
	for _, format := range []struct {
		extension string
		write     func(io.Writer) error
	}{{".svg", f.WriteSVG}, {".png", f.WritePNG}, {".pdf", f.WritePDF}} {
		var b bytes.Buffer
		path := base + format.extension
		err := drawn(format.write, &b)
		if err == nil {
			err = files.Write(path, b.Bytes(), 0o644)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("figure: save %s: %w", path, err))
			continue
		}
		paths = append(paths, path)
	}
	return paths, failed
}

// drawn draws, and returns a panic of the library as an error: that of PDF needs a
// temporary folder for its fonts and panics without one.
func drawn(write func(io.Writer) error, w io.Writer) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	return write(w)
}

// newPlot returns an empty plot in the house style: sans-serif, thin dark
// axes, title above.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = title
	p.Title.TextStyle = textStyle(10)
	p.Title.Padding = vg.Points(6)
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: dark, Width: vg.Points(.6)}
		a.Label.TextStyle = keepAlignment(a.Label.TextStyle, textStyle(9))
		a.Label.Padding = vg.Points(3)
		a.Tick.Label = keepAlignment(a.Tick.Label, textStyle(8))
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

// inset leaves a margin around what is drawn.
func inset(c draw.Canvas) draw.Canvas {
	const margin = 6
	return draw.Crop(c, margin, -margin, margin, -margin)
}

// titleSpace is the height of a title with the gap below it.
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

// drawTitled draws a plot with its title flush with the left edge of the data,
// where plot.Draw would centre it over the axis labels too.
func drawTitled(p *plot.Plot, c draw.Canvas) {
	area := dataArea(p, c)
	s := p.Title.TextStyle
	s.XAlign = text.XLeft
	c.FillText(s, vg.Point{X: area.Min.X, Y: c.Max.Y}, p.Title.Text)
	untitled := *p
	untitled.Title.Text = ""
	untitled.Draw(draw.Crop(c, 0, 0, 0, -titleSpace(p)))
}

// keepAlignment changes the look of an axis's text and not where it stands.
func keepAlignment(old, look text.Style) text.Style {
	look.XAlign, look.YAlign, look.Rotation = old.XAlign, old.YAlign, old.Rotation
	return look
}
