package models_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// In training a pair gives the logits of both networks, otherwise those of the first.
func TestPair(t *testing.T) {
	torchtest.NoLeak(t, func() {
		var networks []nn.Module
		for seed := range uint64(2) {
			m, err := models.MLP{Inputs: 4, Classes: 3}.New(nn.Init{Rand: rand.New(rand.NewPCG(seed, 0)), Scheme: "he_normal"})
			torchtest.OK(t, err)
			networks = append(networks, m)
		}
		both := models.NewPair(networks[0], networks[1])
		x := torch.NewGenerator(1, torch.CPU).Normal(0, 1, torch.Options{}, 5, 4)
		var want []float64
		for _, m := range networks {
			want = append(want, torch.Slice[float64](m.Forward(x, nn.Eval))...)
		}
		z := both.Forward(x, nn.Train(torch.NewGenerator(2, torch.CPU))) // without dropout, as in evaluation
		torchtest.Close(t, "in training", z.View(2*5*3), want, 0)
		torchtest.Close(t, "in use", both.Forward(x, nn.Eval), want[:5*3], 0)
		params := both.Parameters()
		if n := len(networks[0].Parameters()); len(params) != 2*n || !strings.HasPrefix(params[0].Name, "first.") || params[n].Name != "second."+networks[1].Parameters()[0].Name {
			t.Errorf("%d parameters, %s and %s", len(params), params[0].Name, params[n].Name)
		}
	})
}
