package losses

import "github.com/losscorr/losscorr/torch"

// Mixed returns the loss of mixup with a given weight and order in place of random ones.
func Mixed(mixed Loss, b Batch, weight float64, order []int64) torch.Tensor {
	return mixed.(mixup).mixed(b, weight, order)
}
