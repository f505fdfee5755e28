// Package checking counts wrong labels by random checks: people look at a few labels that were
// drawn at random, and the number of wrong ones among all follows, whatever the noise is like.
//
// The model's probability w of each label to be wrong ([judging.Audit]) makes the checks go
// further but is not believed. [NewDraw] divides the labels into strata by w and draws from each;
// with e = 1 for a wrong label and 0 for a right one, [Draw.Count] estimates
//
//	N = sum of w' + sum over strata h of N_h mean over the checked of h (e - w')
//
// with w' = w recalibrated by the checks. The expectation of N over the draw is the true number
// (the difference estimator, Cochran, Sampling Techniques, 1977, 7.8), so that N depends on the model
// by its variance alone.
//
//	draw, err := checking.NewDraw(w, 100, 1000, rng)
//	...
//	for _, check := range draw.Checks[:100] { // ask a person for the label of check.Index
//	}
//	count, err := draw.Count(w, answers)
//	fmt.Println(count.Wrong, count.Low, count.High)
//
// The order of the checks is that of rounds, each with one label of each stratum, so that a
// person may stop at any time. A label that is checked because it looked suspicious is no random
// check.
package checking
