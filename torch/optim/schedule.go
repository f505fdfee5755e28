package optim

import "math"

// Schedule gives the learning rate at an epoch, or at a step: it is the caller
// who counts, from 0.
type Schedule func(at int) float64

// Constant is always rate.
func Constant(rate float64) Schedule { return func(int) float64 { return rate } }

// Steps is rate times factor for each milestone that at has reached:
// Steps(.1, .1, 40, 80) is .1 in epochs 0 to 39, .01 in 40 to 79, then .001.
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

// Cosine falls from rate at 0 to 0 at length and stays there (Loshchilov and
// Hutter, 2017, without restarts):
//
//	rate (1 + cos(pi at / length)) / 2
func Cosine(rate float64, length int) Schedule { return CosineTo(rate, 0, length) }

// CosineTo is Cosine that falls to floor in place of 0:
//
//	floor + (rate - floor) (1 + cos(pi at / length)) / 2
func CosineTo(rate, floor float64, length int) Schedule {
	return func(at int) float64 {
		if at >= length {
			return floor
		}
		return floor + (rate-floor)*(1+math.Cos(math.Pi*float64(at)/float64(length)))/2
	}
}

// Linear goes from start at 0 to end at length in equal steps and stays there.
func Linear(start, end float64, length int) Schedule {
	return func(at int) float64 {
		if at >= length {
			return end
		}
		return start + (end-start)*float64(at)/float64(length)
	}
}

// Warmup rises to s in equal parts over the first length counts, and is s from
// there on:
//
//	s(at) (at + 1) / length    while at < length
func Warmup(length int, s Schedule) Schedule {
	return func(at int) float64 {
		if at >= length {
			return s(at)
		}
		return s(at) * float64(at+1) / float64(length)
	}
}

// Sequence is first for the first length counts, and then second, counted from 0
// again. Five epochs of warm-up before 95 of a cosine are
//
//	Sequence(Warmup(5, Constant(rate)), 5, Cosine(rate, 95))
func Sequence(first Schedule, length int, second Schedule) Schedule {
	return func(at int) float64 {
		if at < length {
			return first(at)
		}
		return second(at - length)
	}
}
