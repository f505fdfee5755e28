package checking

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	priorStrength = 8    // the prior of pi weighs as much as this many checks
	leastW        = 1e-4 // w lies in [leastW, 1-leastW]
	gridPoints    = 200
)

// Pi returns the posterior mean of pi, the share of mistakes that depend on the example, and the log likelihood of
// the answers, which compares models. The prior is Beta(8 prior, 8 (1 - prior)) with prior, its mean, in (0, 1). The
// likelihood is not weighted by q, which depends only on wT and wE:
//
//	product over the checks of w^e (1-w)^(1-e),  w = pi wE + (1 - pi) wT in [1e-4, 1 - 1e-4]
//
// A grid of 200 points approximates both. Panics if wT or wE is shorter than the w of the count.
func (c *Count) Pi(wT, wE []float64, prior float64) (mean, likelihood float64) {
	before, posterior, at := make([]float64, gridPoints), make([]float64, gridPoints), make([]float64, gridPoints)
	for g := range posterior {
		pi := (float64(g) + .5) / gridPoints
		at[g] = pi
		before[g] = (priorStrength*prior-1)*math.Log(pi) + (priorStrength*(1-prior)-1)*math.Log1p(-pi)
		posterior[g] = before[g]
		for k, check := range c.checks {
			w := pi*wE[check.Index] + (1-pi)*wT[check.Index]
			w = min(max(w, leastW), 1-leastW)
			if !c.wrong[k] {
				w = 1 - w
			}
			posterior[g] += math.Log(w)
		}
	}
	total := floats.LogSumExp(posterior)
	for g, v := range posterior {
		mean += at[g] * math.Exp(v-total)
	}
	return mean, total - floats.LogSumExp(before)
}
