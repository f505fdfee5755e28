package run

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
)

// networkFits returns an error if an exported network does not fit the shape of an example or the number of classes.
func networkFits(c config.Config, d *export.Description, shape []int, classes int) error {
	var bad problems
	if words := c.Examples.Words; words > 0 {
		shape = []int{min(words, shape[0])}
	}
	if len(d.Outputs) != 2 || d.Outputs[1] >= 0 && d.Outputs[1] != classes {
		bad.add("model", "%s returns %s, but %s has %d classes: export it with a last layer of %d", c.Network(),
			export.ShapeString(d.Outputs), c.Dataset, classes, classes)
	}
	if in := d.Input.Shape[1:]; !sameShape(in, shape) && !sameSize(in, shape) && !cropped(in, shape) {
		bad.add("model", "%s takes %s, but examples of %s are %s: export it with an example of that shape", c.Network(),
			d.Input, c.Dataset, export.ShapeString(append([]int{-1}, shape...)))
	}
	if words := c.Preprocessing == config.Words; words == d.Input.DType.IsFloat() {
		bad.add("model", "%s takes %v, but the input %s is %s", c.Network(), d.Input.DType, c.Preprocessing,
			map[bool]string{true: "word numbers", false: "float32"}[words])
	}
	if limit := d.Input.MaxBatch; limit > 0 && train.EvaluationBatches*c.BatchSize > limit {
		bad.add("model", "%s takes batches of at most %d, but evaluation uses %d: set batch_size to %d, or export it "+
			"without a maximum",
			c.Network(), limit, train.EvaluationBatches*c.BatchSize, limit/train.EvaluationBatches)
	}
	return config.NewError(bad...)
}

// wordsFit returns an error if the embedding of an exported network has too few rows for the data's word numbers.
func wordsFit(c config.Config, d *export.Description, data *dataset.Dataset) error {
	most := int32(-1)
	for _, s := range data.Splits() {
		if len(s.Tokens) > 0 {
			most = max(most, slices.Max(s.Tokens))
		}
	}
	if d.Input.Words == 0 || int(most) < d.Input.Words {
		return nil
	}
	return config.NewError(config.Problem{Key: "model", Text: fmt.Sprintf("%s has an embedding of %d words, but word "+
		"numbers of %s go up to %d: export it with an embedding of %d", c.Network(), d.Input.Words, c.Dataset, most, most+1)})
}

func sameShape(in, shape []int) bool {
	return slices.EqualFunc(in, shape, func(a, b int) bool { return a < 0 || a == b })
}

// sameSize reports whether a reshape turns examples into the input, as from MNIST's 784 pixels to 1 x 28 x 28.
func sameSize(in, shape []int) bool {
	return (len(in) == 1 || len(shape) == 1) && !slices.Contains(in, -1) && elements(in) == elements(shape)
}

func elements(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// cropped reports whether the input is the middle of larger images.
func cropped(in, shape []int) bool {
	return len(in) == 3 && len(shape) == 3 && in[0] == shape[0] && in[1] == in[2] && in[1] > 0 && in[1] <= shape[1] &&
		in[2] <= shape[2]
}

// reshaped is an exported network that takes examples in the data set's shape.
type reshaped struct{ *export.Program }

func (r reshaped) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	if in, shape := r.Input.Shape[1:], x.Shape(); !sameShape(in, shape[1:]) && sameSize(in, shape[1:]) {
		x = x.Reshape(append([]int{shape[0]}, in...)...)
	}
	return r.Program.Forward(x, mode)
}

// newExported loads an exported network with its weights.
func (r *run) newExported() (nn.Module, error) {
	p, err := export.Load(r.Model, export.Options{Device: r.device})
	if err != nil {
		return nil, dataset.Errorf("the network: %w", err)
	}
	if err := networkFits(r.Config, &p.Description, r.source.Train.Shape, len(r.source.Classes)); err != nil {
		return nil, err
	}
	return reshaped{p}, nil
}

// exportedSide returns the height and width of the images that an exported network takes, 0 if the examples have them
// already.
func exportedSide(d *export.Description, shape []int) int {
	if len(d.Input.Shape) != 4 || len(shape) != 3 {
		return 0
	}
	if s := d.Input.Shape[2]; s > 0 && s != shape[len(shape)-1] {
		return s
	}
	return 0
}
