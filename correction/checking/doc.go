// Package checking counts wrong labels by random checks. People check a few labels drawn at random, and the package
// estimates the number of wrong labels in the whole set, however good or bad the model is.
//
// A model gives each example two probabilities of a wrong label: wT if mistakes depend only on the class, and wE if
// they depend on the example. [NewDraw] draws with replacement, with the probability
//
//	q = 1/(2N) + |wT - wE| / (2 sum of |wT - wE|)
//
// for each of N examples: half of the checks are uniform, and the other half fall where wT and wE disagree. With w =
// (wT + wE)/2, and e = 1 for a wrong label and 0 for a right one, [NewCount] estimates the number of wrong labels by
// the difference estimator (Cochran, Sampling Techniques, 1977, 7.8),
//
//	sum of w + mean over the checks of (e - w)/q
//
// The estimate is unbiased for every w; a good w makes its interval short. On 27 sets of labels, the intervals at 90
// % held the truth in .89 to 1.00 of simulated reviews of 25 to 200 checks. Coverage falls to .7 if some percent of
// the labels are wrong although both wT and wE are near 0, until the checks find two or three of them.
//
// [Count.Pi] estimates the share of mistakes that depend on the example. It improves the probabilities for ranking
// and classifying, but not for counting, because it depends on the answers:
//
//	w = pi wE + (1 - pi) wT
//
// A review:
//
//	checks, err := checking.NewDraw(wT, wE, 100, rng)
//	...
//	answers := make([]checking.Answer, len(checks))
//	for k, check := range checks {
//		answers[k] = ask(check.Index) // a person
//	}
//	count, err := checking.NewCount(w, checks, answers)
//	...
//	fmt.Println(count.Wrong, count.Low, count.High)
//	pi, _ := count.Pi(wT, wE, .5)
//
// Checks are in the order of the draw. A person may stop at any time, and appending another draw extends the review.
// Never add labels that were picked because they look wrong: they are not random.
package checking
