package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Options configure Load. The zero value is the CPU.
type Options struct {
	Device torch.Device // of parameters, buffers, constants and new tensors
}

// Program is a network that Python exported, an nn.Module. In training its dropout and other random operations draw
// from the mode's stream, and batch norm uses the batch's moments and updates its buffers; in evaluation nothing is
// drawn or changed.
type Program struct {
	Description

	program *torch.Program
	inputs  []torch.Tensor // in the order of the graph; the input for examples is undefined
	user    int
	images  bool // examples are laid out with channels innermost
	params  []nn.Parameter
}

// Description describes the network in a file.
type Description struct {
	Input   Input
	Outputs []int  // shape of the output, -1 where it depends on the batch
	Torch   string // the release that wrote the file
	// Warnings lists parts of training that the file lacks, such as a dropout that is missing because the network was
	// exported in evaluation mode.
	Warnings []string
}

// Input describes the input of a network.
type Input struct {
	Shape    []int // -1: any size; the first is the batch
	DType    torch.DType
	MaxBatch int // 0: no limit
	Words    int // rows of the smallest embedding that takes the input as it is; 0 without one
}

// Load reads a file of Python's torch.export.save. The network's tensors belong to the current scope.
//
// It is an error if the file is damaged or has another format, if weights are pickled, if the batch size is fixed, if
// the program has more than one input or output, or if this libtorch lacks an operation. The error says what to do.
func Load(path string, o Options) (p *Program, err error) {
	defer guard.Wrap(&err, "load %s", path)
	a, err := openArchive(path)
	if err != nil {
		return nil, err
	}
	defer a.close()
	l, err := newLoader(a, o)
	if err != nil {
		return nil, err
	}
	if l.p.program, err = torch.NewProgram(l.t.out); err != nil {
		return nil, err
	}
	if err := torch.Try(l.tensors); err != nil {
		return nil, err
	}
	return l.p, nil
}

// Describe reads the description of a network without its weights and without libtorch. It reports the errors of
// Load, except errors in weights and operations that libtorch lacks.
func Describe(path string) (d *Description, err error) {
	defer guard.Wrap(&err, "load %s", path)
	a, err := openArchive(path)
	if err != nil {
		return nil, err
	}
	defer a.close()
	l, err := newLoader(a, Options{})
	if err != nil {
		return nil, err
	}
	return &l.p.Description, nil
}

// Forward computes the output for examples x of Input's shape, converted to its dtype. Panics with *torch.Error on
// another shape.
func (p *Program) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	p.check(x)
	if x.DType() != p.Input.DType {
		x = x.ToDType(p.Input.DType)
	}
	if p.images {
		x = x.ChannelsLast()
	}
	inputs := slices.Clone(p.inputs)
	inputs[p.user] = x
	return p.program.Run(inputs, mode.Training, mode.Dropout)[0]
}

func (p *Program) check(x torch.Tensor) {
	shape := x.Shape()
	fits := len(shape) == len(p.Input.Shape)
	for i := range shape {
		fits = fits && (p.Input.Shape[i] < 0 || shape[i] == p.Input.Shape[i])
	}
	if !fits {
		panic(&torch.Error{Op: "exported network", Kind: torch.Shape, Msg: fmt.Sprintf("examples %v, it was exported for %s",
			shape, p.Input)})
	}
	if p.Input.MaxBatch > 0 && shape[0] > p.Input.MaxBatch {
		panic(&torch.Error{Op: "exported network", Kind: torch.Shape, Msg: fmt.Sprintf("a batch of %d, it was exported for "+
			"%d at most: take a smaller one, or export it with torch.export.Dim(\"batch\") without a maximum", shape[0],
			p.Input.MaxBatch)})
	}
}

// String returns the shape and dtype, such as "[batch 3 32 32] float32".
func (in Input) String() string { return fmt.Sprintf("%s %v", ShapeString(in.Shape), in.DType) }

// ShapeString writes a shape whose first size is the batch, such as "[batch 10]".
func ShapeString(shape []int) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		switch {
		case i == 0:
			parts[i] = "batch"
		case n < 0:
			parts[i] = "any"
		default:
			parts[i] = fmt.Sprint(n)
		}
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Parameters lists parameters and buffers under the names of Python's state_dict, so that load_state_dict accepts
// them. Frozen parameters (requires_grad=False) have the role of buffers, which training leaves alone.
func (p *Program) Parameters() []nn.Parameter { return slices.Clone(p.params) }
