// Package estimators estimates the transition matrix T from a network trained on noisy
// labels.
//
// A network trained on noisy labels approximates the noisy posterior p(ỹ|x). At
// a perfect example of class i, an anchor x_i, the posterior equals row i of T
// (Theorem 3). The paper's estimator, argmax, finds one anchor per class and takes T-hat
// from the posteriors there:
//
//	x_i      = argmax over x of p(ỹ=i | x)    (Equation 12)
//	T-hat_ij = p(ỹ=j | x_i)                   (Equation 13)
//
// An outlier can dominate that argmax. [Estimate] has other estimators, too; see
// [All]. One of them, vertices, first finds the rows of T
// without class names, as corners of the cloud of posteriors, and then assigns
// names to them. An [Estimation] has warnings, because at high noise the rows can
// be right and their names wrong; a few trusted labels per class decide the
// names. held-out looks at labels that the network has not memorized, too, and
// [Refit] fits T to all labels where clean posteriors of unseen examples are known.
//
// [All] lists the estimators with what the rest of the program needs to know about each. A
// new one is a file with its [Entry] and a line there.
package estimators
