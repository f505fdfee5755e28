package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      []float64
	}{
		{0, 100, []float64{0, 20, 40, 60, 80, 100}},
		{96.2, 98.1, []float64{96.5, 97, 97.5, 98}},
		{-.02, .62, []float64{0, .2, .4, .6}},
		{-1.3, .6, []float64{-1, -.5, 0, .5}},
		{0, 8, []float64{0, 2, 4, 6, 8}},
		{3, 3, nil},
		{math.NaN(), 1, nil},
	} {
		if diff := cmp.Diff(test.want, ticks(test.low, test.high, 5), cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ticks from %v to %v (-want +got):\n%s", test.low, test.high, diff)
		}
	}
	if got := tickText(math.Copysign(0, -1)); got != "0" {
		t.Errorf("minus zero is %q", got)
	}
}

// Points land where the axes say; a value that is no number breaks the line.
func TestChartPath(t *testing.T) {
	c := &chart{width: 100, height: 50, xTop: 10, yLow: 20, yTop: 30}
	c.path("line", `a "<b>"`, []xy{{0, 20}, {5, 25}, {6, math.NaN()}, {10, 30}, {10, math.Inf(1)}})
	want := `<path class="line" d="M0 50l50 -25M100 0"><title>a &#34;&lt;b&gt;&#34;</title></path>` + "\n"
	if got := c.data.String(); strings.ReplaceAll(got, "50-25", "50 -25") != want {
		t.Errorf("path %s, want %s", got, want)
	}
	c.data.Reset()
	c.path("line", "", []xy{{0, math.NaN()}})
	if c.data.Len() > 0 {
		t.Errorf("nothing was drawn as %s", c.data.String())
	}
}

// A few extreme values do not flatten the rest.
func TestSpan(t *testing.T) {
	values := []float64{math.NaN(), 1e9, -1e9}
	for k := range 100 {
		values = append(values, float64(k))
	}
	if low, high := span(values); low < -10 || low > 1 || high < 98 || high > 110 {
		t.Errorf("span %v to %v", low, high)
	}
	if low, high := span([]float64{7, 7}); !(low < 7 && high > 7) {
		t.Errorf("span of one value: %v to %v", low, high)
	}
	if low, high := span(nil); !(low < high) {
		t.Errorf("span of nothing: %v to %v", low, high)
	}
}

func TestThinKeepsTheEnds(t *testing.T) {
	line := make([]xy, 1000)
	for k := range line {
		line[k].x = float64(k)
	}
	got := thin(line)
	if len(got) != maxPoints || got[0].x != 0 || got[maxPoints-1].x != 999 {
		t.Errorf("%d points from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

// Each row of the paper has a class of its own, and so do further settings of
// one of its losses.
func TestLossClasses(t *testing.T) {
	rows := []Row{{Name: "cross-entropy", Loss: "cross-entropy"}, {Name: "forward (clip 0)", Loss: "forward"}, {Name: "forward (clip 1)", Loss: "forward"}, {Name: "new", Loss: "new"}}
	want := []string{"k0", "k8", "k10", "k11"}
	for k, row := range rows {
		if got := lossClass(rows, row.Name); got != want[k] {
			t.Errorf("%s: class %s, want %s", row.Name, got, want[k])
		}
	}
}

func TestHeat(t *testing.T) {
	drawing := string(heat("T", []string{"a", "b<"}, [][]float64{{.4, .6}, {0, 1}}))
	wellFormed(t, drawing)
	for _, want := range []string{`aria-label="T"`, ">.4<", ">.6<", ">1<", "b&lt;", `fill-opacity="1" d="M70 70h70v70h-70z"`} {
		if !strings.Contains(drawing, want) {
			t.Errorf("no %s in %s", want, drawing)
		}
	}
	many := make([][]float64, 100)
	names := make([]string, 100)
	for i := range many {
		many[i] = make([]float64, 100)
		many[i][i], names[i] = 1, fmt.Sprint("class ", i)
	}
	if drawing := string(heat("T", names, many)); strings.Contains(drawing, "<text") || len(drawing) > 6000 {
		t.Errorf("100 classes take %d bytes, with names that cannot be read", len(drawing))
	}
}
