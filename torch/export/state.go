package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// tensors reads what the file holds. Names that share their elements share a tensor.
func (l *loader) tensors() error {
	made := map[string]torch.Tensor{} // by entry
	roles := l.roles()
	one := func(h held) (t torch.Tensor, again bool, err error) {
		key := h.dir + h.Path
		if t, again = made[key]; again && h.Path != "" {
			return t, true, nil
		}
		if h.Path == "" {
			return t, false, fmt.Errorf("truncated or damaged: no tensor for %s", h.name)
		}
		if t, err = l.a.tensor(h.dir, h.name, h.payload, l.t.device); err != nil {
			return t, false, err
		}
		made[key] = t
		return t, false, nil
	}
	seen := map[string]bool{}
	for i, h := range l.held {
		if i == l.p.user {
			l.p.inputs = append(l.p.inputs, torch.Tensor{})
			continue
		}
		t, again, err := one(h)
		if err != nil {
			return err
		}
		role := nn.Buffer
		if h.IsParam && h.Meta.RequiresGrad {
			t.SetRequiresGrad(true)
			if !again { // a name for a weight that is trained under another
				role = roles[i]
			}
		}
		l.p.inputs = append(l.p.inputs, t)
		if h.saved {
			l.p.params = append(l.p.params, nn.Parameter{Name: h.name, Tensor: t, Role: role})
			seen[h.name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.weights)) { // not used, but part of state_dict
		if seen[name] {
			continue
		}
		t, _, err := one(held{name: name, dir: weightsDir, payload: l.weights[name]})
		if err != nil {
			return err
		}
		l.p.params = append(l.p.params, nn.Parameter{Name: name, Tensor: t, Role: nn.Buffer})
	}
	return nil
}

// roles of the inputs that are trained: scale and shift of normalisations are those
// that an operation of that name reads, other parameters of one dimension are
// biases.
func (l *loader) roles() []nn.Role {
	norms := map[int]bool{}
	for _, n := range l.t.out.Nodes {
		if !strings.Contains(n.Op, "norm") {
			continue
		}
		for _, a := range n.Args {
			if a.Value.Kind == torch.GraphTensor && (a.Name == "weight" || a.Name == "bias") {
				norms[a.Value.Int] = true
			}
		}
	}
	roles := make([]nn.Role, len(l.held))
	for i, h := range l.held {
		switch {
		case norms[l.t.out.Inputs[i].Slot]:
			roles[i] = nn.Norm
		case len(h.Meta.Sizes) < 2:
			roles[i] = nn.Bias
		}
	}
	return roles
}
