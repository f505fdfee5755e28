// Package models holds the networks of Patrini et al., "Making Deep Neural
// Networks Robust to Label Noise: a Loss Correction Approach" (CVPR 2017,
// https://arxiv.org/abs/1609.03683), one file each.
//
// A model is a constructor that lists its layers. It takes the initialiser of
// its weights, so that the same stream gives the same network:
//
//	rng := rand.New(rand.NewPCG(seed, 0))
//	model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rng, Scheme: "he_normal"})
//	if err != nil {
//		return err
//	}
//	logits := model.Forward(x, nn.Eval) // x [N 784], logits [N 10]
//
// [LoadWeights] takes a model's weights from a file in place of drawn ones.
//
// [All] is the table of networks, with what the rest of the program has to know of
// each. A new one is a file with its constructor and its [Entry], and a line in All.
package models
