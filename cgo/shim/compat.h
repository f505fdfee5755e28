// What differs between the libtorch releases of the supported range (2.8 and
// later). Nothing else in the shim asks for a version.
#pragma once

#include <ATen/Context.h>
#include <torch/headeronly/version.h>

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 8)
#error "losscorr needs libtorch 2.8 or later"
#endif

namespace lt {

inline void allow_tf32(bool on) {
  at::globalContext().setAllowTF32CuBLAS(on);
  at::globalContext().setAllowTF32CuDNN(on);
}

}  // namespace lt
