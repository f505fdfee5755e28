package optim

import "math"

// Schedule returns the learning rate at an epoch or a step, which the caller counts from 0.
type Schedule func(at int) float64

// Steps multiplies rate by factor at each milestone: Steps(.1, .1, 40, 80) is .1 in epochs 0 to 39, .01 in 40 to 79,
// then .001.
func Steps(rate, factor float64, milestones ...int) Schedule {
	return func(at int) float64 {
		passed := 0
		for _, m := range milestones {
			if at >= m {
				passed++
			}
		}
		return rate * math.Pow(factor, float64(passed))
	}
}
