package losses

import (
	"math/rand/v2"

	"github.com/losscorr/losscorr/torch"
)

// Trainer is a Loss that trains by more than the logits of a batch and its labels.
// Validation has Apply.
type Trainer interface {
	Loss

	// Train returns the loss of a batch, a scalar whose gradient the step follows.
	Train(b Batch) torch.Tensor
}

// trainedBy is the Trainer that trains by another loss, of labels that it chooses, than Apply, which is for validation.
type trainedBy struct {
	Loss
	training Loss
	labels   func(b Batch) torch.Tensor
}

// Train implements Trainer.
func (t trainedBy) Train(b Batch) torch.Tensor { return t.training.Apply(b.Forward(b.X), t.labels(b)) }

// Stateful is a Loss with tensors that training changes. A checkpoint holds them.
type Stateful interface {
	Loss

	// State returns the tensors by name, the same ones at each call.
	State() map[string]torch.Tensor
}

// Selector is a Loss by whose own values on the validation set no epoch should be selected.
type Selector interface {
	Loss

	// Selection returns the loss by which it is.
	Selection() Loss
}

// Batch is what a Trainer gets for a training step.
type Batch struct {
	X      torch.Tensor // [N ...], the input of the network
	Labels torch.Tensor // [N] of Int64
	Rows   torch.Tensor // [N] of Int64 in [0, Options.Rows): the places of the examples in the training set
	Epoch  int          // from 0

	// Rand draws numbers for this step, the same ones when the step is done again after
	// a resume.
	Rand *rand.Rand

	// Forward applies the network as in training: x to logits [N C], or [2 N C] where
	// Entry.Networks is 2.
	Forward func(x torch.Tensor) torch.Tensor
}
