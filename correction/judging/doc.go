// Package judging says which of the given labels of a data set are likely wrong, by T-hat
// and the posteriors of networks that have not seen the examples.
//
// With the clean posterior g = p(y|x) of an example, from networks that have not seen it,
// Bayes' rule says how likely its label is wrong:
//
//	w = 1 - T[ỹ][ỹ] g_ỹ / sum over k of T[k][ỹ] g_k
//
// [Audit] ranks labels by w. g is the output of a network trained with forward correction
// by T-hat, calibrated by [Calibrate]; [CalibrateClean] estimates it without a second network
// and [CleanPosteriors] without labels, [Neighbours] and [Blend] sharpen it by what similar
// examples say, and [estimators.Refit] fits it and T to all labels. There are also intervals
// ([NewIntervals]), the accuracy against the true labels ([CleanAccuracy]), the labels to ask a
// person for ([Ask]), and signs that a result is not to be believed
// ([estimators.Estimation]'s Unnamed, Small and Trapped, [Weak]).
package judging
