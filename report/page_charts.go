package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/losscorr/losscorr/store"
)

// measure is what a learning curve shows of an epoch.
type measure struct {
	name, axis string
	of         func(store.Epoch) float64
}

const percent = "accuracy (%)"

var measures = []measure{
	{"training loss", "loss", func(e store.Epoch) float64 { return e.TrainLoss }},
	{"accuracy on noisy validation labels", percent, func(e store.Epoch) float64 { return e.ValAccuracy }},
	{"test accuracy, on true labels", percent, func(e store.Epoch) float64 { return e.TestAccuracy }},
}

// rowRuns is one row's runs at one noise, one slice of epochs a seed.
type rowRuns struct {
	row  Row
	runs [][]store.Epoch
}

// maxPoints bounds what a line is drawn with: a chart is about 300 pixels wide.
const maxPoints = 60

// crowd is how many seeds a loss may have before their lines are drawn fainter
// still, so that the means stand out.
const crowd = 10

// learningCurves draws each measure: a faint line a seed, a strong one for their
// mean. It is nil where no run has metrics.
func learningCurves(t *Table, where string, rows []rowRuns) []template.HTML {
	last := 0.0
	for _, c := range rows {
		for _, run := range c.runs {
			for _, e := range run {
				last = max(last, float64(e.Epoch))
			}
		}
	}
	if last == 0 {
		return nil
	}
	type drawn struct {
		class, name string
		seeds       [][]xy
		mean        []xy
	}
	var charts []template.HTML
	for _, m := range measures {
		c := &chart{label: fmt.Sprintf("%s by epoch, %s, a line a loss", m.name, where), xName: "epoch", yName: m.axis,
			width: 300, height: 190, xTop: last, counted: true}
		var values []float64
		var lines []drawn
		for _, r := range rows {
			d := drawn{class: lossClass(t.Rows, r.row.Name), name: r.row.Name, mean: meanLine(r.runs, m)}
			for _, run := range r.runs {
				line := make([]xy, len(run))
				for k, e := range run {
					line[k] = xy{float64(e.Epoch), m.of(e)}
				}
				d.seeds = append(d.seeds, thin(line))
				for _, p := range line {
					values = append(values, p.y)
				}
			}
			lines = append(lines, d)
		}
		c.yLow, c.yTop = span(values)
		if m.axis == percent {
			c.yLow, c.yTop = max(0, c.yLow), min(100, c.yTop)
		}
		for _, d := range lines {
			switch n := len(d.seeds); {
			case n > crowd:
				c.path("seed many "+d.class, "", d.seeds...)
			case n > 1:
				c.path("seed "+d.class, "", d.seeds...)
			}
		}
		for _, d := range lines {
			c.path("line "+d.class, d.name, thin(d.mean))
		}
		charts = append(charts, c.svg())
	}
	return charts
}

// meanLine is the mean over runs at each epoch. Where some ended early, later
// epochs rest on the others.
func meanLine(runs [][]store.Epoch, m measure) []xy {
	values := make(map[int][]float64)
	var epochs []int
	for _, run := range runs {
		for _, e := range run {
			if values[e.Epoch] == nil {
				epochs = append(epochs, e.Epoch)
			}
			values[e.Epoch] = append(values[e.Epoch], m.of(e))
		}
	}
	slices.Sort(epochs)
	line := make([]xy, len(epochs))
	for k, e := range epochs {
		line[k] = xy{float64(e), NewSample(values[e]).Mean}
	}
	return line
}

// thin keeps evenly spaced points, the first and the last among them.
func thin(line []xy) []xy {
	if len(line) <= maxPoints {
		return line
	}
	out := make([]xy, maxPoints)
	for k := range out {
		out[k] = line[k*(len(line)-1)/(maxPoints-1)]
	}
	return out
}

// sweepChart draws test accuracy against the noise level, with bars of one
// sample standard deviation to either side.
func sweepChart(t *Table, s *Sweep, where string) template.HTML {
	levels := s.levels()
	top := levels[len(levels)-1]
	// Losses that score alike would hide each other's bars: each stands a little
	// to the side of its level.
	step := top / 110
	c := &chart{label: where + ": test accuracy against the noise level N, a line a loss", xName: "noise level N", yName: "test accuracy (%)",
		width: 330, height: 200, xLow: -5 * step, xTop: top + 5*step}
	low, high := math.Inf(1), 0.0
	for _, line := range s.Lines {
		for _, p := range line.Points {
			low, high = min(low, p.Mean-p.Std), max(high, p.Mean+p.Std)
		}
	}
	room := max(1, .06*(high-low))
	c.yLow, c.yTop = max(0, low-room), min(100, high+room)
	for k, line := range s.Lines {
		class := lossClass(t.Rows, line.Row)
		side := step * (float64(k) - float64(len(s.Lines)-1)/2)
		points := make([]xy, len(line.Points))
		for i, p := range line.Points {
			x := p.Level + side
			points[i] = xy{x, p.Mean}
			if p.N > 1 && p.Std > 0 {
				cap := step * .7
				c.path("bar "+class, "", []xy{{x, p.Mean - p.Std}, {x, p.Mean + p.Std}},
					[]xy{{x - cap, p.Mean - p.Std}, {x + cap, p.Mean - p.Std}}, []xy{{x - cap, p.Mean + p.Std}, {x + cap, p.Mean + p.Std}})
			}
		}
		c.path("line "+class, line.Row, points)
		for _, p := range points {
			c.data.WriteString(shape(class, c.x(p.x), c.y(p.y)) + "\n")
		}
	}
	return c.svg()
}
