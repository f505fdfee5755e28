package scaling

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every subject measures something at two sizes or more, and leaves it as a row of the
// table, lines of the CSV file and a plot.
func TestRunMeasuresEverySubject(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	torchtest.NoLeak(t, func() {
		if err := Run(t.Context(), Options{Quick: true, Out: dir}, &out); err != nil {
			t.Fatal(err)
		}
	})
	file, err := os.Open(filepath.Join(dir, CSVFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) < 2 {
		t.Fatal(len(records), err)
	}
	points := map[string]int{}
	for _, r := range records[1:] {
		points[r[0]+", "+r[1]]++
		if r[3] == "0" || r[5] == "0" || r[9] != "true" {
			t.Errorf("a point without a value, or not of a quick run: %q", r)
		}
	}
	for line, n := range points {
		if n < 2 && !strings.HasPrefix(line, "images") { // of a machine with one core
			t.Errorf("%s: %d points", line, n)
		}
		if _, err := os.Stat(filepath.Join(dir, "scaling-"+strings.Split(line, ", ")[0]+".svg")); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{
		"batch, ", "width, ", "classes, forward", "classes, backward", "classes-memory, loss: forward", "classes-memory, network and step: cross-entropy", "classes-setup, backward",
		"estimator-examples, vertices", "estimator-classes, dual-t", "ranking, ", "planning, ", "reporting, ", "images, ",
	} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(points)), func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("nothing was measured of %q", want)
		}
	}
	text := out.String()
	if rows := strings.Count(text, "\n| ") - 1; rows != len(points) || !strings.Contains(text, "processor ") || !strings.Contains(text, "revision ") {
		t.Errorf("%d rows for %d lines in\n%s", rows, len(points), text)
	}
}

func TestRunRefuses(t *testing.T) {
	if err := Run(t.Context(), Options{Subjects: []string{"batches"}}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), `"batches"`) {
		t.Errorf("a subject that there is not: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if err := Run(ctx, Options{Quick: true}, &bytes.Buffer{}); !errors.Is(err, enough) {
		t.Errorf("after its end: %v", err)
	}
}

// The law is that of the upper half, on logarithmic axes: below it a fixed cost reigns.
func TestFit(t *testing.T) {
	var points []plotter.XY
	for _, x := range []float64{1, 10, 100, 1000, 10000} {
		y := 3 * math.Pow(x, 1.5)
		if x < 100 {
			y = 5000
		}
		points = append(points, plotter.XY{X: x, Y: y})
	}
	l, ok := fit(points)
	if !ok || l.from != 100 || math.Abs(l.exponent-1.5) > 1e-12 || math.Abs(l.factor-3) > 1e-9 {
		t.Errorf("got %+v, %v", l, ok)
	}
	for _, few := range [][]plotter.XY{nil, points[:1], points[:2], {points[0], points[0]}} {
		if l, ok := fit(few); ok {
			t.Errorf("%v has the law %+v", few, l)
		}
	}
}

// The synthetic data are what they claim: given labels follow T, logits its posterior.
func TestLabelled(t *testing.T) {
	const n, c = 20_000, 5
	d, err := newLabelled(n, c)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	p := correction.Softmax(d.logits, c)
	rng := rand.New(rand.NewPCG(1, 2))
	for x, y := range d.given {
		if y == correction.Classes(d.clean[x*c:(x+1)*c], c)[0] {
			kept++
		}
		if rng.IntN(100) > 0 {
			continue
		}
		for j := range c {
			want := 0.
			for i := range c {
				want += float64(d.clean[x*c+i]) * d.t.At(i, j)
			}
			if got := float64(p[x*c+j]); math.Abs(math.Log(got/want)) > .6 {
				t.Errorf("posterior of example %d for class %d is %v, want about %v", x, j, got, want)
			}
		}
	}
	if share := float64(kept) / n; math.Abs(share-.69) > .03 { // .72 of the sure ones
		t.Errorf("%.3f of the labels are kept", share)
	}
	again, err := newLabelled(n, c)
	if err != nil || !slices.Equal(again.given, d.given) || !slices.Equal(again.logits, d.logits) {
		t.Errorf("the same data differ: %v", err)
	}
}
