// Package losses has losses for learning under label noise: the forward and backward correction of Patrini et al.
// (CVPR 2017), the losses in their comparison, and later ones.
//
// A [Loss] takes logits z [N C] and noisy labels ỹ [N]. With p = softmax(z), the
// two corrections of the paper are
//
//	forward:   L(z, ỹ) = -log sum_j T[j][ỹ] p_j           (Theorem 2)
//	backward:  L(z, ỹ) = sum_j inverse(T)[ỹ][j] (-log p_j)    (Theorem 1)
//
//	loss := losses.NewForward(T, losses.Options{})
//	loss.Apply(logits, noisyLabels).Backward()
//
// [All] lists the losses with their names in configurations, their settings and their titles in figures. Each loss is
// made by its name; the file of that name states its formula and source:
//
//	loss, err := losses.All.Named("gce").New(T, losses.Options{Settings: losses.Settings{Q: .5}})
//
// A loss that needs more than logits and labels to train is a [Trainer], which gets the whole [Batch] and the
// network: elr keeps a target for each example, mixup mixes examples, co-teaching trains two networks. [Settings] are
// the constants of the formulas. The paper's losses have closed-form gradients.
//
// To add a loss, write a file with its [Entry] and a line in All, or call [Register] from another module.
package losses
