package figure

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/results/paper"
)

// demo draws runs that differ only in loss and seed.
func demo(title string, curves []curve, t *store.TransitionInfo) *Figure {
	var rows []report.Row
	for _, c := range curves {
		rows = append(rows, c.Row)
	}
	return noiseFigure(title, curves, stylesOf(rows), t)
}

func demoCurves() []curve {
	return []curve{
		{report.Row{Name: "cross-entropy", Loss: "cross-entropy"}, [][]metrics.Epoch{course(1, 40, 79, 53, .8)}},
		{report.Row{Name: "backward", Loss: "backward"}, [][]metrics.Epoch{course(2, 40, 80, 88, .6)}},
		{report.Row{Name: "forward", Loss: "forward"}, [][]metrics.Epoch{course(3, 40, 93, 97.3, .1)}},
		{report.Row{Name: "forward-estimated", Loss: "forward-estimated"}, [][]metrics.Epoch{
			course(4, 40, 68, 66, 1), course(5, 40, 64, 63, 1), course(6, 40, 70, 70, 1),
		}},
	}
}

// course is a made-up learning curve from start to end.
func course(seed uint64, epochs int, start, end, jitter float64) []metrics.Epoch {
	rng := rand.New(rand.NewPCG(seed, 1))
	run := make([]metrics.Epoch, epochs)
	for k := range run {
		run[k].Epoch = k + 1
		run[k].TestAccuracy = end + (start-end)*math.Exp(-float64(k)/6) + jitter*rng.NormFloat64()
	}
	return run
}

// demoSweeps returns six panels like the paper's figures.
func demoSweeps() []*report.Sweep {
	var panels []*report.Sweep
	for b, block := range paper.Blocks() {
		s := &report.Sweep{Title: report.SweepName(block)}
		top := 97 - 4*float64(b)
		for k, loss := range report.SweepLosses() {
			line := report.SweepLine{Loss: loss}
			for n := range 8 {
				level := .1 * float64(n)
				drop := []float64{60, 8, 40, 1, 45}[k] * math.Pow(level, 2.5)
				line.Points = append(line.Points, report.SweepPoint{Level: level, Sample: report.Sample{N: 5, Mean: top - drop,
					Std: .1 + drop/10}})
			}
			s.Lines = append(s.Lines, line)
		}
		panels = append(panels, s)
	}
	return panels
}

