// Package estimators estimates the transition matrix T from a network trained on noisy
// labels.
//
// Such a network approximates the noisy posterior p(ỹ|x). At a perfect example of class i, an anchor x_i, the
// posterior equals row i of T (Theorem 3). The paper's estimator, argmax, finds one anchor per class and takes T-hat
// from the posteriors at the anchors:
//
//	x_i      = argmax over x of p(ỹ=i | x)    (Equation 12)
//	T-hat_ij = p(ỹ=j | x_i)                   (Equation 13)
//
// A single outlier can dominate the argmax, so [All] has other estimators. vertices first finds the rows of T without
// class names, as the corners of the cloud of posteriors, and then names them. held-out also reads labels that the
// network has not memorized. At high noise the rows can be right and their names wrong: an [Estimation] has warnings,
// and a few trusted labels per class settle the names. [Refit] fits T to all labels, given clean posteriors of unseen
// examples.
//
// To add an estimator, write a file with its [Entry] and a line in [All].
package estimators
