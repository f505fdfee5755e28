package report

import (
	"bytes"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/losscorr/losscorr/store"
)

// course is a made-up learning curve from start to end.
func course(seed uint64, epochs int, start, end, jitter float64) []store.Epoch {
	rng := rand.New(rand.NewPCG(seed, 1))
	run := make([]store.Epoch, epochs)
	for k := range run {
		run[k].Epoch = k + 1
		run[k].TestAccuracy = end + (start-end)*math.Exp(-float64(k)/6) + jitter*rng.NormFloat64()
	}
	return run
}

func demoCurves() []Curve {
	return []Curve{
		{"cross-entropy", [][]store.Epoch{course(1, 40, 79, 53, .8)}},
		{"backward", [][]store.Epoch{course(2, 40, 80, 88, .6)}},
		{"forward", [][]store.Epoch{course(3, 40, 93, 97.3, .1)}},
		{"forward-estimated", [][]store.Epoch{course(4, 40, 68, 66, 1), course(5, 40, 64, 63, 1), course(6, 40, 70, 70, 1)}},
	}
}

func demoMatrices() *store.TransitionInfo {
	t := &store.TransitionInfo{Classes: strings.Split("0123456789", ""), EstimateError: .12}
	rng := rand.New(rand.NewPCG(7, 7))
	flip := map[int]int{2: 7, 3: 8, 5: 6, 6: 5, 7: 1}
	for i := range 10 {
		nominal, estimated := make([]float64, 10), make([]float64, 10)
		nominal[i] = 1
		if to, ok := flip[i]; ok {
			nominal[i], nominal[to] = .4, .6
		}
		sum := 0.0
		for j := range estimated {
			estimated[j] = nominal[j] + .01*rng.ExpFloat64()
			sum += estimated[j]
		}
		for j := range estimated {
			estimated[j] /= sum
		}
		t.Nominal, t.Estimated = append(t.Nominal, nominal), append(t.Estimated, estimated)
	}
	return t
}

