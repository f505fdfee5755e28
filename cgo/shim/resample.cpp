// Images in another height and width.

#include <ATen/ops/upsample_bilinear2d.h>

#include "shim.h"

using namespace lt;

lt_error* lt_upsample_bilinear2d(lt_tensor t, int64_t height, int64_t width, lt_tensor* out) {
  return guard([&] { *out = put(at::upsample_bilinear2d(get(t), {height, width}, false)); });
}
