package figure

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"

	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

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
	reporttest.Must(t, xml.Unmarshal([]byte(got), new(struct{})))
	reporttest.Holds(t, "drawing", got,
		`<svg class="chart" viewBox="0 0 100 50" role="img" aria-label="&#34;label&#34;">`,
		`<path class="k8" stroke-width="1.3" d="M0 50l50 -25M10 0l10 0"><title>a &#34;&lt;b&gt;&#34;</title></path>`,
		`<path class="k8" stroke-width="1.3" stroke-dasharray="4 2" opacity="0.2" d="M0 0l0 50"></path>`,
		`<text class="ink" `, `font-size="10" transform="rotate(-90 `, `>a&amp;b</text>`)
}

// The lines of many seeds are drawn fainter than those of a few, so that the
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
	reporttest.Same(t, "classes", want, got)
	looks := make(map[string]bool)
	for _, s := range styles {
		look := fmt.Sprint(s.ink.NRGBA, s.dashes)
		if looks[look] {
			t.Errorf("%s looks like another", s.Class())
		}
		looks[look] = true
		reporttest.Must(t, xml.Unmarshal([]byte(s.Swatch()), new(struct{})))
	}
	// The ground inside a hollow mark is hidden with its line.
	if got := string(styles[9].Swatch()); !strings.Contains(got, `class="fill ground k9"`) {
		t.Errorf("hollow mark %s", got)
	}
}

func TestMatrixInline(t *testing.T) {
	drawing := string(Matrix([]string{"a", "b<"}, [][]float64{{.4, .6}, {0, 1}}).Inline("chart heat", "T"))
	reporttest.Must(t, xml.Unmarshal([]byte(drawing), new(struct{})))
	reporttest.Holds(t, "heat map", drawing, `aria-label="T"`, ">.4<", ">.6<", ">1<", "b&lt;",
		`class="fill heat" opacity="0.75"`, `class="on"`, `class="half"`)
	many := hundred()
	if drawing := string(Matrix(many.Classes, many.Nominal).Inline("chart heat", "T")); strings.Contains(drawing, ">1<") || len(drawing) > 16000 {
		t.Errorf("100 classes take %d bytes, with numbers that cannot be read", len(drawing))
	}
}