// Each figure twice, from data made anew: the same bytes, and a PNG and an SVG
// that hold what they should.
func TestFiguresAreByteIdentical(t *testing.T) {
	for name, make := range map[string]func() *Figure{
		"curves":   func() *Figure { return CurvesFigure("MNIST, asymmetric noise 0.6", demoCurves()) },
		"matrices": func() *Figure { return MatricesFigure(demoMatrices()) },
		"sweep":    func() *Figure { return SweepsFigure(demoSweeps()) },
		"demo":     func() *Figure { return DemoFigure("MNIST, asymmetric noise 0.6", demoCurves(), demoMatrices()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, err := make().Save(filepath.Join(dir, "first"))
			if err != nil {
				t.Fatal(err)
			}
			second, err := make().Save(filepath.Join(dir, "second"))
			if err != nil {
				t.Fatal(err)
			}
			if len(first) != 3 || filepath.Ext(first[0]) != ".svg" || filepath.Ext(first[1]) != ".png" || filepath.Ext(first[2]) != ".pdf" {
				t.Fatalf("paths %q", first)
			}
			for k := range first {
				a, b := read(t, first[k]), read(t, second[k])
				if !bytes.Equal(a, b) {
					t.Errorf("%s differs from %s", first[k], second[k])
				}
			}
			svg := string(read(t, first[0]))
			var want []string
			if name == "curves" || name == "demo" {
				want = append(want, ">cross-entropy<", ">forward-estimated<", "test accuracy", "asymmetric noise 0.6")
			}
			if name == "sweep" {
				want = append(want, ">forward<", ">(a) MNIST<", ">noise level N<")
			}
			if name == "matrices" || name == "demo" {
				want = append(want, "true class", "row error 0.12", ">.6<", ">.4<")
			}
			for _, w := range want {
				if !strings.Contains(svg, w) {
					t.Errorf("the SVG lacks %q", w)
				}
			}
			image, err := png.Decode(bytes.NewReader(read(t, first[1])))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := image.Bounds().Dx(), int(make().width/vg.Inch*pngDPI); got < want-1 || got > want+1 {
				t.Errorf("PNG is %d pixels wide, want %d", got, want)
			}
		})
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Odd input must draw: no curve, one epoch, a run of one class's hundred names.
func TestFiguresOfOddInput(t *testing.T) {
	hundred := &store.TransitionInfo{}
	for i := range 100 {
		hundred.Classes = append(hundred.Classes, "class "+shortest(float64(i)))
		row := make([]float64, 100)
		row[i] = 1
		hundred.Nominal = append(hundred.Nominal, row)
	}
	for name, f := range map[string]*Figure{
		"no curves": CurvesFigure("", nil),
		"empty run": CurvesFigure("", []Curve{{Name: "forward", Runs: [][]store.Epoch{nil}}}),
		"one epoch": CurvesFigure("", []Curve{{Name: "other", Runs: [][]store.Epoch{{{Epoch: 1, TestAccuracy: 100}}}}}),
		"hundred":   MatricesFigure(hundred),
		"no T":      DemoFigure("", demoCurves(), nil),
	} {
		if _, err := f.Save(filepath.Join(t.TempDir(), "figure")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	missing := filepath.Join(t.TempDir(), "none", "figure")
	if _, err := CurvesFigure("", nil).Save(missing); err == nil || !strings.Contains(err.Error(), missing+".svg") {
		t.Errorf("save into a missing folder: %v", err)
	}
}

// Where T is not known, its estimate is drawn alone and no error is told of it.
func TestEstimateOfUnknownT(t *testing.T) {
	unknown := func() *store.TransitionInfo {
		m := demoMatrices()
		m.Nominal, m.EstimateError = nil, math.NaN()
		return m
	}
	paths, err := MatricesFigure(unknown()).Save(filepath.Join(t.TempDir(), "figure"))
	if err != nil {
		t.Fatal(err)
	}
	root := folders(t, func(r *store.Result) {
		if r.Transition != nil {
			r.Transition = unknown()
		}
	})
	for what, text := range map[string]string{"figure": string(read(t, paths[0])), "page": pageOf(t, root)} {
		if !strings.Contains(text, "estimate of T") {
			t.Errorf("the %s lacks the estimate", what)
		}
		for _, no := range []string{"transition matrix T", "row error", "distance of a row", "NaN"} {
			if strings.Contains(text, no) {
				t.Errorf("the %s has %q", what, no)
			}
		}
	}
	results := block()
	for k := range results {
		results[k].Transition = unknown()
	}
	for _, row := range Tables(results)[0].Cells {
		for _, cell := range row {
			if cell != nil && cell.EstimateError.N > 0 {
				t.Errorf("a cell with an error of %v", cell.EstimateError.Mean)
			}
		}
	}
}

func TestSummarise(t *testing.T) {
	points := summarise([][]store.Epoch{
		{{Epoch: 1, TestAccuracy: 80}, {Epoch: 2, TestAccuracy: 90}},
		{{Epoch: 1, TestAccuracy: 82}}, // ended early
	})
	if len(points) != 2 || points[0].epoch != 1 || points[0].Mean != 81 || points[0].N != 2 || points[1].Mean != 90 || points[1].N != 1 {
		t.Errorf("points %+v", points)
	}
	if got := points[0].Std; math.Abs(got-math.Sqrt2) > 1e-12 {
		t.Errorf("standard deviation %v, want √2", got)
	}
}

func TestSpread(t *testing.T) {
	for _, test := range []struct{ in, want []vg.Length }{
		{[]vg.Length{10, 50, 90}, []vg.Length{10, 50, 90}},
		{[]vg.Length{50, 52}, []vg.Length{50, 60}},
		{[]vg.Length{100, 99, 98}, []vg.Length{100, 90, 80}},
		{[]vg.Length{50, 50}, []vg.Length{60, 50}},
	} {
		if got := spread(test.in, 10, 0, 100); !slices.Equal(got, test.want) {
			t.Errorf("spread %v = %v, want %v", test.in, got, test.want)
		}
	}
}

func TestShortest(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", .8: ".8", .066: ".07", 40: "40", .999: "1", -.5: "-0.5", 97.25: "97.25"} {
		if got := shortest(v); got != want {
			t.Errorf("shortest(%v) = %q, want %q", v, got, want)
		}
	}
}
