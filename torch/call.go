package torch

import (
	"fmt"
	"strings"
)

// Call runs any operation of libtorch's dispatcher by name, such as "aten::cumsum" or, with an overload,
// "aten::pow.Tensor_Scalar", and returns its first result. The call is differentiable. Arguments follow the order of
// the operation's schema (https://pytorch.org/docs/stable/ir.html); missing ones at the end have their defaults.
// Their types are Tensor, []Tensor, int, []int, float64, []float64, bool, string, or nil for None. A *Generator is
// not an argument: the operation draws from it.
//
// An in-place operation changes and returns a copy. Each call looks the operation up, so use a [Program] for a graph
// that runs often. Panics with an *Error if the operation is unknown or an argument does not match its schema.
func Call(op string, args ...any) Tensor {
	name, overload, _ := strings.Cut(op, ".")
	c := caller{op: op}
	node := GraphNode{Name: op, Op: name, Overload: overload}
	for _, arg := range args {
		if g, ok := arg.(*Generator); ok {
			c.stream = g
			continue
		}
		node.Args = append(node.Args, GraphArgument{Value: c.value(arg)})
	}
	result := len(c.inputs)
	node.Outputs = []int{result}
	g := Graph{Slots: result + 1, Nodes: []GraphNode{node}, Outputs: []int{result}}
	for i := range c.inputs {
		g.Inputs = append(g.Inputs, GraphInput{Slot: i})
	}
	p, err := NewProgram(g)
	if err != nil {
		panic(err)
	}
	return p.Run(c.inputs, true, c.stream)[0]
}

// caller collects the arguments of a Call.
type caller struct {
	op     string
	inputs []Tensor
	stream *Generator
}

func (c *caller) value(arg any) GraphValue {
	switch v := arg.(type) {
	case nil:
		return GraphValue{}
	case Tensor:
		c.inputs = append(c.inputs, v)
		return GraphValue{Kind: GraphTensor, Int: len(c.inputs) - 1}
	case []Tensor:
		return listOf(v, c.value)
	case []int:
		return listOf(v, c.value)
	case []float64:
		return listOf(v, c.value)
	case int:
		return GraphValue{Kind: GraphInt, Int: v}
	case float64:
		return GraphValue{Kind: GraphFloat, Float: v}
	case bool:
		return GraphValue{Kind: GraphBool, Int: int(flag(v))}
	case string:
		return GraphValue{Kind: GraphText, Text: v}
	}
	raise(c.op, Value, fmt.Sprintf("an argument of type %T: want a Tensor, int, float64, bool, string, a list or nil",
		arg))
	return GraphValue{}
}

func listOf[E any](values []E, of func(any) GraphValue) GraphValue {
	list := GraphValue{Kind: GraphList}
	for _, v := range values {
		list.Items = append(list.Items, of(v))
	}
	return list
}
