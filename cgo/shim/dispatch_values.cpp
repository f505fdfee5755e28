// Arguments of a graph's nodes, matched to the schemas of libtorch's operations, and arithmetic on
// symbolic sizes.

#include <ATen/ops/scalar_tensor.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "dispatch.h"
#include "shim.h"

namespace lt {

using c10::IValue;
using c10::TypeKind;

bool Value::constant() const {
  for (const Value& item : items)
    if (!item.constant()) return false;
  return kind != tensor && kind != symbol && kind != mode;
}

lt_generator* Frame::generator() const {
  TORCH_CHECK_VALUE(stream != nullptr, "this operation draws random numbers, but the run has no stream to draw from");
  return stream;
}

namespace {

// known returns the value of anything but a list; symbols and the mode depend on the run.
IValue known(const Value& v, const Frame* frame) {
  switch (v.kind) {
    case Value::none: return {};
    case Value::integer: return v.i;
    case Value::real: return v.f;
    case Value::boolean: return v.i != 0;
    case Value::text: return v.s;
    case Value::device: return device_of(static_cast<int32_t>(v.i));
    case Value::mode: return frame->training;
    case Value::symbol:
    case Value::tensor: return frame->slots[v.i];
    case Value::list: break;
  }
  TORCH_CHECK_TYPE(false, "expected a single value, got a list");
}

// integral converts x, which has no fraction, to an integer.
int64_t integral(double x) {
  TORCH_CHECK_VALUE(x >= -0x1p63 && x < 0x1p63, "expected a whole number of 64 bits, got ", x);
  return static_cast<int64_t>(x);
}

int64_t whole(const IValue& v) {
  if (v.isInt()) return v.toInt();
  if (v.isBool()) return v.toBool() ? 1 : 0;
  TORCH_CHECK_TYPE(v.isDouble() && v.toDouble() == std::floor(v.toDouble()), "expected a whole number");
  return integral(v.toDouble());
}

double real(const IValue& v) {
  if (v.isDouble()) return v.toDouble();
  return static_cast<double>(whole(v));
}

at::Tensor tensor_of(const IValue& v) {
  if (v.isNone()) return {};
  if (v.isTensor()) return v.toTensor();
  const at::Scalar s = v.toScalar();
  at::Tensor t = at::scalar_tensor(s, at::TensorOptions(s.type()));
  t.unsafeGetTensorImpl()->set_wrapped_number(true);  // so it does not decide a result's dtype
  return t;
}

template <class T, class F>
IValue list_of(const Value& v, std::optional<int32_t> n, const Frame* frame, const F& one) {
  c10::List<T> out;
  if (v.kind == Value::list) {
    out.reserve(v.items.size());
    for (const Value& item : v.items) out.push_back(one(known(item, frame)));
    return out;
  }
  IValue held = known(v, frame);  // another node's list, or one number for all
  if (held.isList()) return held;
  T single = one(held);
  for (int32_t i = 0; i < n.value_or(1); i++) out.push_back(single);
  return out;
}

IValue convert_list(const Value& v, const c10::Type& element, std::optional<int32_t> n, const Frame* frame) {
  switch (element.kind()) {
    case TypeKind::IntType:
    case TypeKind::SymIntType: return list_of<int64_t>(v, n, frame, whole);
    case TypeKind::FloatType: return list_of<double>(v, n, frame, real);
    case TypeKind::BoolType: return list_of<bool>(v, n, frame, [](const IValue& x) { return x.toBool(); });
    case TypeKind::StringType: return list_of<std::string>(v, n, frame, [](const IValue& x) { return x.toStringRef(); });
    case TypeKind::TensorType: return list_of<at::Tensor>(v, n, frame, tensor_of);
    case TypeKind::OptionalType:
      if (element.castRaw<c10::OptionalType>()->getElementType()->kind() == TypeKind::TensorType)
        return list_of<std::optional<at::Tensor>>(v, n, frame, [](const IValue& x) {
          return x.isNone() ? std::optional<at::Tensor>() : std::optional<at::Tensor>(tensor_of(x));
        });
      break;
    case TypeKind::NumberType: {
      c10::impl::GenericList out(c10::NumberType::get());
      for (const Value& item : v.items) out.push_back(known(item, frame));
      return out;
    }
    default: break;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(false, "arguments of type ", element.str(), "[] are not supported");
}

// n is the length of a list that a single number stands for.
IValue as_type(const Value& v, const c10::Type& type, std::optional<int32_t> n, const Frame* frame) {
  switch (type.kind()) {
    case TypeKind::OptionalType:
      if (v.kind == Value::none) return {};
      return as_type(v, *type.castRaw<c10::OptionalType>()->getElementType(), n, frame);
    case TypeKind::TensorType: return tensor_of(known(v, frame));
    case TypeKind::IntType:
    case TypeKind::SymIntType: return whole(known(v, frame));
    case TypeKind::FloatType: return real(known(v, frame));
    case TypeKind::BoolType: return known(v, frame).toBool();
    case TypeKind::NumberType: {
      IValue x = known(v, frame);
      TORCH_CHECK_TYPE(x.isScalar(), "expected a number, got ", x.tagKind());
      return x;
    }
    case TypeKind::ListType: return convert_list(v, *type.castRaw<c10::ListType>()->getElementType(), n, frame);
    default: return known(v, frame);
  }
}

// check_code accepts the dtypes, layouts and memory formats that tensors here have. They are
// numbers in a graph, and libtorch would look others up beyond its tables.
void check_code(const c10::Type& type, const IValue& v) {
  if (!v.isInt()) return;
  const int64_t code = v.toInt();
  switch (type.kind()) {
    case TypeKind::OptionalType: return check_code(*type.castRaw<c10::OptionalType>()->getElementType(), v);
    case TypeKind::ScalarTypeType:
      TORCH_CHECK_TYPE((code >= 0 && code <= static_cast<int64_t>(at::kBool)) || code == static_cast<int64_t>(at::kBFloat16), "dtype ", code, " is not supported");
      return;
    case TypeKind::LayoutType: TORCH_CHECK_TYPE(code == static_cast<int64_t>(at::kStrided), "layout ", code, " is not supported, only strided tensors are"); return;
    case TypeKind::MemoryFormatType:
      TORCH_CHECK_TYPE(code >= 0 && code < static_cast<int64_t>(at::MemoryFormat::NumOptions), "memory format ", code, " is not supported");
      return;
    default: return;
  }
}

}  // namespace

IValue convert(const Value& v, const c10::Argument& parameter, const Frame* frame) {
  IValue out = as_type(v, *parameter.type(), parameter.N(), frame);
  check_code(*parameter.real_type(), out);
  return out;
}

IValue number(const Value& v, const Frame& frame) { return as_type(v, *c10::NumberType::get(), {}, &frame); }

Call resolve(const std::string& name, const std::string& overload, const std::vector<Named>& given) {
  Call call;
  call.op = c10::Dispatcher::singleton().findSchema({name, overload});
  std::string full = overload.empty() ? name : name + "." + overload;
  TORCH_CHECK_NOT_IMPLEMENTED(call.op.has_value(), "this libtorch has no operation ", full);
  const c10::FunctionSchema& schema = call.op->schema();
  size_t used = 0;
  for (size_t i = 0; i < schema.arguments().size(); i++) {
    const c10::Argument& parameter = schema.arguments()[i];
    TORCH_CHECK_NOT_IMPLEMENTED(!parameter.is_out(), full, " writes to a given tensor (out=): use its result");
    const Value* value = nullptr;
    for (size_t k = 0; k < given.size(); k++)
      if (given[k].first == parameter.name() || (given[k].first.empty() && k == i)) value = &given[k].second;
    if (value != nullptr) {
      used++;
      call.arguments.push_back({&parameter, *value, {}, value->constant(), false});
      Argument& a = call.arguments.back();
      if (a.is_constant) a.constant = convert(*value, parameter, nullptr);
    } else {
      TORCH_CHECK_VALUE(parameter.default_value().has_value(), full, " is missing the argument ", parameter.name());
      call.arguments.push_back({&parameter, {}, *parameter.default_value(), true, false});
    }
  }
  for (const Named& g : given) {
    if (used == given.size() || schema.argumentIndexWithName(g.first).has_value()) continue;
    TORCH_CHECK_VALUE(!g.first.empty(), full, " takes ", schema.arguments().size(), " arguments at most, not ", given.size());
    TORCH_CHECK_VALUE(false, full, " takes no argument ", g.first);
  }
  return call;
}

const Argument* Call::find(const char* name) const {
  for (const Argument& a : arguments)
    if (a.schema->name() == name) return &a;
  return nullptr;
}

IValue Call::value(const char* name, const Frame& frame) const {
  const Argument* a = find(name);
  if (a == nullptr) return {};
  return a->is_constant ? a->constant : convert(a->value, *a->schema, &frame);
}

void Call::run(Frame& frame, torch::jit::Stack& stack, bool moving) const {
  for (const Argument& a : arguments) {
    if (a.is_constant) {
      stack.push_back(a.constant);
    } else if (a.value.kind == Value::tensor && frame.slots[a.value.i].isTensor()) {
      c10::IValue& slot = frame.slots[a.value.i];
      stack.push_back(a.moves && moving ? std::move(slot) : slot);
    } else {
      stack.push_back(convert(a.value, *a.schema, &frame));
    }
  }
  op->callBoxed(stack);
}

void Call::push(const Frame& frame, torch::jit::Stack& stack) const {
  for (const Argument& a : arguments) stack.push_back(a.is_constant ? a.constant : convert(a.value, *a.schema, &frame));
}

void Call::set(torch::jit::Stack& stack, const char* name, IValue v) const {
  for (size_t i = 0; i < arguments.size(); i++)
    if (arguments[i].schema->name() == name) stack[i] = std::move(v);
}

namespace {

using Arguments = std::vector<IValue>;

bool integers(const Arguments& a) {
  for (const IValue& v : a)
    if (v.isDouble()) return false;
  return true;
}

template <class F>
IValue arithmetic(const Arguments& a, const F& f) {
  TORCH_CHECK_VALUE(a.size() == 2, "expected two operands");
  if (integers(a)) return f(whole(a[0]), whole(a[1]));
  return f(real(a[0]), real(a[1]));
}

// Python's integers are unbounded; these are sizes, whose arithmetic must not overflow.
void check_fits(bool overflows) { TORCH_CHECK_VALUE(!overflows, "a whole number exceeds 64 bits"); }
int64_t add(int64_t x, int64_t y) {
  int64_t out = 0;
  check_fits(__builtin_add_overflow(x, y, &out));
  return out;
}
double add(double x, double y) { return x + y; }
int64_t subtract(int64_t x, int64_t y) {
  int64_t out = 0;
  check_fits(__builtin_sub_overflow(x, y, &out));
  return out;
}
double subtract(double x, double y) { return x - y; }
int64_t multiply(int64_t x, int64_t y) {
  int64_t out = 0;
  check_fits(__builtin_mul_overflow(x, y, &out));
  return out;
}
double multiply(double x, double y) { return x * y; }

int64_t floor_divide(int64_t x, int64_t y) {
  TORCH_CHECK_VALUE(y != 0, "division of a size by zero");
  if (y == -1) return subtract(0, x);
  int64_t q = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}
double floor_divide(double x, double y) { return std::floor(x / y); }
int64_t modulo(int64_t x, int64_t y) { return y == -1 ? 0 : x - y * floor_divide(x, y); }
double modulo(double x, double y) { return x - y * std::floor(x / y); }
int64_t power(int64_t x, int64_t y) {
  TORCH_CHECK_VALUE(y >= 0 && y < 64, "power ", y, " of a size: expected one from 0 to 63");
  int64_t out = 1;
  while (y-- > 0) out = multiply(out, x);
  return out;
}
double power(double x, double y) { return std::pow(x, y); }

// bitwise applies an operator to booleans, or to the bits of whole numbers.
template <class F>
IValue bitwise(const Arguments& a, const F& f) {
  TORCH_CHECK_VALUE(a.size() == 2, "expected two operands");
  TORCH_CHECK_TYPE(integers(a), "expected whole numbers");
  const int64_t bits = f(whole(a[0]), whole(a[1]));
  return a[0].isBool() && a[1].isBool() ? IValue(bits != 0) : IValue(bits);
}

const IValue& first(const Arguments& a) {
  TORCH_CHECK_VALUE(!a.empty(), "an operand is missing");
  return a[0];
}

// toward rounds to an integer with f.
IValue toward(const Arguments& a, double (*f)(double)) {
  const IValue& x = first(a);
  return x.isDouble() ? integral(f(x.toDouble())) : whole(x);
}

// rounded supports Python's second argument, a number of decimals, with which the result is real.
IValue rounded(const Arguments& a) {
  if (a.size() < 2) return toward(a, std::nearbyint);
  const int64_t decimals = whole(a[1]);
  TORCH_CHECK_NOT_IMPLEMENTED(decimals >= 0, "rounding to ", decimals, " decimals is not supported");
  if (integers(a)) return whole(a[0]);
  const double x = real(a[0]);
  if (!std::isfinite(x) || decimals > 323) return x;  // no double has more decimals
  char text[700];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(decimals), x);
  return std::strtod(text, nullptr);
}

struct Entry {
  const char* name;
  ScalarFunction function;
};

const Entry functions[] = {
    {"_operator.add", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(add(x, y)); }); }},
    {"_operator.sub", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(subtract(x, y)); }); }},
    {"_operator.mul", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(multiply(x, y)); }); }},
    {"_operator.floordiv", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(floor_divide(x, y)); }); }},
    {"_operator.mod", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(modulo(x, y)); }); }},
    {"_operator.pow", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(power(x, y)); }); }},
    {"_operator.truediv", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(double(x) / double(y)); }); }},
    {"_operator.eq", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(x == y); }); }},
    {"_operator.ne", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(x != y); }); }},
    {"_operator.lt", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(x < y); }); }},
    {"_operator.le", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(x <= y); }); }},
    {"_operator.gt", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(x > y); }); }},
    {"_operator.ge", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(x >= y); }); }},
    {"_operator.and_", [](const Arguments& a) { return bitwise(a, [](auto x, auto y) { return x & y; }); }},
    {"_operator.or_", [](const Arguments& a) { return bitwise(a, [](auto x, auto y) { return x | y; }); }},
    {"torch.sym_max", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(std::max(x, y)); }); }},
    {"torch.sym_min", [](const Arguments& a) { return arithmetic(a, [](auto x, auto y) { return IValue(std::min(x, y)); }); }},
    {"_operator.neg", [](const Arguments& a) { return integers(a) ? IValue(subtract(int64_t{0}, whole(first(a)))) : IValue(-real(first(a))); }},
    {"torch.sym_not", [](const Arguments& a) { return IValue(whole(first(a)) == 0); }},
    {"torch.sym_float", [](const Arguments& a) { return IValue(real(first(a))); }},
    {"torch.sym_int", [](const Arguments& a) { return toward(a, std::trunc); }},
    {"math.floor", [](const Arguments& a) { return toward(a, std::floor); }},
    {"math.ceil", [](const Arguments& a) { return toward(a, std::ceil); }},
    {"math.trunc", [](const Arguments& a) { return toward(a, std::trunc); }},
    {"builtins.round", rounded},
    {"torch._sym_sqrt", [](const Arguments& a) { return IValue(std::sqrt(real(first(a)))); }},
};

}  // namespace

ScalarFunction scalar_function(const std::string& name) {
  for (const Entry& e : functions)
    if (name == e.name) return e.function;
  TORCH_CHECK_NOT_IMPLEMENTED(false, "no function ", name);
}

}  // namespace lt
