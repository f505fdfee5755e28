// Images in another height and width.

#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_nearest2d.h>

#include "shim.h"

using namespace lt;

lt_error* lt_upsample2d(lt_tensor t, int32_t bilinear, int32_t align_corners, const int64_t* size, const double* factors, lt_tensor* out) {
  return guard([&] {
    at::OptionalIntArrayRef to;
    std::optional<at::ArrayRef<double>> by;
    if (size != nullptr) to = ints(size, 2);
    if (factors != nullptr) by = at::ArrayRef<double>(factors, 2);
    *out = put(bilinear != 0 ? at::upsample_bilinear2d(get(t), to, align_corners != 0, by) : at::upsample_nearest2d(get(t), to, by));
  });
}
