// Element by element.

#include <ATen/ops/maximum.h>

#include <cmath>

#include "shim.h"

using namespace lt;

#define UNARY(name)                                   \
  lt_error* lt_##name(lt_tensor t, lt_tensor* out) {  \
    return guard([&] { *out = put(get(t).name()); }); \
  }
UNARY(neg)
UNARY(abs)
UNARY(exp)
UNARY(log)
UNARY(log1p)
UNARY(sqrt)
UNARY(square)
UNARY(sigmoid)
UNARY(relu)
#undef UNARY

// scalar_for keeps an integer tensor's dtype when the scalar is a whole number, as
// Python's int would. What int64 does not hold, infinity too, is a float, as in Python.
static at::Scalar scalar_for(const at::Tensor& t, double s) {
  const bool fits = s >= -0x1p63 && s < 0x1p63;
  if (fits && c10::isIntegralType(t.scalar_type(), true) && s == std::trunc(s)) return static_cast<int64_t>(s);
  return s;
}

lt_error* lt_clamp(lt_tensor t, double low, double high, lt_tensor* out) {
  return guard([&] {
    const at::Tensor& x = get(t);
    auto bound = [&](double v) { return std::isnan(v) ? std::nullopt : std::make_optional<at::Scalar>(scalar_for(x, v)); };
    *out = put(x.clamp(bound(low), bound(high)));
  });
}

#define BINARY(name)                                              \
  lt_error* lt_##name(lt_tensor t, lt_tensor u, lt_tensor* out) { \
    return guard([&] { *out = put(get(t).name(get(u))); });       \
  }
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(maximum)
BINARY(eq)
BINARY(ne)
#undef BINARY

#define SCALAR(name)                                                                 \
  lt_error* lt_##name##_scalar(lt_tensor t, double s, lt_tensor* out) {              \
    return guard([&] { *out = put(get(t).name(scalar_for(get(t), s))); });           \
  }
SCALAR(add)
SCALAR(mul)
SCALAR(div)
SCALAR(eq)
SCALAR(ne)
#undef SCALAR

lt_error* lt_add_(lt_tensor t, lt_tensor u, double alpha) {
  return guard([&] { get(t).add_(get(u), scalar_for(get(t), alpha)); });
}

lt_error* lt_mul_scalar_(lt_tensor t, double s) {
  return guard([&] { get(t).mul_(scalar_for(get(t), s)); });
}
