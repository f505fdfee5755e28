package export

import (
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// Operations whose result or error depends on the memory layout of their operand, and operations that return a view
// in one layout and a copy in another.
var (
	byLayout = map[string]bool{"view_as": true, "view_as_complex": true, "sym_stride": true}
	maybe    = map[string]bool{"view": true, "reshape": true, "reshape_as": true, "flatten": true, "unflatten": true,
		"ravel": true, "contiguous": true}
)

// kernels returns the slots of a network's convolution weights if its examples are images that may be laid out with
// channels innermost, as the faster kernels of libtorch and cuDNN for convolutions, normalisation and pooling need. A
// network that writes in place through a view, or to a tensor with a view, keeps the layout of its export if that
// view might be a copy in the other layout.
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
