// Package correction holds the mathematics of learning under label noise as
// Patrini et al. describe it in "Making Deep Neural Networks Robust to Label
// Noise: a Loss Correction Approach" (CVPR 2017): transition matrices, the
// noise that they inject, the losses corrected by them, and estimators that
// read them off a network.
//
// # Symbols
//
// There are c classes. An example has a clean label y, which nobody sees, and
// a given label ỹ, which may be wrong. The transition matrix T says how labels
// go wrong:
//
//	T[i][j] = P(ỹ = j | y = i)
//
// Rows are true classes and every row sums to 1. Other libraries store the
// transpose (cleanlab's noise_matrix, for one); a matrix whose columns sum to
// 1 while its rows do not is refused with an error that says so. Every Matrix
// carries the names of its classes, and so does every file of one.
//
// # Noise
//
// Symmetric noise N keeps a label with probability 1-N and otherwise draws one
// of the c-1 other classes uniformly. Asymmetric noise N flips chosen classes
// into one other class each with probability N; package dataset has the paper's
// choices. Corrupt draws one noisy label per example:
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
// # Estimation
//
// A network trained on noisy labels approximates the noisy posterior
// p(ỹ|x). On a perfect example of class i, an anchor x_i, it equals row i of T
// (Theorem 3). Estimate looks for one anchor a class and reads T-hat there:
//
//	x_i      = argmax over x of p(ỹ=i | x)    (Equation 12)
//	T-hat_ij = p(ỹ=j | x_i)                   (Equation 13)
//
// The estimators differ in how they replace that argmax, which an outlier can
// hijack; see EstimatorOptions. One of them, vertices, asks for no class: it
// finds the rows of T as corners of the cloud of posteriors and names them
// after. An Estimation comes with warnings, because at high noise the rows can
// be right and their names wrong; a few Trusted labels a class settle names.
//
// # Tables
//
// [Losses], [Noises] and [Estimators] hold what the rest of the program has to know
// of each: its name in configurations, the settings that it reads, how it is drawn.
// A new loss is a file with its constructor and its [LossEntry], and a line in Losses.
package correction
