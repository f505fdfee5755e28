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
	atLeast float64 // smallest distance of two ticks: 1 on an axis of whole numbers
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

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// span returns an axis for values, with some room, without the lowest and highest
// fiftieth, so that a few extreme values do not flatten the rest.
func span(values []float64) (low, high float64) {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) })
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
