package export

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// loader assembles a Program.
type loader struct {
	a                  *archive
	file               exportedProgram
	weights, constants map[string]payload
	t                  translator
	p                  *Program
	held               []held // in the order of the graph's inputs
}

// held is a tensor in the file.
type held struct {
	name string // in state_dict, or the constant's name
	dir  string
	payload
	buffer bool // changed by training
	saved  bool // part of state_dict
}

// newLoader reads everything but weights, to report errors that do not need them first.
func newLoader(a *archive, o Options) (*loader, error) {
	l := &loader{a: a, p: &Program{user: -1}}
	if err := a.decode("models/model.json", &l.file); err != nil {
		return nil, err
	}
	if v := l.file.SchemaVersion; v.Major != schemaMajor {
		return nil, fmt.Errorf("its graph has schema version %d.%d (torch %s), only version %d is supported: export it with "+
			"torch 2.9 or later", v.Major, v.Minor, l.file.TorchVersion, schemaMajor)
	}
	l.p.Torch = l.file.TorchVersion
	var err error
	if l.weights, err = a.configOf(weightsDir, "model_weights_config.json"); err != nil {
		return nil, err
	}
	if l.constants, err = a.configOf(constantsDir, "model_constants_config.json"); err != nil {
		return nil, err
	}
	l.t = translator{graph: l.file.GraphModule.Graph, device: o.Device, slots: map[string]int{}}
	for _, part := range []func() error{l.oneDevice, l.signature, l.nodes, l.outputs} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// oneDevice returns an error for a graph on several devices, which cannot be moved to the run's device as a whole.
func (l *loader) oneDevice() error {
	first := map[string]string{}
	for name, meta := range l.t.graph.Tensors {
		first[meta.Device.String()] = name
	}
	for _, n := range l.t.graph.Nodes {
		for _, arg := range n.Inputs {
			var d deviceMeta
			if arg.Arg.kind == "as_device" && arg.Arg.into(&d) == nil {
				if d.Type != "cpu" && d.Index == nil {
					d.Index = new(int)
				}
				first[d.String()] = n.describe()
			}
		}
	}
	if len(first) > 1 {
		names := slices.Sorted(maps.Keys(first))
		return fmt.Errorf("the graph has values of several devices: %s (%s) and %s (%s). Export the network on the CPU: "+
			"model.cpu(), with an example on the CPU, and without .cuda() or device= inside forward",
			names[0], first[names[0]], names[1], first[names[1]])
	}
	return nil
}

func (l *loader) signature() error {
	for i, u := range l.file.GraphModule.Signature.Inputs {
		var spec inputSpec
		if err := u.into(&spec); err != nil {
			return fmt.Errorf("damaged: input %d: %w", i, err)
		}
		var arg struct {
			Name   string     `json:"name"`
			Tensor *reference `json:"as_tensor"`
		}
		if u.kind != "constant_input" {
			if err := (union{u.kind, spec.Arg}).into(&arg); err != nil {
				return fmt.Errorf("damaged: input %d: %w", i, err)
			}
		}
		switch u.kind {
		case "parameter":
			l.hold(arg.Name, held{name: spec.Parameter, dir: weightsDir, payload: l.weights[spec.Parameter], saved: true})
		case "buffer":
			h := held{name: spec.Buffer, dir: weightsDir, payload: l.weights[spec.Buffer], buffer: true, saved: true}
			if spec.Persistent != nil && !*spec.Persistent {
				h.dir, h.payload, h.saved = constantsDir, l.constants[spec.Buffer], false
			}
			l.hold(arg.Name, h)
		case "tensor_constant":
			l.hold(arg.Name, held{name: spec.Constant, dir: constantsDir, payload: l.constants[spec.Constant]})
		case "user_input":
			if arg.Tensor == nil {
				if strings.Contains(string(spec.Arg), "as_tensor") || strings.Contains(string(spec.Arg), "as_sym") {
					return errors.New("an input that is not one tensor: export a network whose forward takes the batch of examples " +
						"alone")
				}
				continue // a constant that was passed: the graph has it
			}
			if err := l.user(arg.Tensor.Name); err != nil {
				return err
			}
		case "constant_input", "token":
		default:
			return fmt.Errorf("an input of kind %s is not supported: export a network of plain tensors", u.kind)
		}
	}
	if l.p.user < 0 {
		return errors.New("the network takes no tensor: export one whose forward takes the batch of examples")
	}
	return nil
}

func (l *loader) hold(input string, h held) {
	l.t.out.Inputs = append(l.t.out.Inputs, torch.GraphInput{Slot: l.t.slot(input), Buffer: h.buffer})
	l.held = append(l.held, h)
}

// user records the input for examples.
func (l *loader) user(name string) error {
	if l.p.user >= 0 {
		return errors.New("more than one input: export a network whose forward takes only the batch of examples, for " +
			"instance one that makes masks itself")
	}
	l.p.user = len(l.held)
	l.hold(name, held{})
	meta := l.t.graph.Tensors[name]
	dtype, known := dtypes[meta.DType]
	if !known {
		return fmt.Errorf("input %s has elements of an unsupported type (number %d of the export schema)",
			name, meta.DType)
	}
	in := Input{DType: dtype, Shape: shapeOf(meta.Sizes), Words: l.words(name)}
	if len(in.Shape) == 0 || in.Shape[0] >= 0 {
		return fmt.Errorf("the graph is for the fixed shape %v of %s: export it with a dynamic batch, "+
			"torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim(\"batch\")},)), and an example x of two or "+
			"more", in.Shape, name)
	}
	if limit := l.file.Ranges[meta.Sizes[0].symbol()].Max; limit != nil {
		in.MaxBatch = *limit
	}
	l.p.Input = in
	return nil
}

// words returns the rows of the smallest embedding of the input, 0 if the input enters no embedding.
func (l *loader) words(input string) (rows int) {
	for _, n := range l.t.graph.Nodes {
		names := map[string]string{}
		for _, a := range n.Inputs {
			names[a.Name], _ = a.Arg.tensorName()
		}
		if n.Target != "torch.ops.aten.embedding.default" || names["indices"] != input {
			continue
		}
		if sizes := shapeOf(l.t.graph.Tensors[names["weight"]].Sizes); len(sizes) > 0 && sizes[0] > 0 &&
			(rows == 0 || sizes[0] < rows) {
			rows = sizes[0]
		}
	}
	return rows
}

// shapeOf returns sizes, -1 for symbolic ones.
func shapeOf(sizes []union) []int {
	shape := make([]int, len(sizes))
	for i, s := range sizes {
		n, ok := s.size()
		if !ok {
			n = -1
		}
		shape[i] = n
	}
	return shape
}

// flags are arguments that switch between training and evaluation.
var flags = map[string]bool{"train": true, "training": true, "use_input_stats": true}

// isFlag reports whether an argument is one of flags. Without running moments a normalisation uses the moments of its
// examples in either mode.
func isFlag(n node, a namedArgument) bool {
	return flags[a.Name] && a.Arg.kind == "as_bool" && !strings.HasSuffix(n.Target, ".no_stats") &&
		!slices.ContainsFunc(n.Inputs, func(b namedArgument) bool {
			return b.Name == "running_mean" && b.Arg.kind == "as_none"
		})
}

// nodes translates the graph. A set train flag follows the mode, and an unset one stays unset, because that layer was
// frozen. If none is set, the graph was exported in evaluation mode, and all flags follow the mode.
func (l *loader) nodes() error {
	set, unset := 0, 0
	for _, n := range l.t.graph.Nodes {
		for _, a := range n.Inputs {
			if isFlag(n, a) {
				if isTrue(a.Arg) {
					set++
				} else {
					unset++
				}
			}
		}
	}
	evaluation := set == 0 && unset > 0
	if evaluation {
		l.p.Warnings = append(l.p.Warnings, "the network was exported in evaluation mode: its dropout and batch norms "+
			"train all the same, "+
			"but dropout in attention, stochastic depth and the counts of batches are not in the graph; export it after "+
			"model.train()")
	}
	l.t.follows = func(n node, a namedArgument) bool {
		return isFlag(n, a) && (evaluation || isTrue(a.Arg))
	}
	for _, n := range l.t.graph.Nodes {
		if err := l.t.node(n); err != nil {
			return err
		}
	}
	return nil
}

func isTrue(u union) bool {
	var b bool
	return u.into(&b) == nil && b
}

func (l *loader) outputs() error {
	const alone = ": export a network whose forward returns only the logits"
	for i, u := range l.file.GraphModule.Signature.Outputs {
		var spec struct {
			Arg union `json:"arg"`
		}
		switch u.kind {
		case "user_output":
			if err := u.into(&spec); err != nil {
				return fmt.Errorf("damaged: output %d: %w", i, err)
			}
			if spec.Arg.kind == "as_none" {
				continue
			}
			name, ok := spec.Arg.tensorName()
			if !ok || len(l.t.out.Outputs) > 0 {
				return errors.New("more than one output, or one that is not a tensor" + alone)
			}
			slot, known := l.t.slots[name]
			if !known {
				return fmt.Errorf("damaged: nothing computes the output %q", name)
			}
			l.t.out.Outputs = append(l.t.out.Outputs, slot)
			l.p.Outputs = shapeOf(l.t.graph.Tensors[name].Sizes)
		case "buffer_mutation":
			if err := l.update(u); err != nil {
				return err
			}
		case "user_input_mutation", "token": // unused here
		default:
			return fmt.Errorf("an output of kind %s is not supported%s", u.kind, alone)
		}
	}
	if len(l.t.out.Outputs) == 0 {
		return errors.New("no output" + alone)
	}
	l.t.out.Slots = len(l.t.slots)
	return nil
}

// update makes training store a new value in a buffer.
func (l *loader) update(u union) error {
	var spec struct {
		Arg    reference `json:"arg"`
		Buffer string    `json:"buffer_name"`
	}
	if err := u.into(&spec); err != nil {
		return fmt.Errorf("damaged: an output: %w", err)
	}
	slot, known := l.t.slots[spec.Arg.Name]
	input := slices.IndexFunc(l.held, func(h held) bool { return h.buffer && h.name == spec.Buffer })
	if !known || input < 0 {
		return fmt.Errorf("damaged: buffer %q and its new value %q do not match", spec.Buffer, spec.Arg.Name)
	}
	if !l.held[input].saved {
		return fmt.Errorf("buffer %s changes in training but is not saved: register it with persistent=True", spec.Buffer)
	}
	l.t.out.Updates = append(l.t.out.Updates, torch.GraphUpdate{Input: input, Slot: slot})
	return nil
}
