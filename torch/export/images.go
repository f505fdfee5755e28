package export

import (
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// Operations whose result, or whose error, depends on how their operand lies in memory, and those
// that return a view of their operand in one layout and a copy in another.
var (
	byLayout = map[string]bool{"view_as": true, "view_as_complex": true, "sym_stride": true}
	maybe    = map[string]bool{"view": true, "reshape": true, "reshape_as": true, "flatten": true, "unflatten": true,
		"ravel": true, "contiguous": true}
)

// kernels are the slots of the weights of a network's convolutions, if its examples are images that
// may lie with channels innermost, as libtorch's and cuDNN's faster kernels for convolutions,
// normalisation and pooling want them. A network that writes in place through a view, or to what it
// has a view of, keeps the layout of its export where that view may be a copy in the other one.
func (l *loader) kernels() map[int]bool {
	if len(l.p.Input.Shape) != 4 {
		return nil
	}
	kernels, viewed := map[int]bool{}, map[int]bool{}
	for _, n := range l.t.out.Nodes {
		op := strings.TrimPrefix(n.Op, "aten::")
		for _, a := range n.Args {
			if a.Value.Kind != torch.GraphTensor {
				continue
			}
			switch {
			case byLayout[op], a.Name == "self" && strings.HasSuffix(op, "_") && viewed[a.Value.Int]:
				return nil
			case maybe[op]:
				viewed[a.Value.Int] = true
				for _, slot := range n.Outputs {
					viewed[slot] = true
				}
			case a.Name == "weight" && (op == "conv2d" || op == "convolution"):
				kernels[a.Value.Int] = true
			}
		}
	}
	return kernels
}
