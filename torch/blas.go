package torch

// #include <stdlib.h>
// #include "loader.h"
import "C"

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/losscorr/losscorr/torch/libtorch"
)

// BLASVariable names the variable that says which library computes products of float32
// matrices on the CPU: libtorch (its own, also if it is not set), openblas (that of
// losscorr setup --openblas), or a path.
const BLASVariable = "LOSSCORR_BLAS"

// chooseBLAS has the library of BLASVariable compute products.
func chooseBLAS() error {
	switch wish := os.Getenv(BLASVariable); wish {
	case "", "libtorch":
		return nil
	case "openblas":
		path, there, err := libtorch.CachedOpenBLAS()
		switch {
		case err != nil:
			return fmt.Errorf("%s=%s: %w", BLASVariable, wish, err)
		case !there:
			return fmt.Errorf("%s=%s: no %s: fetch it with losscorr setup --openblas", BLASVariable, wish, path)
		}
		return useBLAS(path)
	default:
		if err := useBLAS(wish); err != nil {
			return fmt.Errorf("%s: %w: name libtorch, openblas or the path of a library", BLASVariable, err)
		}
		return nil
	}
}

// useBLAS has a library compute products.
func useBLAS(path string) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return Try(func() error {
		check("use_blas", C.lt_use_blas(p))
		return nil
	})
}
