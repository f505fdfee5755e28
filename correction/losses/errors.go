package losses

import "github.com/losscorr/losscorr/torch"

// Errors is the share of labels that are not the likeliest class. It selects an epoch by accuracy; it has no
// gradient to train by.
type Errors struct{}

// Name implements Loss.
func (Errors) Name() string { return "errors" }

// Apply implements Loss.
func (Errors) Apply(logits, labels torch.Tensor) torch.Tensor {
	return logits.Argmax(1).Ne(labels).ToDType(logits.DType()).Mean()
}
