// Package models holds the networks of Patrini et al., "Making Deep Neural Networks Robust to Label Noise: a Loss
// Correction Approach" (CVPR 2017, https://arxiv.org/abs/1609.03683), and smaller ones for a user's own data ([CNN],
// [WordAverage], linear), one file each.
//
// A model is a struct of layer sizes with a method New, which lists the layers and draws the weights. The same random
// stream gives the same weights:
//
//	rng := rand.New(rand.NewPCG(seed, 0))
//	model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rng, Scheme: "he_normal"})
//	if err != nil {
//		return err
//	}
//	logits := model.Forward(x, nn.Eval) // x [N 784], logits [N 10]
//
// [LoadWeights] replaces the drawn weights by weights from a file.
//
// [All] is the table of networks. To add one, write a file with its constructor and its [Entry], and a line in All.
package models
