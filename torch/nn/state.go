package nn

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// Prefix lists m's parameters with name and a dot before each name, as a composite module does for its parts.
func Prefix(name string, m Module) []Parameter {
	params := slices.Clone(m.Parameters())
	for i := range params {
		params[i].Name = name + "." + params[i].Name
	}
	return params
}

// Tensors returns the tensors of params.
func Tensors(params []Parameter) []torch.Tensor {
	tensors := make([]torch.Tensor, len(params))
	for i, p := range params {
		tensors[i] = p.Tensor
	}
	return tensors
}

// Trainable returns params without buffers, each tensor once, since a layer that is used twice has two names but is
// trained once.
func Trainable(params []Parameter) []Parameter {
	var trainable []Parameter
	listed := map[torch.Tensor]bool{}
	for _, p := range params {
		if p.Role != Buffer && !listed[p.Tensor] {
			listed[p.Tensor] = true
			trainable = append(trainable, p)
		}
	}
	return trainable
}

// CountParameters returns the number of values that training changes.
func CountParameters(params []Parameter) int {
	n := 0
	for _, p := range Trainable(params) {
		n += p.Tensor.Numel()
	}
	return n
}

// StateDict maps the names of params to their tensors, for torch.SaveSafetensors. The tensors are not copied.
func StateDict(params []Parameter) map[string]torch.Tensor {
	state := make(map[string]torch.Tensor, len(params))
	for _, p := range params {
		state[p.Name] = p.Tensor
	}
	return state
}

// LoadState copies tensors into params by name, converting dtype and device. If names or shapes differ, it changes
// nothing and returns an error that lists every difference. It ignores PyTorch's counters num_batches_tracked.
func LoadState(params []Parameter, tensors map[string]torch.Tensor) error {
	var wrong []error
	expected := map[string]bool{}
	for _, p := range params {
		expected[p.Name] = true
		t, ok := tensors[p.Name]
		if !ok {
			wrong = append(wrong, fmt.Errorf("missing: %s %v", p.Name, p.Tensor.Shape()))
		} else if got, want := t.Shape(), p.Tensor.Shape(); !slices.Equal(got, want) {
			wrong = append(wrong, fmt.Errorf("shape: %s is %v, expected %v", p.Name, got, want))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if !expected[name] && !strings.HasSuffix(name, "num_batches_tracked") {
			wrong = append(wrong, fmt.Errorf("not expected: %s %v", name, tensors[name].Shape()))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("this state belongs to another model, nothing was loaded:\n%w", errors.Join(wrong...))
	}
	return torch.Try(func() error {
		torch.NoGrad(func() {
			for _, p := range params {
				p.Tensor.CopyFrom(tensors[p.Name])
			}
		})
		return nil
	})
}
