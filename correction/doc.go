// Package correction implements the mathematics of learning under label noise as
// Patrini et al. describe it in "Making Deep Neural Networks Robust to Label
// Noise: a Loss Correction Approach" (CVPR 2017): transition matrices, the
// noise that they inject, and trusted labels. The packages below it hold the losses
// corrected by T ([losses]), estimators of T from a trained network ([estimators]), and
// the judgement of given labels by T-hat ([judging]). This package and the last two need
// no libtorch.
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
// [Noises] lists the kinds of noise with everything that the rest of the program needs to
// know about each. A new one is a file with its entry and a line there.
//
// [losses]: https://pkg.go.dev/github.com/losscorr/losscorr/correction/losses
// [estimators]: https://pkg.go.dev/github.com/losscorr/losscorr/correction/estimators
// [judging]: https://pkg.go.dev/github.com/losscorr/losscorr/correction/judging
package correction
