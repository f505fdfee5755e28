package nn

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// kernelSides is the height and width of a kernel. Panics with op unless one of
// the two is set.
func kernelSides(op string, square int, hw [2]int) (height, width int) {
	switch {
	case hw == [2]int{} && square > 0:
		return square, square
	case square == 0 && hw[0] > 0 && hw[1] > 0:
		return hw[0], hw[1]
	}
	panic(&torch.Error{Op: op, Kind: torch.Value, Msg: fmt.Sprintf("Kernel is %d and KernelHW %v: set one of them", square, hw)})
}
