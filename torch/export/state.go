package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// tensors reads the tensors of the file. Names for the same elements share a tensor.
func (l *loader) tensors() error {
	made := map[string]torch.Tensor{} // by place
	roles, kernels := l.roles(), l.kernels()
	l.p.images = len(kernels) > 0
	one := func(h held) (t torch.Tensor, again bool, err error) {
		key := h.place()
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
		if kernels[l.t.out.Inputs[i].Slot] && !again && t.Dim() == 4 {
			t = instead(t, t.ChannelsLast())
			made[h.place()] = t
		}
		role := nn.Buffer
		if h.IsParam && h.Meta.RequiresGrad {
			t.SetRequiresGrad(true)
			if !again { // a second name for a trained weight
				role = roles[i]
			}
		}
		l.p.inputs = append(l.p.inputs, t)
		if h.saved {
			l.p.params = append(l.p.params, nn.Parameter{Name: h.name, Tensor: t, Role: role})
			seen[h.name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.weights)) { // unused, but part of state_dict
		if seen[name] {
			continue
		}
		t, _, err := one(held{name: name, dir: weightsDir, payload: l.weights[name]})
		if err != nil {
			return err
		}
		l.p.params = append(l.p.params, nn.Parameter{Name: name, Tensor: t, Role: nn.Buffer})
	}
	return l.checkShared()
}

// place identifies a tensor's elements within an entry, and their order. An entry is a storage of PyTorch, which
// several tensors may share.
func (h held) place() string {
	shape, strides, offset, err := h.Meta.layout(h.name)
	return fmt.Sprintf("%q %d %v %v %d %v", h.dir+h.Path, h.Meta.DType, shape, strides, offset, err)
}

// checkShared returns an error if training changes one of several tensors that share elements in different orders.
// They are separate tensors here, so the others would keep their old values.
func (l *loader) checkShared() error {
	changes := l.changes()
	entries := map[string][]int{}
	for i, h := range l.held {
		if i != l.p.user && h.Path != "" {
			entries[h.dir+h.Path] = append(entries[h.dir+h.Path], i)
		}
	}
	for _, inputs := range entries {
		for i, a := range inputs {
			for _, b := range inputs[i+1:] {
				one, other := l.held[a], l.held[b]
				if (changes[a] || changes[b]) && one.place() != other.place() && one.Meta.overlaps(other.Meta) {
					return fmt.Errorf("%s and %s share elements in another shape or order, and training would change only one "+
						"of them: compute one in forward from the other, as by a slice or a transpose", one.name, other.name)
				}
			}
		}
	}
	return nil
}

// changes returns the inputs that training changes: trained ones, and buffers that get a new value, are written in
// place or are running moments.
func (l *loader) changes() map[int]bool {
	written := map[int]bool{} // slots
	for _, n := range l.t.out.Nodes {
		for _, a := range n.Args {
			if a.Value.Kind == torch.GraphTensor && (a.Name == "running_mean" || a.Name == "running_var" || a.Name == "self" &&
				strings.HasSuffix(n.Op, "_")) {
				written[a.Value.Int] = true
			}
		}
	}
	out := map[int]bool{}
	for i, h := range l.held {
		out[i] = h.IsParam && h.Meta.RequiresGrad || h.buffer && written[l.t.out.Inputs[i].Slot]
	}
	for _, u := range l.t.out.Updates {
		out[u.Input] = true
	}
	return out
}

// roles returns the roles of the trained inputs. Scale and shift are read by a normalisation; other parameters of one
// dimension are biases.
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
