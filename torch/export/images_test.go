package export_test

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The weights of convolutions lie with channels innermost, as images then do.
func TestImagesLieWithChannelsInnermost(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, p := range load(t, "cifar10.pt2").Parameters() {
			if s, want := p.Tensor.Shape(), []int{72, 1, 24, 8}; p.Name == "conv.weight" && !slices.Equal(p.Tensor.Strides(), want) {
				t.Errorf("%s %v has strides %v, want %v", p.Name, s, p.Tensor.Strides(), want)
			}
		}
	})
}

// A network that writes in place through what is a view of its images in the layout of the export
// still writes to the images.
func TestWritesThroughAView(t *testing.T) {
	torchtest.NoLeak(t, func() {
		written, err := export.Load(firstOf(t, "cifar10.pt2",
			called("aten.flatten.using_ints", "f", "self", tensorArg("x")),
			called("aten.relu_.default", "g", "self", tensorArg("f"))), export.Options{Device: device})
		torchtest.OK(t, err)
		torch.NoGrad(func() {
			x := torch.NewGenerator(1, torch.CPU).Normal(0, 1, torch.Options{}, 2, 3, 24, 24).ToDevice(device)
			want := load(t, "cifar10.pt2").Forward(x.ReLU(), nn.Eval)
			torchtest.Close(t, "logits", written.Forward(x, nn.Eval), torch.Slice[float64](want.ToDType(torch.Float64)), 1e-5)
		})
	})
}
