package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// translator turns a file's graph into one for libtorch's dispatcher.
type translator struct {
	graph   graph
	device  torch.Device
	slots   map[string]int
	out     torch.Graph
	follows func(n node, a namedArgument) bool // whether a train flag follows the mode
}

func (t *translator) slot(name string) int {
	s, known := t.slots[name]
	if !known {
		s = len(t.slots)
		t.slots[name] = s
	}
	return s
}

// without lists nodes that compute nothing: Python's checks of sizes and types.
var without = []string{
	"torch.ops.aten._assert_scalar.", "torch.ops.aten._assert_tensor_metadata.", "torch.ops.aten.sym_constrain_range",
	"torch.ops.aten._assert_async.",
}

func (t *translator) node(n node) error {
	if slices.ContainsFunc(without, func(prefix string) bool { return strings.HasPrefix(n.Target, prefix) }) {
		return nil
	}
	out := torch.GraphNode{Name: n.describe()}
	switch parts := strings.Split(n.Target, "."); {
	case strings.HasPrefix(n.Target, "torch.ops.higher_order."):
		return fmt.Errorf("node %s: %s, control flow or a block with other modes inside forward, is not supported: write "+
			"the network without torch.cond, loops of torch and torch.no_grad", out.Name, n.Target)
	case len(parts) == 5 && strings.HasPrefix(n.Target, "torch.ops."):
		if err := mayCall(parts[2], parts[3], parts[4]); err != nil {
			return fmt.Errorf("node %s: %w", out.Name, err)
		}
		out.Op, out.Overload = parts[2]+"::"+parts[3], parts[4]
		if out.Overload == "default" {
			out.Overload = ""
		}
	default:
		out.Op, out.Scalar = n.Target, true
	}
	for _, a := range n.Inputs {
		v, err := t.value(a.Arg)
		if err != nil {
			return fmt.Errorf("node %s: argument %s: %w", out.Name, a.Name, err)
		}
		if t.follows(n, a) {
			v = torch.GraphValue{Kind: torch.GraphMode}
		}
		out.Args = append(out.Args, torch.GraphArgument{Name: a.Name, Value: v})
	}
	t.place(n, &out)
	t.viewOrCopy(&out)
	for _, result := range n.Outputs {
		slots, list, err := t.results(result)
		if err != nil {
			return fmt.Errorf("node %s: %w", out.Name, err)
		}
		out.Outputs, out.List = append(out.Outputs, slots...), list
	}
	t.out.Nodes = append(t.out.Nodes, out)
	return nil
}

// place puts new tensors of a node on the run's device, because Python omits the device if it is the CPU.
func (t *translator) place(n node, out *torch.GraphNode) {
	if out.Scalar || t.device == torch.CPU || !factories[strings.TrimPrefix(out.Op, "aten::")] {
		return
	}
	given := func(a namedArgument) bool { return a.Name == "device" && a.Arg.kind != "as_none" }
	if !slices.ContainsFunc(n.Inputs, given) {
		out.Args = append(out.Args, torch.GraphArgument{Name: "device", Value: t.here()})
	}
}

// viewOrCopy lets a view copy if its operand has another layout than in the export, as images have and the result of
// a GPU's attention may have. Python would refuse it.
func (t *translator) viewOrCopy(out *torch.GraphNode) {
	if out.Scalar || out.Op != "aten::view" {
		return
	}
	out.Op = "aten::reshape"
	for i, a := range out.Args {
		if a.Name == "size" {
			out.Args[i].Name = "shape"
		}
	}
}

var factories = map[string]bool{
	"empty": true, "zeros": true, "ones": true, "full": true, "arange": true, "linspace": true, "logspace": true,
	"eye":  true,
	"rand": true, "randn": true, "scalar_tensor": true, "tril_indices": true, "triu_indices": true,
}

func (t *translator) here() torch.GraphValue {
	return torch.GraphValue{Kind: torch.GraphDevice, Int: int(t.device)}
}

// results returns the slots of one output; list is true for a list of tensors.
func (t *translator) results(u union) (slots []int, list bool, err error) {
	switch u.kind {
	case "as_none":
		return []int{-1}, false, nil
	case "as_tensor":
		name, ok := u.tensorName()
		if !ok {
			return nil, false, fmt.Errorf("an output without a name")
		}
		return []int{t.slot(name)}, false, nil
	case "as_optional_tensor":
		var inner union
		if err := u.into(&inner); err != nil {
			return nil, false, err
		}
		return t.results(inner)
	case "as_tensors":
		var list []reference
		if err := u.into(&list); err != nil {
			return nil, false, err
		}
		for _, r := range list {
			slots = append(slots, t.slot(r.Name))
		}
		return slots, true, nil
	case "as_sym_int", "as_sym_bool", "as_sym_float":
		var s struct {
			Name *string `json:"as_name"`
		}
		if err := u.into(&s); err != nil {
			return nil, false, err
		}
		if s.Name == nil {
			return []int{-1}, false, nil // its value is known without the node
		}
		return []int{t.slot(*s.Name)}, false, nil
	}
	return nil, false, fmt.Errorf("an output of kind %s is not supported", u.kind)
}

// describe names a node for messages, with the line of Python behind it.
func (n node) describe() string {
	name := n.Name
	if name == "" && len(n.Outputs) > 0 {
		name, _ = n.Outputs[0].tensorName()
	}
	what := strings.TrimPrefix(n.Target, "torch.ops.")
	if line := lastLine(n.Metadata["stack_trace"]); line != "" {
		return fmt.Sprintf("%s (%s; %s)", name, what, line)
	}
	return fmt.Sprintf("%s (%s)", name, what)
}

// lastLine returns the innermost line of a Python trace outside of torch.
func lastLine(trace string) string {
	best := ""
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		rest, found := strings.CutPrefix(line, "File \"")
		if !found {
			continue
		}
		file, rest, _ := strings.Cut(rest, "\", line ")
		number, _, _ := strings.Cut(rest, ",")
		if best == "" || !strings.Contains(file, "-packages/torch/") {
			best = file[strings.LastIndexByte(file, '/')+1:] + ":" + number
		}
	}
	return best
}
