// Package losses has the losses of learning under label noise: the forward and backward
// correction of Patrini et al. (CVPR 2017), those that their paper compares with, and
// later ones.
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
// [All] lists all losses with what the rest of the program needs to know about each: its name in
// configurations, the settings that it reads, its title in figures. Each is made by its name; its formula
// and its source stand in the file of that name:
//
//	loss, err := losses.All.Named("gce").New(T, losses.Options{Settings: losses.Settings{Q: .5}})
//
// A loss that needs more than logits and labels to train is a [Trainer], which gets the
// whole [Batch] and the network: elr keeps a target for each example, mixup mixes
// examples, co-teaching trains two networks. [Settings] are the constants of the
// losses' formulas. Losses of the paper have closed-form gradients.
//
// A new loss is a file with its [Entry], and a line in All; one of another module is
// registered by [Register].
package losses
