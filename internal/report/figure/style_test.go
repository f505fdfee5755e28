package figure

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
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
			reporttest.Must(t, err)
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
	var all []report.Row
	for _, e := range losses.All {
		all = append(all, report.Row{Name: e.Name, Loss: e.Name})
	}
	together := Styles(all)
	for _, row := range all {
		alone := Styles([]report.Row{row})[row.Name]
		if len(all) <= len(styles) && alone.Class() != together[row.Name].Class() {
			t.Errorf("%s is drawn as %s alone, as %s beside others", row.Name, alone.Class(), together[row.Name].Class())
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
		for name, scheme := range schemes(t) {
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
		if low, high := commonSpan(test.curves); low < test.lowest || low > test.low || high < test.high || high > test.highest {
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
