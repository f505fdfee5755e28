package losses

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
)

var coTeachingEntry = withSettings(Entry{
	Name: "co-teaching", About: "two networks, each trained on the examples that the other finds likely; T gives the " +
		"noise rate", T: KnownT, Clips: true, Networks: 2,
	Settings: []Setting{{"gradual", 10, aboveZero}},
}, newCoTeaching)

// newCoTeaching is the co-teaching of Han, Yao, Yu, Niu, Xu, Hu, Tsang and Sugiyama, "Co-teaching: Robust Training of
// Deep Neural Networks with Extremely Noisy Labels" (NeurIPS 2018), Algorithm 1. Two networks train on the same
// batches. Each learns from the examples with the smallest cross-entropy by the other network. In epoch e, counted
// from 0, it takes a share
//
//	R(e) = 1 - tau min(e / T_k, 1)
//
// of the batch, rounded down but at least one example. The noise rate tau follows from T and Options.Shares, 1 -
// sum_i P(y=i) T[i][i]; the paper takes it as known or estimates it from validation labels. Settings.Gradual is T_k,
// 10 by default as in the paper. The loss is the sum of both networks' mean losses over their examples.
//
// The result is a Trainer of two networks, Entry.Networks. Apply, for validation, is the cross-entropy of one.
// Predictions are the first network's.
func newCoTeaching(t *correction.Matrix, o Options) (Loss, error) {
	shares := o.Shares
	if shares == nil {
		shares = slices.Repeat([]float64{1 / float64(t.Dim())}, t.Dim())
	}
	return coTeaching{NewCrossEntropy(o), floats.Sum(t.WrongShares(shares)), o.Settings.Gradual}, nil
}

type coTeaching struct {
	Loss    // cross-entropy
	rate    float64
	gradual float64 // epochs
}

// Train implements Trainer.
func (c coTeaching) Train(b Batch) torch.Tensor {
	both := b.Forward(b.X)
	first, second := both.Select(0, 0), both.Select(0, 1)
	n := c.taken(b.Epoch, b.Labels.Size(0))
	return c.on(first, b.Labels, smallest(second, b.Labels, n)).Add(c.on(second, b.Labels, smallest(first, b.Labels, n)))
}

// taken returns how many of n examples each network learns from in an epoch.
func (c coTeaching) taken(epoch, n int) int {
	kept := 1 - c.rate*min(float64(epoch)/c.gradual, 1)
	return max(1, int(math.Floor(kept*float64(n)+1e-9)))
}

// on returns the cross-entropy of the examples in rows.
func (c coTeaching) on(logits, labels, rows torch.Tensor) torch.Tensor {
	return c.Apply(logits.IndexSelect(0, rows), labels.IndexSelect(0, rows))
}

// smallest returns the n examples of smallest cross-entropy, [n].
func smallest(logits, labels torch.Tensor, n int) (rows torch.Tensor) {
	torch.NoGrad(func() {
		_, order := logits.LogSoftmax(1).Gather(1, labels.Unsqueeze(1)).Squeeze(1).Sort(0, true)
		rows = order.Narrow(0, 0, n)
	})
	return rows
}
