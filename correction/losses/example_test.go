package losses_test

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
)

// A loss made of plain operations, which autograd differentiates. Configurations refer to it by its name.
func ExampleRegister() {
	before := slices.Clone(losses.All)
	defer func() { losses.All = before }() // for the other tests
	entry := losses.Entry{
		Name: "focal", About: "cross-entropy with less weight on likely labels",
		New: func(*correction.Matrix, losses.Options) (losses.Loss, error) { return focal{}, nil },
	}
	fmt.Println(losses.Register(entry))
	fmt.Println(losses.All.Named("focal").About)
	fmt.Println(losses.Register(entry))
	// Output:
	// <nil>
	// cross-entropy with less weight on likely labels
	// correction: register the loss "focal": the name is taken: choose another
}

// focal is -(1-p)^2 log p for the probability p of the given label (Lin et al., 2017).
type focal struct{}

func (focal) Apply(logits, labels torch.Tensor) torch.Tensor {
	l := logits.LogSoftmax(1).Gather(1, labels.Unsqueeze(1))
	return l.Exp().Neg().AddScalar(1).Square().Mul(l).Mean().Neg()
}