// Drawing each figure twice, from new data, gives the same bytes, and the PNG and
// SVG have the right contents.
func TestFiguresAreByteIdentical(t *testing.T) {
	const title = "MNIST, asymmetric noise 0.6"
	for name, test := range map[string]struct {
		figure func() *Figure
		holds  []string
	}{
		"matrices": {func() *Figure { return Matrices(reporttest.Matrices()) },
			[]string{"true class", "row error 0.12", ">.6<", ">.4<"}},
		"sweep": {func() *Figure { return Sweeps(demoSweeps()) }, []string{">forward<", ">(a) MNIST<", ">noise level N<"}},
		"both": {func() *Figure { return demo(title, demoCurves(), reporttest.Matrices()) },
			[]string{">forward-estimated<", "test accuracy", "asymmetric noise 0.6", "true class", "row error 0.12", ">.6<"}},
	} {
		dir := t.TempDir()
		first, err := test.figure().Save(filepath.Join(dir, "first"))
		second, again := test.figure().Save(filepath.Join(dir, "second"))
		expect.OK(t, errors.Join(err, again))
		expect.Same(t, []string{filepath.Join(dir, "first.svg"), filepath.Join(dir, "first.png")}, first, name)
		for k := range first {
			if read(t, first[k]) != read(t, second[k]) {
				t.Errorf("%s: %s differs from %s", name, first[k], second[k])
			}
		}
		expect.Says(t, read(t, first[0]), test.holds...)
		image, err := png.Decode(strings.NewReader(read(t, first[1])))
		expect.OK(t, err)
		if got, want := image.Bounds().Dx(), int(test.figure().width/vg.Inch*pngDPI); got < want-1 || got > want+1 {
			t.Errorf("%s: PNG is %d pixels wide, want %d", name, got, want)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	expect.OK(t, err)
	return string(text)
}

// hundred returns a T of 100 classes.
func hundred() *store.TransitionInfo {
	info := &store.TransitionInfo{}
	for i := range 100 {
		row := make([]float64, 100)
		row[i] = 1
		info.Classes, info.Nominal = append(info.Classes, fmt.Sprint("class ", i)), append(info.Nominal, row)
	}
	return info
}

// Unusual input can be drawn: no curve, one epoch, a hundred classes, few panels of single runs.
func TestFiguresOfOddInput(t *testing.T) {
	single := func(level, accuracy float64) report.SweepPoint {
		return report.SweepPoint{Level: level, Sample: report.Sample{N: 1, Mean: accuracy}}
	}
	forward := report.SweepLine{Loss: "forward", Points: []report.SweepPoint{single(0, 99), single(.6, 98)}}
	one := &report.Sweep{Title: "one", Lines: []report.SweepLine{forward}}
	of := func(name string, epochs ...metrics.Epoch) *Figure {
		return demo("", []curve{{Row: report.Row{Name: name}, runs: [][]metrics.Epoch{epochs}}}, nil)
	}
	for name, f := range map[string]*Figure{
		"no curves":   demo("", nil, nil),
		"empty run":   of("forward"),
		"one epoch":   of("other", metrics.Epoch{Epoch: 1, TestAccuracy: 100}),
		"hundred":     Matrices(hundred()),
		"one panel":   Sweeps([]*report.Sweep{one}),
		"four panels": Sweeps([]*report.Sweep{one, one, one, one}),
	} {
		paths, err := f.Save(filepath.Join(t.TempDir(), "figure"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, path := range paths {
			if n := len(read(t, path)); n < 1000 {
				t.Errorf("%s: %s has %d bytes", name, path, n)
			}
		}
	}
}

// The mean at an epoch uses the runs that reached it.
func TestMeanLine(t *testing.T) {
	got := meanLine([][]metrics.Epoch{
		{{Epoch: 1, TestAccuracy: 80}, {Epoch: 2, TestAccuracy: 90}},
		{{Epoch: 1, TestAccuracy: 82}}, // ended early
	}, testAccuracy)
	expect.Same(t, plotter.XYs{{X: 1, Y: 81}, {X: 2, Y: 90}}, got, "mean")
}

// A value that is not a number breaks a line.
func TestLinesBreak(t *testing.T) {
	got := lines(plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 2}, {X: 2, Y: math.NaN()}, {X: 3, Y: 4}, {X: 4, Y: math.Inf(1)}},
		draw.LineStyle{})
	if len(got) != 2 || len(got[0].(*plotter.Line).XYs) != 2 || got[1].(*plotter.Line).XYs[0].X != 3 {
		t.Errorf("%d lines: %v", len(got), got)
	}
	if got := lines(plotter.XYs{{Y: math.NaN()}}, draw.LineStyle{}); got != nil {
		t.Errorf("nothing was drawn as %v", got)
	}
}

// Heights that are too close move apart, in order and inside the area.
func TestSpread(t *testing.T) {
	for _, test := range []struct{ in, want []vg.Length }{
		{[]vg.Length{10, 50, 90}, []vg.Length{10, 50, 90}},
		{[]vg.Length{50, 52}, []vg.Length{50, 60}},
		{[]vg.Length{100, 99, 98}, []vg.Length{100, 90, 80}},
		{[]vg.Length{50, 50}, []vg.Length{60, 50}},
	} {
		expect.Same(t, test.want, spread(test.in, 10, 0, 100), "heights")
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

// Figures of runs with other settings have other names than the preset's.
func TestFileNames(t *testing.T) {
	plain := reporttest.Result("forward", "asymmetric", .6, 1, 97, 97)
	small, other := plain, plain
	small.Config.BatchSize = 64
	other.Config.BatchSize, other.Config.Epochs, other.Config.Dropout, other.Config.Optimizer.LearningRate = 64, 3, .5, .1
	var names []string
	for _, block := range report.Blocks(report.Cells(report.FromResults(plain, small, other))) {
		names = append(names, fileName(block, block.Columns[0]))
	}
	form := "^mnist-mlp-code-[0-9a-f]{8}-asymmetric-0.6 mnist-mlp-code-asymmetric-0.6 " +
		"mnist-mlp-code-with-batch_size-64-asymmetric-0.6$"
	if got := strings.Join(names, " "); !regexp.MustCompile(form).MatchString(got) {
		t.Errorf("names %s, want %s", got, form)
	}
}

// An element of a page has a label unless it is decoration, and user text is escaped.
func TestElement(t *testing.T) {
	f := &Figure{width: 100, height: 50, draw: func(c draw.Canvas) {
		c.FillText(textStyle(10), vg.Point{X: 20, Y: 25}, "a&b")
	}}
	got := string(f.Element("chart", `"label"`))
	expect.OK(t, xml.Unmarshal([]byte(got), new(struct{})))
	expect.Says(t, got, `<svg class="chart" role="img" aria-label="&#34;label&#34;" `,
		`viewBox="0 0 100 50"`, `>a&amp;b</text>`)
	expect.Says(t, string(f.Element("swatch", "")), `<svg class="swatch" aria-hidden="true" `)
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
	expect.Says(t, drawing, `aria-label="T"`, ">.4<", ">.6<", ">1<", "b&lt;", "fill:#08518C",
		"fill:#FFFFFF")
	many := hundred()
	drawing = string(Matrix(many.Classes, many.Nominal).Element("chart heat", "T"))
	if strings.Contains(drawing, ">1<") || len(drawing) > 40000 {
		t.Errorf("100 classes take %d bytes, with numbers that cannot be read", len(drawing))
	}
}
