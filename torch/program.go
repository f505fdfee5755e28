package torch

// #include "loader.h"
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"
)

// Graph is a computation of libtorch's operations, each called by name, for [NewProgram]. Values are in slots,
// numbered from 0: an input or a node's output fills a slot, and later nodes read it.
type Graph struct {
	Slots   int
	Inputs  []GraphInput
	Nodes   []GraphNode // in the order of their computation
	Outputs []int       // slots of tensors
	Updates []GraphUpdate
}

// GraphInput is a tensor that each run takes.
type GraphInput struct {
	Slot   int
	Buffer bool // part of a network's state that only training changes
}

// GraphUpdate makes a training run copy the value of Slot into an input.
type GraphUpdate struct{ Input, Slot int }

// GraphNode calls one operation.
type GraphNode struct {
	Name     string // for error messages
	Op       string // in the dispatcher, such as "aten::conv2d", or a scalar function, such as "_operator.mul"
	Overload string // such as "Tensor"; may be empty
	Scalar   bool   // Op is a function of Python on numbers
	Args     []GraphArgument
	Outputs  []int // slots; -1 for an unused result
	List     bool  // the result is a list of tensors, which go to Outputs
}

// GraphArgument is a named argument of the operation's schema. Missing arguments have the schema's defaults.
type GraphArgument struct {
	Name  string
	Value GraphValue
}

// GraphValue is the value of an argument. The zero value stands for None.
type GraphValue struct {
	Kind  GraphKind
	Int   int // of GraphInt, GraphBool (0, 1) and GraphDevice; the slot of GraphTensor and GraphSymbol
	Float float64
	Text  string
	Items []GraphValue
}

// GraphKind is the kind of a GraphValue.
type GraphKind int64

// The kinds; shim/dispatch.h has the same numbers.
const (
	GraphNone   GraphKind = iota
	GraphTensor           // the tensor of a slot
	GraphInt              // also dtypes, layouts and memory formats, by libtorch's numbers
	GraphFloat
	GraphBool
	GraphText
	GraphDevice
	GraphSymbol // the number of a slot
	GraphMode   // whether the run is for training
	GraphList
)

// Program is a Graph ready to run, with each operation looked up once.
type Program struct {
	p     *C.lt_program
	graph Graph
}

// NewProgram prepares a graph. It is an error if libtorch lacks an operation, if arguments do not match a schema, or
// if an operation would draw from libtorch's global generator. The error is an *Error that names the node.
func NewProgram(g Graph) (*Program, error) {
	if err := Open(); err != nil {
		return nil, err
	}
	var w programWriter
	w.graph(g)
	p := &Program{graph: g}
	text := []byte(w.text)
	var failed C.int32_t
	err := Try(func() error {
		p.check(C.lt_program_new((*C.int64_t)(unsafe.Pointer(unsafe.SliceData(w.code))), C.int64_t(len(w.code)),
			(*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.int64_t(len(text)), &p.p, &failed), &failed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	runtime.AddCleanup(p, func(c *C.lt_program) { C.lt_program_free(c) }, p.p)
	return p, nil
}

// Run computes the outputs from the inputs, in the order of the graph. In training, random operations draw from
// stream, which may be nil if there are none. In evaluation a draw has the value of its mean, dropout does nothing,
// and inputs do not change. Panics with an *Error that names the node at fault.
func (p *Program) Run(inputs []Tensor, training bool, stream *Generator) []Tensor {
	out := make([]Tensor, len(p.graph.Outputs))
	in, n := handles(inputs)
	outs, nOuts := handles(out)
	var failed C.int32_t
	p.check(C.lt_program_run(p.p, in, n, flag(training), streamOf("program", 0, stream), outs, nOuts, &failed), &failed)
	runtime.KeepAlive(stream)
	runtime.KeepAlive(p)
	return out
}

func (p *Program) check(e *C.lt_error, failed *C.int32_t) {
	if e == nil {
		return
	}
	op := "program"
	if i := int(*failed); i >= 0 && i < len(p.graph.Nodes) {
		op = fmt.Sprintf("node %s", p.graph.Nodes[i].Name)
	}
	fail(op, e, nil)
}

// programWriter encodes a graph as whole numbers and one text, which C reads without pointers into Go's memory.
type programWriter struct {
	code []int64
	text string
}

func (w *programWriter) graph(g Graph) {
	w.ints(g.Slots, len(g.Inputs))
	for _, in := range g.Inputs {
		w.ints(in.Slot, int(flag(in.Buffer)))
	}
	w.ints(len(g.Nodes))
	for _, n := range g.Nodes {
		w.node(n)
	}
	w.ints(len(g.Outputs))
	w.ints(g.Outputs...)
	w.ints(len(g.Updates))
	for _, u := range g.Updates {
		w.ints(u.Input, u.Slot)
	}
}

func (w *programWriter) node(n GraphNode) {
	w.ints(int(flag(n.Scalar)))
	w.string(n.Op)
	w.string(n.Overload)
	w.ints(len(n.Args))
	for _, a := range n.Args {
		w.string(a.Name)
		w.value(a.Value)
	}
	w.ints(int(flag(n.List)), len(n.Outputs))
	w.ints(n.Outputs...)
}

func (w *programWriter) value(v GraphValue) {
	w.code = append(w.code, int64(v.Kind))
	switch v.Kind {
	case GraphNone, GraphMode:
	case GraphFloat:
		w.code = append(w.code, int64(math.Float64bits(v.Float)))
	case GraphText:
		w.string(v.Text)
	case GraphList:
		w.ints(len(v.Items))
		for _, item := range v.Items {
			w.value(item)
		}
	default:
		w.ints(v.Int)
	}
}

func (w *programWriter) ints(values ...int) {
	for _, v := range values {
		w.code = append(w.code, int64(v))
	}
}

func (w *programWriter) string(s string) {
	w.ints(len(w.text), len(s))
	w.text += s
}
