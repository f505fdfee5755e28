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
	"github.com/losscorr/losscorr/internal/run/train/metrics"
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

// Each style is readable and has a unique colour, so that a page can find its lines.
func TestColours(t *testing.T) {
	classes := map[string]bool{}
	for k, s := range styles {
		classes[s.Class()] = true
		if got := contrast(s.color, ground); got < 3 {
			t.Errorf("style %d has a contrast of %.1f", k, got)
		}
	}
	expect.Same(t, len(styles), len(classes), "colours")
	two := Styles([]report.Row{
		{Name: "forward", Loss: "forward"}, {Name: "forward (clip 0)", Loss: "forward"},
		{Name: "unhinged-symmetric", Loss: "unhinged-symmetric"},
	})
	if two["forward (clip 0)"].Class() == two["unhinged-symmetric"].Class() {
		t.Error("two rows in one style")
	}
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

// A loss that diverges, upwards or downwards, does not change the axis of the others.
func TestOneLossDoesNotFlattenTheOthers(t *testing.T) {
	line := func(from, to float64) []float64 {
		var out []float64
		for k := range 40 {
			out = append(out, from+(to-from)*float64(k)/39)
		}
		return out
	}
	calm := [][]float64{line(2.3, .4), line(2, .2), line(1.9, 1.1)}
	far := math.Inf(1)
	for name, test := range map[string]struct {
		curves        [][]float64
		lowest, low   float64 // the axis begins between these
		high, highest float64
	}{
		"one goes up":         {append(calm[:3:3], line(2, 5e4)), 0, .2, 2.3, 3},
		"one goes down":       {append(calm[:3:3], line(2, -900)), 0, .2, 2.3, 3},
		"two, both whole":     {[][]float64{line(2, 0), line(0, 9)}, -far, 0, 9, far},
		"all, one higher":     {append(calm[:3:3], line(3, 4)), -far, .2, 4, far},
		"no curve, some axis": {nil, -far, .5, .6, far},
	} {
		low, high := commonSpan(test.curves)
		if low < test.lowest || low > test.low || high < test.high || high > test.highest {
			t.Errorf("%s: axis from %v to %v", name, low, high)
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
func TestLearningCurvesOfManySeeds(t *testing.T) {
	row := report.Row{Loss: "forward", Name: "forward"}
	for _, test := range []struct {
		seeds int
		want  string
	}{{1, ""}, {2, "opacity:0.28"}, {crowd, "opacity:0.28"}, {crowd + 1, "opacity:0.07"}} {
		c := Curve{Row: row}
		for range test.seeds {
			c.Runs = append(c.Runs, course(1, 5, 50, 90, 1))
		}
		for _, m := range Measures {
			drawing := string(LearningCurves(m, []Curve{c}, Styles([]report.Row{row})).Element("chart", ""))
			if got := strings.Contains(drawing, "opacity"); got != (test.want != "") || !strings.Contains(drawing, test.want) {
				t.Errorf("%d seeds: no %s in %s", test.seeds, test.want, drawing)
			}
		}
	}
	none := []Curve{{Row: row, Runs: [][]metrics.Epoch{nil}}}
	if f := LearningCurves(Measures[0], none, Styles([]report.Row{row})); f != nil {
		t.Error("a figure of no epochs")
	}
}

// Each row of the paper has a unique class, and so do other settings of one of its
// losses.
func TestStyles(t *testing.T) {
	rows := []report.Row{
		{Name: "cross-entropy", Loss: "cross-entropy"}, {Name: "forward (clip 0)", Loss: "forward"},
		{Name: "forward (clip 1)", Loss: "forward"}, {Name: "new", Loss: "new"},
	}
	got := map[string]string{}
	for name, style := range Styles(rows) {
		got[name] = style.Class()
	}
	want := map[string]string{"cross-entropy": styles[0].Class(), "forward (clip 0)": styles[8].Class(),
		"forward (clip 1)": styles[10].Class(), "new": styles[11].Class()}
	expect.Same(t, want, got, "classes")
	looks := make(map[string]bool)
	for _, s := range styles {
		look := fmt.Sprint(s.color.R>>1, s.color.G>>1, s.color.B>>1, s.dashes)
		if looks[look] {
			t.Errorf("%s looks like another", s.Class())
		}
		looks[look] = true
		swatch := string(s.Swatch())
		expect.OK(t, xml.Unmarshal([]byte(swatch), new(struct{})))
		reporttest.Holds(t, "swatch", swatch, "stroke:#"+s.Class())
		reporttest.Holds(t, "rules", PageRules(), `.show-`+s.Class()+`:not(:checked)) .chart [style*="#`+s.Class()+`"]`)
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
