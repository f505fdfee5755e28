package models

import (
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// LoadWeights loads the weights of model from a safetensors file with the names of the model's parameters, such as
// the checkpoint best.safetensors or, for ResNet50, torchvision's file. From a checkpoint last.safetensors it takes
// the selected weights. The layers in fresh keep their drawn weights: "fc" if the file is for other classes.
//
// It is an error if the file is damaged, or if names or shapes differ; the error then lists each tensor that is
// missing, not expected or of another shape. An error leaves model unchanged.
func LoadWeights(model nn.Module, path string, fresh ...string) error {
	var err error
	torch.Scope(func() { err = loadWeights(model, path, fresh) })
	return err
}

func loadWeights(model nn.Module, path string, fresh []string) error {
	state, _, err := torch.LoadSafetensors(path)
	if err != nil {
		return err
	}
	state = selected(state)
	isFresh := func(name string) bool {
		for _, layer := range fresh {
			if strings.HasPrefix(name, layer+".") {
				return true
			}
		}
		return false
	}
	var params []nn.Parameter
	for _, p := range model.Parameters() {
		if !isFresh(p.Name) {
			params = append(params, p)
		}
	}
	for name := range state {
		if isFresh(name) {
			delete(state, name)
		}
	}
	if err := nn.LoadState(params, state); err != nil {
		return fmt.Errorf("load %s: %w", path, err)
	}
	return nil
}

// selected returns the selected weights of a last.safetensors, or else all of state.
func selected(state map[string]torch.Tensor) map[string]torch.Tensor {
	best := map[string]torch.Tensor{}
	for name, t := range state {
		if rest, ok := strings.CutPrefix(name, "best."); ok {
			best[rest] = t
		}
	}
	if len(best) == 0 {
		return state
	}
	return best
}
