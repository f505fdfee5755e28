package nn

import (
	"strconv"

	"github.com/losscorr/losscorr/torch"
)

// Sequential feeds each layer's output to the next.
type Sequential struct{ children []named }

type named struct {
	Module
	name string
}

// Named gives a layer of a Sequential a name instead of its number.
func Named(name string, layer Module) Module { return named{layer, name} }

// NewSequential chains layers. Their parameters are named "0.weight" and so on,
// by position, as in PyTorch; layers wrapped by Named use that name. Panics if
// two have the same name.
func NewSequential(layers ...Module) *Sequential {
	s := &Sequential{}
	seen := map[string]bool{}
	for i, layer := range layers {
		child, ok := layer.(named)
		if !ok {
			child = named{layer, strconv.Itoa(i)}
		}
		if seen[child.name] {
			panic(&torch.Error{Op: "sequential", Kind: torch.Value, Msg: "two layers are named " + strconv.Quote(child.name)})
		}
		seen[child.name] = true
		s.children = append(s.children, child)
	}
	return s
}

// Forward runs the layers in order. It fuses ReLU with a following Dropout, and BatchNorm with a following ReLU.
func (s *Sequential) Forward(x torch.Tensor, mode Mode) torch.Tensor {
	for i := 0; i < len(s.children); i++ {
		layer := s.children[i].Module
		if i+1 < len(s.children) {
			if both := fused(layer, s.children[i+1].Module); both != nil {
				layer = both
				i++
			}
		}
		x = layer.Forward(x, mode)
	}
	return x
}

// fused returns one layer in place of a followed by b, or nil.
func fused(a, b Module) Module {
	switch a := a.(type) {
	case ReLU:
		if dropout, ok := b.(Dropout); ok {
			return reluDropout{dropout}
		}
	case *BatchNorm:
		if _, ok := b.(ReLU); ok {
			return batchNormReLU{a}
		}
	}
	return nil
}

// Parameters lists the parameters of all layers, prefixed with the layer's name and a dot.
func (s *Sequential) Parameters() []Parameter {
	var params []Parameter
	for _, child := range s.children {
		params = append(params, Prefix(child.name, child.Module)...)
	}
	return params
}
