package torch

// #include "loader.h"
import "C"

import "os"

// AllowTF32 lets float32 matrix products and, apart from them, cuDNN's convolutions and
// recurrent layers on a GPU round their operands to 10 bits of mantissa, for the whole
// process. At first products may not and cuDNN may, as in PyTorch.
func AllowTF32(products, cudnn bool) {
	setFlag(0, products)
	setFlag(2, cudnn)
}

// Deterministic has libtorch and cuDNN choose kernels that give the same bits each time,
// and makes operations that have none fail, for the whole process. cuBLAS needs
// CUBLAS_WORKSPACE_CONFIG for it, which is set here unless it is: call this before the
// first product on a GPU.
func Deterministic(on bool) {
	const workspace = "CUBLAS_WORKSPACE_CONFIG"
	if _, set := os.LookupEnv(workspace); on && !set {
		// Setenv of a cgo program sets C's variable too; a name and a value without
		// zero bytes cannot fail.
		_ = os.Setenv(workspace, ":4096:8")
	}
	setFlag(1, on)
}

func setFlag(which int, on bool) {
	mustOpen("set_flag")
	check("set_flag", C.lt_set_flag(C.int32_t(which), flag(on)))
}
