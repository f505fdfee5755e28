package doctor

import (
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
)

// lossChecks checks all losses of the table, with T of asymmetric noise, with and without clipping.
func lossChecks() []check {
	var all []check
	for _, e := range losses.All {
		if e.T == losses.EstimatedT {
			continue // computed like known T
		}
		all = append(all, lossCheck(e.Name, e, 0))
		if e.Clips {
			all = append(all, lossCheck(e.Name+", clipped", e, 1e-7))
		}
	}
	return all
}

func lossCheck(name string, e losses.Entry, clip float64) check {
	const allowed = 1e-4
	return check{name, allowed, func(m *machine) (float64, error) {
		t, err := correction.Asymmetric([]string{"a", "b", "c", "d"}, .4, []correction.Flip{{From: "a", To: "b"},
			{From: "c", To: "d"}})
		if err != nil {
			return 0, err
		}
		d := newDraws()
		logits, labels := d.normal(128, 4), d.integers(4, 128)
		targets := torch.Slice[float32](d.normal(128, 4).Softmax(1).ToDType(torch.Float32))
		on := func(o torch.Options) ([][]float64, error) {
			loss, err := e.New(t, losses.Options{
				Clip: clip, Rows: labels.Size(0), Trusted: []correction.Trusted{{Index: 3, Label: 1}}, Targets: targets, Options: o,
			})
			if err != nil {
				return nil, err
			}
			z := logits.Detach().To(o).SetRequiresGrad(true)
			value := lossOf(loss, e, z, labels.ToDevice(o.Device))
			value.Backward()
			return [][]float64{values(z.Grad()), {value.Item()}}, nil
		}
		got, err := on(torch.Options{Device: m.Device})
		if err != nil {
			return 0, err
		}
		want, err := on(torch.Options{DType: torch.Float64})
		if err != nil {
			return 0, err
		}
		return worst(got, want)
	}}
}

// lossOf returns a loss as in training for a network with logits z. If the loss trains two
// networks, the other has logits -z.
func lossOf(loss losses.Loss, e losses.Entry, z, labels torch.Tensor) torch.Tensor {
	trainer, ok := loss.(losses.Trainer)
	if !ok {
		return loss.Apply(z, labels)
	}
	return trainer.Train(losses.Batch{
		X: z, Labels: labels, Rows: torch.Arange(0, float64(labels.Size(0)), 1, labels.Options()), Epoch: 100,
		Rand: rand.New(rand.NewPCG(1, 0)),
		Forward: func(x torch.Tensor) torch.Tensor {
			if e.Networks == 2 {
				return torch.Stack(0, x, x.Neg())
			}
			return x
		},
	})
}
