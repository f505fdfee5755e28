package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks is a plot.Ticker that puts about five ticks on multiples of 1, 2 or 5
// times a power of ten.
type ticks struct {
	atLeast float64 // between two ticks: 1 on an axis of whole numbers
}

func (t ticks) Ticks(low, high float64) []plot.Tick {
	width := high - low
	if !(width > 0) || math.IsInf(width, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(width/5)))
	for _, m := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if width/step <= 6 {
			break
		}
		step *= m
	}
	step = max(step, t.atLeast)
	var out []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*width; k++ {
		out = append(out, plot.Tick{Value: k * step, Label: tickText(k * step)})
	}
	return out
}

func tickText(v float64) string {
	text := strconv.FormatFloat(v+0, 'g', 6, 64) // +0: -0 is 0
	return strings.Replace(text, "-", "−", 1)
}

// stretch is how much longer one curve may make the axis of the others. A loss that
// diverges makes it a thousand times longer.
const stretch = 3

// commonSpan returns an axis for curves, of the values of each: their spans, but for curves
// that would make it longer than stretch times that of the others. At least half of the
// curves are inside.
func commonSpan(curves [][]float64) (low, high float64) {
	type bounds struct{ low, high float64 }
	var spans []bounds
	for _, values := range curves {
		if slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }) {
			l, h := span(values)
			spans = append(spans, bounds{l, h})
		}
	}
	if len(spans) == 0 {
		return span(nil)
	}
	for {
		low, high = math.Inf(1), math.Inf(-1)
		for _, s := range spans {
			low, high = min(low, s.low), max(high, s.high)
		}
		if len(spans) < 3 {
			return low, high
		}
		// The curve without which the axis is shortest.
		without, least := -1, high-low
		for k := range spans {
			l, h := math.Inf(1), math.Inf(-1)
			for i, s := range spans {
				if i != k {
					l, h = min(l, s.low), max(h, s.high)
				}
			}
			if h-l < least {
				without, least = k, h-l
			}
		}
		if without < 0 || high-low < stretch*least || 2*(len(spans)-1) < len(curves) {
			return low, high
		}
		spans = slices.Delete(spans, without, without+1)
	}
}

// span returns an axis for values: all but the lowest and the highest fiftieth,
// with some room, so that a few extreme ones do not flatten the rest.
func span(values []float64) (low, high float64) {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(values) == 0 {
		return 0, 1
	}
	slices.Sort(values)
	cut := len(values) / 50
	low, high = values[cut], values[len(values)-1-cut]
	room := .05 * (high - low)
	if room == 0 {
		room = max(.5, .05*math.Abs(high))
	}
	return low - room, high + room
}
