package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// Options says how a network is loaded. The zero value is the CPU.
type Options struct {
	Device torch.Device // of parameters, buffers and constants, and of what the graph makes
}

// Program is a network that Python exported: an nn.Module. In training its dropout
// and its other random operations draw from the mode's stream, batch norm uses the
// batch's moments and its buffers change; in evaluation none of this happens.
type Program struct {
	Description

	program *torch.Program
	inputs  []torch.Tensor // in the order of the graph; that of the examples is undefined
	user    int
	images  bool // examples are laid out with channels innermost
	params  []nn.Parameter
}

// Description is what a file says of its network.
type Description struct {
	Input   Input
	Outputs []int  // shape of the output, -1 where it depends on the batch
	Torch   string // the release that wrote the file
	// Warnings says what of training the file cannot do, such as a dropout that
	// was left out because the network was exported in evaluation mode.
	Warnings []string
}

// Input is what a network takes.
type Input struct {
	Shape    []int // -1: any size; the first is the batch
	DType    torch.DType
	MaxBatch int // 0: no limit
	Words    int // rows of the smallest embedding that takes the input as it is; 0 without one
}

// Load reads a file of Python's torch.export.save. The network's tensors, with the
// weights in the file, belong to the current scope.
//
// It fails with one error that says what is wrong and what to do: for a file of
// another format or a damaged one, weights by pickle, a batch of fixed size, more
// than one input or output, operations that this libtorch lacks.
func Load(path string, o Options) (*Program, error) {
	var p *Program
	err := torch.Try(func() (err error) {
		p, err = load(path, o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	return p, nil
}

func load(path string, o Options) (*Program, error) {
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
	return l.p, l.tensors()
}

// Describe reads what a network takes and returns, without its weights and without
// libtorch. It reports the same errors as Load, except those of weights and of operations
// that libtorch does not have.
func Describe(path string) (*Description, error) {
	a, err := openArchive(path)
	if err == nil {
		defer a.close()
		var l *loader
		if l, err = newLoader(a, Options{}); err == nil {
			return &l.p.Description, nil
		}
	}
	return nil, fmt.Errorf("load %s: %w", path, err)
}

// Forward computes the output for examples x of the shape and dtype of Input; other
// dtypes are converted. Panics with *torch.Error on another shape.
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

// String is the shape and dtype, such as "[batch 3 32 32] float32".
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

// Parameters lists parameters and buffers under the names of Python's state_dict,
// so that load_state_dict takes what is saved of them. Frozen parameters
// (requires_grad=False) have the role of buffers, which training leaves alone.
func (p *Program) Parameters() []nn.Parameter { return slices.Clone(p.params) }
