package torch

// #include "loader.h"
import "C"

import "os"

// AllowTF32 lets float32 matrix products on a GPU, and separately cuDNN's convolutions and recurrent layers, round
// their operands to 10 bits of mantissa, for the whole process. As in PyTorch, the default is false for products and
// true for cuDNN.
func AllowTF32(products, cudnn bool) {
	setFlag(0, products)
	setFlag(2, cudnn)
}

// Deterministic makes libtorch and cuDNN choose kernels that give the same bits each time, for the whole process;
// operations without such a kernel fail. It sets CUBLAS_WORKSPACE_CONFIG for cuBLAS unless that is set, so call it
// before the first product on a GPU.
func Deterministic(on bool) {
	const workspace = "CUBLAS_WORKSPACE_CONFIG"
	if _, set := os.LookupEnv(workspace); on && !set {
		// In a cgo program Setenv also sets C's variable. It cannot fail for a name and a value without zero bytes.
		_ = os.Setenv(workspace, ":4096:8")
	}
	setFlag(1, on)
}

func setFlag(which int, on bool) {
	mustOpen("set_flag")
	check("set_flag", C.lt_set_flag(C.int32_t(which), flag(on)))
}
