package losses

import "github.com/losscorr/losscorr/torch"

// maeEntry is the mean absolute error between the probabilities and the one-hot label, the MAE of Ghosh, Kumar and
// Sastry, "Robust Loss Functions under Label Noise for Deep Neural Networks" (AAAI 2017), which they show to tolerate
// symmetric noise:
//
//	L(z, y) = sum_k |e_y - p|_k = 2 - 2 p_y
//	dL/dz   = 2 p_y (p - e_y)
//
// It has no constants. An example that the network finds unlikely has a small gradient, so the loss learns slowly
// with many classes.
var maeEntry = ofProbabilities(Entry{
	Name: "mae", Title: "MAE", About: "the mean absolute error of the probabilities",
}, func(int, Settings) formula {
	return byAutograd(func(l, labels torch.Tensor) torch.Tensor {
		return atLabels(-2, l.Exp(), labels).AddScalar(2)
	})
})
