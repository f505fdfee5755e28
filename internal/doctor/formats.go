package doctor

import (
	"math/rand/v2"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// formats are the layouts of images in memory and the precisions, each by one training
// step of a small convolutional network: its output and all gradients.
func formats() []check {
	const single, half = 1e-4, .1
	return []check{
		{"images with rows first", single, func(m *machine) (float64, error) {
			return m.step(torch.Float32, torch.Tensor.Contiguous)
		}},
		{"images with channels last", single, func(m *machine) (float64, error) {
			return m.step(torch.Float32, torch.Tensor.ChannelsLast)
		}},
		{"bfloat16", half, func(m *machine) (float64, error) { return m.step(torch.BFloat16, torch.Tensor.ChannelsLast) }},
		{"float16", half, func(m *machine) (float64, error) { return m.step(torch.Float16, torch.Tensor.ChannelsLast) }},
	}
}

// step is the deviation of a training step's output in the given precision on the
// device from that in float64 on the CPU; outside half precision also of its gradients.
func (m *machine) step(precision torch.DType, layout func(torch.Tensor) torch.Tensor) (float64, error) {
	if err := torch.CheckPrecision(m.Device, precision); err != nil {
		return 0, skip(err.Error())
	}
	x, labels := newDraws().normal(16, 3, 16, 16), newDraws().integers(10, 16)
	on := func(o torch.Options, precision torch.DType, layout func(torch.Tensor) torch.Tensor) ([][]float64, error) {
		network, err := models.ResNet{Depth: 8, Classes: 10}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: o.DType,
			Device: o.Device})
		if err != nil {
			return nil, err
		}
		if precision == torch.BFloat16 || precision == torch.Float16 {
			network = nn.Autocast{Module: network, Device: o.Device, DType: precision}
		}
		y := network.Forward(layout(x.To(o)), nn.Train(nil))
		y.CrossEntropy(labels.ToDevice(o.Device)).Backward()
		all := [][]float64{values(y)}
		for _, p := range nn.Trainable(network.Parameters()) {
			all = append(all, values(p.Tensor.Grad()))
		}
		return all, nil
	}
	got, err := on(torch.Options{Device: m.Device}, precision, layout)
	if err != nil {
		return 0, err
	}
	want, err := on(torch.Options{DType: torch.Float64}, torch.Float64, torch.Tensor.Contiguous)
	if err != nil {
		return 0, err
	}
	if precision != torch.Float32 {
		got, want = got[:1], want[:1]
	}
	return worst(got, want)
}
