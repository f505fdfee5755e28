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

// schemes are the colours of the page's style sheet by name, in light and dark.
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

// A loss has one colour, on the page and in files.
func TestColoursOfPageAndFiles(t *testing.T) {
	sheet, light := read(t, "../html/page.css"), schemes(t)[0]
	for k, s := range styles {
		m := regexp.MustCompile(fmt.Sprintf(`(?m)^\.k%d \{ color: var\(--([a-z]+)\); \}`, k)).FindStringSubmatch(sheet)
		if m == nil || light[m[1]] != s.ink.NRGBA {
			t.Errorf("style %d is %v in files, on the page %v", k, s.ink.NRGBA, m)
		}
		if got := contrast(s.ink.NRGBA, ground.NRGBA); got < 3 {
			t.Errorf("style %d has a contrast of %.1f", k, got)
		}
	}
	two := Styles([]report.Row{
		{Name: "forward", Loss: "forward"}, {Name: "forward (clip 0)", Loss: "forward"},
		{Name: "unhinged-symmetric", Loss: "unhinged-symmetric"},
	})
	if two["forward (clip 0)"].Class() == two["unhinged-symmetric"].Class() {
		t.Error("two rows in one style")
	}
}

// Each number on a heat map has a contrast of 4.5, in files and on the page in both
// schemes.
func TestNumbersOnHeatMapsAreReadable(t *testing.T) {
	sheet := schemes(t)
	for n := range 1001 {
		v := float64(n) / 1000
		k, of := shade(v)
		number := onShade(v)
		if share, class := Shade(v); share != 5*k || class != number.class {
			t.Errorf("%v: a page has %d %% and %s, want %d and %s", v, share, class, 5*k, number.class)
		}
		if got := contrast(of.NRGBA, number.NRGBA); got < 4.5 {
			t.Errorf("%v: contrast %.2f in files", v, got)
		}
		for name, scheme := range sheet {
			share := float64(k) / shades
			mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*share + .5) }
			g, h := scheme["ground"], scheme["heat"]
			under := color.NRGBA{R: mix(g.R, h.R), G: mix(g.G, h.G), B: mix(g.B, h.B), A: 0xff}
			ink := map[string]color.NRGBA{"low": scheme["heat-low"], "half": {A: 0xff}, "on": scheme["heat-ink"]}[number.class]
			if got := contrast(under, ink); ink.A == 0 || got < 4.5 {
				t.Errorf("%v: contrast %.2f on the page, scheme %d", v, got, name)
			}
		}
		if n%100 == 0 && t.Failed() {
			return
		}
	}
}

// One loss that diverges, upwards or downwards, leaves the others their axis.
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

// The type of figures for files has 8 points where they are a page wide.
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

// Lengths have one decimal and grow downwards, shapes of one look are one path,
// and what people wrote is escaped.
func TestInline(t *testing.T) {
	f := &Figure{width: 100, height: 50, draw: func(c draw.Canvas) {
		of := styles[8].ink
		of.title = `a "<b>"`
		c.StrokeLine2(draw.LineStyle{Color: of, Width: 1.25}, 0, 0, 50, 25.04)
		c.StrokeLine2(draw.LineStyle{Color: of, Width: 1.25}, 10, 50, 20, 50)
		of.A, of.title = 0x33, ""
		c.StrokeLine2(draw.LineStyle{Color: of, Width: 1.25, Dashes: []vg.Length{4, 2}}, 0, 50, 0, 0)
		s := textStyle(10)
		s.Rotation = math.Pi / 2
		c.FillText(s, vg.Point{X: 20, Y: 25}, "a&b")
	}}
	got := string(f.Inline("chart", `"label"`))
	expect.OK(t, xml.Unmarshal([]byte(got), new(struct{})))
	reporttest.Holds(t, "drawing", got,
		`<svg class="chart" viewBox="0 0 100 50" role="img" aria-label="&#34;label&#34;">`,
		`<path class="k8" stroke-width="1.3" d="M0 50l50 -25M10 0l10 0"><title>a &#34;&lt;b&gt;&#34;</title></path>`,
		`<path class="k8" stroke-width="1.3" stroke-dasharray="4 2" opacity="0.2" d="M0 0l0 50"></path>`,
		`<text class="ink" `, `font-size="10" transform="rotate(-90 `, `>a&amp;b</text>`)
}

