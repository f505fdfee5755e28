package figure

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// schemes returns the colours of the page's style sheet by name, light and dark.
func schemes(t *testing.T) [2]map[string]color.NRGBA {
	t.Helper()
	sheet := read(t, "../html/page.css")
	light, dark, _ := strings.Cut(sheet, "@media (prefers-color-scheme: dark)")
	var out [2]map[string]color.NRGBA
	for k, part := range []string{light, dark} {
		part, _, _ = strings.Cut(part, "}")
		out[k] = map[string]color.NRGBA{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{3,6});`).FindAllStringSubmatch(part, -1) {
			hex := m[2]
			if len(hex) == 3 {
				hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
			}
			n, err := strconv.ParseUint(hex, 16, 32)
			expect.OK(t, err)
			out[k][m[1]] = color.NRGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 0xff}
		}
	}
	return out
}

// contrast returns the ratio of two colours' luminance by WCAG 2.2, from 1 to 21.
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+.05, luminance(b)+.05
	return max(x, y) / min(x, y)
}

func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s > .04045 {
			return math.Pow((s+.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	return .2126*linear(c.R) + .7152*linear(c.G) + .0722*linear(c.B)
}

// Each number on a heat map has a contrast of 4.5, in figures and in tables of a page in both schemes.
func TestNumbersOnHeatMapsAreReadable(t *testing.T) {
	sheet := schemes(t)
	for n := range 1001 {
		v := float64(n) / 1000
		share, class := Shade(v)
		if got := contrast(shade(v), onShade(v)); got < 4.5 {
			t.Errorf("%v: contrast %.2f in figures", v, got)
		}
		for name, scheme := range sheet {
			mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*float64(share)/100 + .5) }
			g, h := scheme["ground"], scheme["heat"]
			under := color.NRGBA{R: mix(g.R, h.R), G: mix(g.G, h.G), B: mix(g.B, h.B), A: 0xff}
			ink := map[string]color.NRGBA{"low": scheme["heat-low"], "half": {A: 0xff}, "on": scheme["heat-ink"]}[class]
			if got := contrast(under, ink); ink.A == 0 || got < 4.5 {
				t.Errorf("%v: contrast %.2f on the page, scheme %d", v, got, name)
			}
		}
		if n%100 == 0 && t.Failed() {
			return
		}
	}
}

// Figures for files have 8-point type at the width of a page.
func TestFiguresHaveAPagesWidth(t *testing.T) {
	long := strings.Repeat("a title that has to be broken into lines ", 3)
	for name, f := range map[string]*Figure{
		"demo": demo(long, demoCurves(), reporttest.Matrices()), "sweep": Sweeps(demoSweeps()),
	} {
		if f.width > pageWidth {
			t.Errorf("%s is %v points wide", name, f.width)
		}
		sizes := regexp.MustCompile(`font-size:([0-9.]+)px`).FindAllStringSubmatch(reporttest.Written(t, f.WriteSVG), -1)
		if len(sizes) < 20 {
			t.Errorf("%s has %d texts", name, len(sizes))
		}
		for _, m := range sizes {
			if size, err := strconv.ParseFloat(m[1], 64); err != nil || size < 8 {
				t.Errorf("%s has type of %s points", name, m[1])
			}
		}
	}
}

// An element of a page has a label unless it is decoration, and user text is escaped.
func TestElement(t *testing.T) {
	f := &Figure{width: 100, height: 50, draw: func(c draw.Canvas) {
		c.FillText(textStyle(10), vg.Point{X: 20, Y: 25}, "a&b")
	}}
	got := string(f.Element("chart", `"label"`))
	expect.OK(t, xml.Unmarshal([]byte(got), new(struct{})))
	reporttest.Holds(t, "drawing", got, `<svg class="chart" role="img" aria-label="&#34;label&#34;" `,
		`viewBox="0 0 100 50"`, `>a&amp;b</text>`)
	reporttest.Holds(t, "ornament", string(f.Element("swatch", "")), `<svg class="swatch" aria-hidden="true" `)
}

// The lines of many seeds are drawn fainter than the lines of a few, so that the
// means stand out.
func TestCurvesOfManySeeds(t *testing.T) {
	for _, test := range []struct {
		seeds int
		want  string
	}{{1, ""}, {2, "opacity:0.28"}, {crowd, "opacity:0.28"}, {crowd + 1, "opacity:0.07"}} {
		c := curve{Row: report.Row{Loss: "forward", Name: "forward"}}
		for range test.seeds {
			c.runs = append(c.runs, course(1, 5, 50, 90, 1))
		}
		drawing := string(demo("", []curve{c}, nil).Element("chart", ""))
		if got := strings.Contains(drawing, "opacity"); got != (test.want != "") || !strings.Contains(drawing, test.want) {
			t.Errorf("%d seeds: no %s in %s", test.seeds, test.want, drawing)
		}
	}
}

// Each row of the paper has its own style, and so do other settings of one of its losses.
func TestStyles(t *testing.T) {
	got := stylesOf([]report.Row{
		{Name: "cross-entropy", Loss: "cross-entropy"}, {Name: "forward (clip 0)", Loss: "forward"},
		{Name: "forward (clip 1)", Loss: "forward"}, {Name: "new", Loss: "new"},
	})
	for name, k := range map[string]int{"cross-entropy": 0, "forward (clip 0)": 8, "forward (clip 1)": 10, "new": 11} {
		expect.Same(t, styles[k].color, got[name].color, name)
	}
	looks := make(map[string]bool)
	for _, s := range styles {
		look := fmt.Sprint(s.color.R>>1, s.color.G>>1, s.color.B>>1, s.dashes)
		if looks[look] {
			t.Errorf("%v looks like another", s.color)
		}
		looks[look] = true
		if got := contrast(s.color, ground); got < 3 {
			t.Errorf("%v has a contrast of %.1f", s.color, got)
		}
	}
}

// A heat map shows numbers, in the colours for their shades, unless there are too many classes to read them.
func TestMatrix(t *testing.T) {
	drawing := string(Matrix([]string{"a", "b<"}, [][]float64{{.4, .6}, {0, 1}}).Element("chart heat", "T"))
	expect.OK(t, xml.Unmarshal([]byte(drawing), new(struct{})))
	reporttest.Holds(t, "heat map", drawing, `aria-label="T"`, ">.4<", ">.6<", ">1<", "b&lt;", "fill:#08518C",
		"fill:#FFFFFF")
	many := hundred()
	drawing = string(Matrix(many.Classes, many.Nominal).Element("chart heat", "T"))
	if strings.Contains(drawing, ">1<") || len(drawing) > 40000 {
		t.Errorf("100 classes take %d bytes, with numbers that cannot be read", len(drawing))
	}
}
