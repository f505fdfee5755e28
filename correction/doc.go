// Package correction implements the mathematics of learning under label noise as Patrini et al. describe it in
// "Making Deep Neural Networks Robust to Label Noise: a Loss Correction Approach" (CVPR 2017): transition matrices,
// the noise that they inject, and trusted labels. Its sub-packages hold the losses corrected by T ([losses]),
// estimators of T from a trained network ([estimators]), and the probability that a given label is wrong ([judging]).
// Only losses needs libtorch.
//
// # Symbols
//
// There are c classes. An example has a hidden clean label y and a given label ỹ, which may be wrong. The transition
// matrix T holds the probabilities of the given label:
//
//	T[i][j] = P(ỹ = j | y = i)
//
// Rows are true classes, and every row sums to 1. Some libraries store the transpose (cleanlab's noise_matrix, for
// example), so [NewMatrix] refuses a matrix whose columns sum to 1 while its rows do not. A [Matrix] and its CSV file
// carry the names of the classes.
//
// # Noise
//
// Symmetric noise N keeps a label with probability 1-N and otherwise draws one of the c-1 other classes uniformly.
// Asymmetric noise N flips some classes, each to one other class, with probability N; package dataset has the paper's
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
// [Noises] lists the kinds of noise. To add one, write a file with its [NoiseEntry] and a line in Noises.
//
// [losses]: https://pkg.go.dev/github.com/losscorr/losscorr/correction/losses
// [estimators]: https://pkg.go.dev/github.com/losscorr/losscorr/correction/estimators
// [judging]: https://pkg.go.dev/github.com/losscorr/losscorr/correction/judging
package correction