// The lines of many seeds are drawn fainter than the lines of a few, so that the
// means stand out.
func TestLearningCurvesOfManySeeds(t *testing.T) {
	row := report.Row{Loss: "forward", Name: "forward"}
	for _, test := range []struct {
		seeds int
		want  string
	}{{1, ""}, {2, `opacity="0.282"`}, {crowd, `opacity="0.282"`}, {crowd + 1, `opacity="0.0706"`}} {
		c := Curve{Row: row}
		for range test.seeds {
			c.Runs = append(c.Runs, course(1, 5, 50, 90, 1))
		}
		for _, m := range Measures {
			drawing := string(LearningCurves(m, []Curve{c}, Styles([]report.Row{row})).Inline("chart", ""))
			if got := strings.Contains(drawing, "opacity"); got != (test.want != "") || !strings.Contains(drawing, test.want) {
				t.Errorf("%d seeds: no %s in %s", test.seeds, test.want, drawing)
			}
			if !strings.Contains(drawing, "<title>forward</title>") {
				t.Errorf("%s does not name its line", m.Name)
			}
		}
	}
	none := []Curve{{Row: row, Runs: [][]metrics.Epoch{nil}}}
	if f := LearningCurves(Measures[0], none, Styles([]report.Row{row})); f != nil {
		t.Error("a figure of no epochs")
	}
}

// Each row of the paper has a class of its own, and so do further settings of
// one of its losses.
func TestStyles(t *testing.T) {
	rows := []report.Row{
		{Name: "cross-entropy", Loss: "cross-entropy"}, {Name: "forward (clip 0)", Loss: "forward"},
		{Name: "forward (clip 1)", Loss: "forward"}, {Name: "new", Loss: "new"},
	}
	got := map[string]string{}
	for name, style := range Styles(rows) {
		got[name] = style.Class()
	}
	want := map[string]string{"cross-entropy": "k0", "forward (clip 0)": "k8", "forward (clip 1)": "k10", "new": "k11"}
	expect.Same(t, want, got, "classes")
	looks := make(map[string]bool)
	for _, s := range styles {
		look := fmt.Sprint(s.ink.NRGBA, s.dashes)
		if looks[look] {
			t.Errorf("%s looks like another", s.Class())
		}
		looks[look] = true
		expect.OK(t, xml.Unmarshal([]byte(s.Swatch()), new(struct{})))
	}
	// The ground inside a hollow mark is hidden with its line.
	if got := string(styles[9].Swatch()); !strings.Contains(got, `class="fill ground k9"`) {
		t.Errorf("hollow mark %s", got)
	}
}

// A heat map of a page has its numbers, in the colours of their shades, unless the classes are too many to read them.
func TestMatrixInline(t *testing.T) {
	drawing := string(Matrix([]string{"a", "b<"}, [][]float64{{.4, .6}, {0, 1}}).Inline("chart heat", "T"))
	expect.OK(t, xml.Unmarshal([]byte(drawing), new(struct{})))
	reporttest.Holds(t, "heat map", drawing, `aria-label="T"`, ">.4<", ">.6<", ">1<", "b&lt;",
		`class="fill heat" opacity="0.75"`, `class="on"`, `class="half"`)
	many := hundred()
	drawing = string(Matrix(many.Classes, many.Nominal).Inline("chart heat", "T"))
	if strings.Contains(drawing, ">1<") || len(drawing) > 16000 {
		t.Errorf("100 classes take %d bytes, with numbers that cannot be read", len(drawing))
	}
}
