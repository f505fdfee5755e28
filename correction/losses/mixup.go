package losses

import (
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var mixupEntry = withSettings(Entry{
	Name: "mixup", About: "cross-entropy of mixtures of two examples and of their labels", Clips: true, Mixes: true,
	Settings: []Setting{{"alpha", 8, aboveZero}},
}, newMixup)

// newMixup is the mixup of Zhang, Cisse, Dauphin and Lopez-Paz, "mixup: Beyond Empirical Risk Minimization" (ICLR
// 2018), Section 2. Each example of a batch is mixed with another one. As in their code, the weight m is drawn once
// for the batch:
//
//	x' = m x_i + (1-m) x_j,    m ~ Beta(alpha, alpha)
//	L  = m (-log p_{y_i}) + (1-m) (-log p_{y_j}),    p = softmax(z(x'))
//
// Settings.Alpha is above 0, 8 by default. The paper chooses among 1, 2, 8 and 32 for wrong labels (Section 3.4) and
// has 1 for clean CIFAR-10.
//
// The result is a Trainer; Apply, for validation, is cross-entropy. Examples have to be numbers.
func newMixup(_ *correction.Matrix, o Options) (Loss, error) {
	return mixup{NewCrossEntropy(o), o.Settings.Alpha}, nil
}

type mixup struct {
	Loss  // cross-entropy
	alpha float64
}

// Train implements Trainer.
func (m mixup) Train(b Batch) torch.Tensor {
	weight := distuv.Beta{Alpha: m.alpha, Beta: m.alpha, Src: b.Rand}.Rand()
	order := make([]int64, b.Labels.Size(0))
	for i, j := range b.Rand.Perm(len(order)) {
		order[i] = int64(j)
	}
	return m.mixed(b, weight, order)
}

// mixed returns the loss of a batch with example i mixed with order[i].
func (m mixup) mixed(b Batch, weight float64, order []int64) torch.Tensor {
	other := torch.FromSlice(order).ToDevice(b.X.Device())
	x := b.X.ToDense()
	x = x.MulScalar(weight).Add(x.IndexSelect(0, other).MulScalar(1 - weight))
	z := b.Forward(x)
	own, others := m.Apply(z, b.Labels), m.Apply(z, b.Labels.IndexSelect(0, other))
	return own.MulScalar(weight).Add(others.MulScalar(1 - weight))
}
