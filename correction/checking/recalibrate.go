package checking

import (
	"math"
)

// The prior of the recalibration: normal around the identity, with these standard deviations.
const (
	priorShift = 1.5
	priorSlope = .5
)

// leastOdds bounds |logit w|: the model's certainty beyond it says nothing.
const leastOdds = 9.

// Recalibration maps the model's probability of a wrong label to one that the checks bear out:
//
//	w' = 1 / (1 + exp(-(shift + slope logit w)))
type Recalibration struct{ Shift, Slope float64 }

// identity leaves probabilities as they are.
var identity = Recalibration{Shift: 0, Slope: 1}

// Of returns w'.
func (r Recalibration) Of(w float64) float64 { return sigmoid(r.Shift + r.Slope*logit(w)) }

// recalibrate fits the map to checked labels by weighted logistic regression with the prior: the
// maximum of
//
//	sum of v (e log w' + (1-e) log(1-w')) - (shift/1.5)^2/2 - ((slope-1)/.5)^2/2
//
// by Newton's method, each step halved until the value rises. Weights v are scaled to a mean of 1.
func recalibrate(w, e, weights []float64) Recalibration {
	sum := 0.
	for _, v := range weights {
		sum += v
	}
	scale := float64(len(weights)) / sum
	x := make([]float64, len(w))
	for k := range w {
		x[k] = logit(w[k])
	}
	value := func(r Recalibration) float64 {
		total := -(r.Shift*r.Shift/(priorShift*priorShift) + (r.Slope-1)*(r.Slope-1)/(priorSlope*priorSlope)) / 2
		for k := range x {
			z := r.Shift + r.Slope*x[k]
			total += scale * weights[k] * (e[k]*z - softplus(z))
		}
		return total
	}
	r := identity
	now := value(r)
	for range 100 {
		g0, g1 := -r.Shift/(priorShift*priorShift), -(r.Slope-1)/(priorSlope*priorSlope)
		h00, h01, h11 := 1/(priorShift*priorShift), 0., 1/(priorSlope*priorSlope)
		for k := range x {
			p := r.Of(w[k])
			v := scale * weights[k]
			g0 += v * (e[k] - p)
			g1 += v * (e[k] - p) * x[k]
			h00 += v * p * (1 - p)
			h01 += v * p * (1 - p) * x[k]
			h11 += v * p * (1 - p) * x[k] * x[k]
		}
		det := h00*h11 - h01*h01 // above 0 by the prior
		step0, step1 := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		if math.Abs(step0)+math.Abs(step1) < 1e-9 {
			break
		}
		for damping := 1.; damping > 1e-6; damping /= 2 {
			next := Recalibration{r.Shift + damping*step0, r.Slope + damping*step1}
			if v := value(next); v > now {
				r, now = next, v
				break
			}
		}
	}
	return r
}

// logit returns log(w/(1-w)), in [-9, 9].
func logit(w float64) float64 {
	return min(leastOdds, max(-leastOdds, math.Log(w)-math.Log1p(-w)))
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// softplus returns log(1 + exp(z)).
func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }
