package export

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// x.permute(1, 0).contiguous().view(6), as torch.export writes it: clone with the format 1,
// contiguous, of torch/_export/serde/schema.py. With 4, preserve, the view is an error.
func TestMemoryFormats(t *testing.T) {
	defer torchtest.Scoped(t)()
	for format, fits := range map[int]bool{1: true, 4: false} {
		var u union
		expect.OK(t, json.Unmarshal(fmt.Appendf(nil, `{"as_memory_format": %d}`, format), &u))
		value := expect.Got((&translator{}).value(u))(t)
		numbers := func(all ...int) torch.GraphValue {
			list := torch.GraphValue{Kind: torch.GraphList}
			for _, i := range all {
				list.Items = append(list.Items, whole(i))
			}
			return list
		}
		node := func(op string, in, out int, name string, v torch.GraphValue) torch.GraphNode {
			return torch.GraphNode{Name: op, Op: "aten::" + op, Outputs: []int{out}, Args: []torch.GraphArgument{
				{Name: "self", Value: torch.GraphValue{Kind: torch.GraphTensor, Int: in}}, {Name: name, Value: v},
			}}
		}
		p, err := torch.NewProgram(torch.Graph{Slots: 4, Inputs: []torch.GraphInput{{Slot: 0}}, Outputs: []int{3},
			Nodes: []torch.GraphNode{
				node("permute", 0, 1, "dims", numbers(1, 0)), node("clone", 1, 2, "memory_format", value),
				node("view", 2, 3, "size", numbers(6)),
			}})
		expect.OK(t, err)
		torch.Scope(func() {
			err = torch.Try(func() error {
				out := p.Run([]torch.Tensor{torch.Arange(0, 6, 1, torch.Options{}).Reshape(2, 3)}, false, nil)
				torchtest.Close(t, "view", out[0], []float64{0, 3, 1, 4, 2, 5}, 0)
				return nil
			})
		})
		expect.Same(t, fits, err == nil, fmt.Sprint(format, err))
	}
}
