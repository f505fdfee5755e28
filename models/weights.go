package models

import (
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// LoadWeights initialises model from a safetensors file: one in its own names,
// which for ResNet50 are torchvision's and for every model those of the
// checkpoint best.safetensors, or a checkpoint last.safetensors, of which it
// takes the selected weights. Parameters of the layers named by fresh stay as
// drawn, whatever the file has for them: "fc" where the classes are others.
//
// Fails if the file is damaged, or if names or shapes differ: the error then
// lists each tensor that is missing, not expected or of another shape, and
// model stays as it was.
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

// selected is the best weights of a whole checkpoint, or else all of state.
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
