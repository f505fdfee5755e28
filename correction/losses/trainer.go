package losses

import (
	"math/rand/v2"

	"github.com/losscorr/losscorr/torch"
)

// Trainer is a Loss that needs more than logits and labels to train. Validation calls Apply.
type Trainer interface {
	Loss

	// Train returns the loss of a batch, a scalar to be minimised by the step.
	Train(b Batch) torch.Tensor
}

// trainedBy is a Trainer that trains with one loss, on labels that it chooses, and validates with another, Apply.
type trainedBy struct {
	Loss
	training Loss
	labels   func(b Batch) torch.Tensor
}

// Train implements Trainer.
func (t trainedBy) Train(b Batch) torch.Tensor { return t.training.Apply(b.Forward(b.X), t.labels(b)) }

// Stateful is a Loss with tensors that training changes and checkpoints store.
type Stateful interface {
	Loss

	// State returns the tensors by name, the same ones at each call.
	State() map[string]torch.Tensor
}

// Selector is a Loss whose own values on the validation set should not select the epoch.
type Selector interface {
	Loss

	// Selection returns the loss that selects the epoch.
	Selection() Loss
}

// Batch is what a Trainer gets for a training step.
type Batch struct {
	X      torch.Tensor // [N ...], the input of the network
	Labels torch.Tensor // [N] of Int64
	Rows   torch.Tensor // [N] of Int64 in [0, Options.Rows): the places of the examples in the training set
	Epoch  int          // from 0

	// Rand draws numbers for this step. A step repeated after a resume gets the same numbers.
	Rand *rand.Rand

	// Forward applies the network in training mode: x to logits [N C], or [2 N C] if Entry.Networks is 2.
	Forward func(x torch.Tensor) torch.Tensor
}
