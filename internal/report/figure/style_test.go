package figure

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

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
