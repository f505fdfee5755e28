package export

import (
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// windows are the beginnings of the names of operations that move a window over images, or make
// images larger. Some of libtorch's kernels compute the places of a window in 32 bits, and read
// and write beyond their tensors where these overflow.
var windows = []string{
	"adaptive_", "_adaptive_", "avg_pool", "max_pool", "col2im", "im2col", "unfold", "conv",
	"constant_pad_nd", "pad", "reflection_pad", "replication_pad", "pixel_", "upsample_", "_upsample_",
}

const (
	maxWindow = 1 << 20 // of sizes, strides, paddings and dilations
	maxReach  = 1 << 30 // of a size times a dilation
)

// steps are operations that do as many steps as a number says, however small their tensors are, with the
// most that a file may ask for.
var steps = map[string]int{"matrix_power": 1 << 20, "tensor_split": 1 << 12}

// checkSteps returns an error if an operation would not end, or take all memory, or if that
// is not known before the network runs.
func checkSteps(op string, args []torch.GraphArgument) error {
	most, ok := steps[op]
	if !ok {
		return nil
	}
	for _, a := range args {
		if a.Name == "dim" || a.Name == "indices" {
			continue
		}
		for _, n := range append([]torch.GraphValue{a.Value}, a.Value.Items...) {
			switch {
			case n.Kind == torch.GraphSymbol:
				return fmt.Errorf("argument %s depends on the batch: the steps of an operation are to be known before", a.Name)
			case n.Kind == torch.GraphInt && (n.Int < -most || n.Int > most):
				return fmt.Errorf("argument %s: %d is not in [-%d, %d]", a.Name, n.Int, most, most)
			}
		}
	}
	return nil
}

// checkWindow returns an error if a number of a window is too large, or is not known before the
// network runs.
func checkWindow(op string, args []torch.GraphArgument) error {
	is := false
	for _, prefix := range windows {
		is = is || strings.HasPrefix(op, prefix)
	}
	if !is {
		return nil
	}
	kernel, dilation := 1, 1
	for _, a := range args {
		numbers := []torch.GraphValue{a.Value}
		if a.Value.Kind == torch.GraphList {
			numbers = a.Value.Items
		}
		for _, n := range numbers {
			switch {
			case n.Kind == torch.GraphSymbol:
				return fmt.Errorf("argument %s depends on the batch: the window of an operation is to be known before", a.Name)
			case n.Kind != torch.GraphInt:
				continue
			case n.Int < -maxWindow || n.Int > maxWindow:
				return fmt.Errorf("argument %s: %d is not in [-%d, %d]", a.Name, n.Int, maxWindow, maxWindow)
			case a.Name == "kernel_size":
				kernel = max(kernel, n.Int)
			case a.Name == "dilation":
				dilation = max(dilation, n.Int)
			}
		}
	}
	if kernel*dilation > maxReach {
		return fmt.Errorf("a window of size %d with dilation %d is wider than %d", kernel, dilation, maxReach)
	}
	return nil
}
