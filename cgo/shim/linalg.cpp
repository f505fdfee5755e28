// Products and decompositions.

#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_slogdet.h>
#include <ATen/ops/linalg_solve.h>

#include "shim.h"

using namespace lt;

#define PRODUCT(name)                                             \
  lt_error* lt_##name(lt_tensor t, lt_tensor u, lt_tensor* out) { \
    return guard([&] { *out = put(get(t).name(get(u))); });       \
  }
PRODUCT(mm)
PRODUCT(bmm)
#undef PRODUCT

lt_error* lt_inverse(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(at::linalg_inv(get(t))); });
}

lt_error* lt_slogdet(lt_tensor t, lt_tensor* sign, lt_tensor* logabs) {
  return guard([&] {
    auto [s, l] = at::linalg_slogdet(get(t));
    *sign = put(s);
    *logabs = put(l);
  });
}

lt_error* lt_solve(lt_tensor t, lt_tensor u, lt_tensor* out) {
  return guard([&] { *out = put(at::linalg_solve(get(t), get(u))); });
}

