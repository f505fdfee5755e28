// Package correction implements the mathematics of learning under label noise as
// Patrini et al. describe it in "Making Deep Neural Networks Robust to Label
// Noise: a Loss Correction Approach" (CVPR 2017): transition matrices, the
// noise that they inject, the losses corrected by them, and estimators of them
// from a trained network.
//
// # Symbols
//
// There are c classes. An example has a clean label y, which is hidden, and a
// given label ỹ, which may be wrong. The transition matrix T holds the
// probabilities of the given label:
//
//	T[i][j] = P(ỹ = j | y = i)
//
// Rows are true classes and every row sums to 1. Other libraries store the
// transpose (cleanlab's noise_matrix, for example); a matrix whose columns sum to
// 1 while its rows do not is refused with an error that says so. Every [Matrix]
// has the names of its classes, and so has its CSV file.
//
// # Noise
//
// Symmetric noise N keeps a label with probability 1-N and otherwise draws one
// of the c-1 other classes uniformly. Asymmetric noise N flips each of some classes
// to one other class with probability N; package dataset has the paper's choices.
// Corrupt draws one noisy label per example:
//
//	classes := []string{"cat", "dog", "horse"}
//	T, err := correction.Asymmetric(classes, 0.3, []correction.Flip{
//		{From: "cat", To: "dog"},
//	})
//	if err != nil {
//		return err
//	}
//	noisy, err := T.Corrupt(labels, rand.New(rand.NewPCG(seed, 1)))
//	if err != nil {
//		return err
//	}
//	realised, err := T.Realised(labels, noisy)
//
// # Losses
//
// A [Loss] takes logits z [N C] and noisy labels ỹ [N]. With p = softmax(z), the
// two corrections of the paper are
//
//	forward:   L(z, ỹ) = -log sum_j T[j][ỹ] p_j           (Theorem 2)
//	backward:  L(z, ỹ) = sum_j inverse(T)[ỹ][j] (-log p_j)    (Theorem 1)
//
//	loss := correction.NewForward(T, correction.LossOptions{})
//	loss.Apply(logits, noisyLabels).Backward()
//
// A loss that needs more than logits and labels to train is a [Trainer], which gets the
// whole [Batch] and the network: [NewELR] keeps a target for each example, [NewMixup] mixes
// examples, [NewCoTeaching] trains two networks. [Settings] are the constants of the
// losses' formulas.
//
// # Estimation
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
// [Estimators]. One of them, vertices, first finds the rows of T
// without class names, as corners of the cloud of posteriors, and then assigns
// names to them. An [Estimation] has warnings, because at high noise the rows can
// be right and their names wrong; a few [Trusted] labels per class decide the
// names.
//
// # Wrong labels
//
// With the clean posterior g = p(y|x) of an example, from networks that have not seen it,
// Bayes' rule says how likely its label is wrong:
//
//	w = 1 - T[ỹ][ỹ] g_ỹ / sum over k of T[k][ỹ] g_k
//
// [Audit] ranks labels by w. g is the output of a network trained with forward correction
// by T-hat, calibrated by [Calibrate]; [CleanPosteriors] estimates it
// without a second network. There are also intervals ([Estimation.Intervals]), the
// accuracy against the true labels ([CleanAccuracy]), the labels to ask a person for
// ([Estimation.Ask]), and signs that a result is not to be believed
// ([Estimation.Unnamed], [Estimation.Small], [Estimation.Trapped], [Estimation.Weak]).
//
// # Tables
//
// [Losses], [Noises] and [Estimators] list everything that the rest of the program
// needs to know about each: its name in configurations, the settings that it reads,
// its title in figures. A new loss is a file with its constructor and its
// [LossEntry], and a line in Losses; one of another module is registered by [RegisterLoss].
package correction
