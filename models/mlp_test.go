package models_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func mlp(t testing.TB) nn.Module {
	t.Helper()
	m, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"})
	torchtest.OK(t, err)
	return m
}

func TestMLP(t *testing.T) {
	torchtest.NoLeak(t, func() {
		m := mlp(t)
		count, names := 0, ""
		for _, p := range m.Parameters() {
			count += p.Tensor.Numel()
			names += p.Name + " "
		}
		if count != 118_282 {
			t.Errorf("%d parameters, want 118,282", count)
		}
		if want := "0.weight 0.bias 3.weight 3.bias 6.weight 6.bias "; names != want {
			t.Errorf("parameters are named %s, want %s as in PyTorch", names, want)
		}
		x := torch.NewGenerator(1, torch.CPU).Uniform(0, 1, torch.Options{}, 7, 784)
		logits := m.Forward(x, nn.Eval)
		if got := fmt.Sprint(logits.Shape()); got != "[7 10]" {
			t.Errorf("logits have shape %v", got)
		}
		torchtest.Close(t, "evaluation repeats", m.Forward(x, nn.Eval), torch.Slice[float64](logits), 0)
		train := m.Forward(x, nn.Train(torch.NewGenerator(2, torch.CPU)))
		if train.Sub(logits).Abs().Amax().Item() == 0 {
			t.Error("dropout changes nothing in training")
		}
	})
}

func TestMLPRefusesUnknownScheme(t *testing.T) {
	if _, err := (models.MLP{Inputs: 2, Classes: 2}).New(nn.Init{Scheme: "he_norma"}); err == nil {
		t.Error("an unknown initialiser was accepted")
	}
}

func ExampleMLP() {
	if torch.Open() != nil {
		fmt.Println("[2 10]") // no libtorch here
		return
	}
	torch.Scope(func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"}
		model, err := models.MLP{Inputs: 784, Classes: 10, Dropout: .2}.New(init)
		if err != nil {
			fmt.Println(err)
			return
		}
		logits := model.Forward(torch.Zeros(torch.Options{}, 2, 784), nn.Eval)
		fmt.Println(logits.Shape())
	})
	// Output: [2 10]
}
