// How a program's nodes draw: from the run's stream, never from libtorch's global generator.
// Dropout is the shim's own; operations that take a generator get the stream's. In evaluation a
// draw is replaced by its mean, so that stochastic depth (noise.bernoulli_(q).div_(q)) is the
// identity.

#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>

#include <cmath>

#include "attention.h"
#include "dispatch.h"
#include "shim.h"

namespace lt {
namespace {

using c10::IValue;
using torch::jit::Stack;

// channels_only returns dropout's shared_dims for masks of shape [N C 1 ..].
uint32_t channels_only(const at::Tensor& x) {
  uint32_t bits = 0;
  for (int64_t d = 2; d < x.dim(); d++) bits |= 1u << d;
  return bits;
}

struct Drop {
  at::Tensor x;
  double p;
  bool on;
};

Drop drop_of(const Call& call, const Frame& frame) {
  IValue train = call.value("train", frame);
  double p = call.value("p", frame).toDouble();
  check_probability(p);
  bool on = frame.training && (train.isNone() || train.toBool()) && p > 0;
  return {call.value("input", frame).isNone() ? call.value("self", frame).toTensor() : call.value("input", frame).toTensor(), p, on};
}

template <bool channels>
void drop(const Call& call, Frame& frame, Stack& stack) {
  Drop d = drop_of(call, frame);
  stack.push_back(d.on ? dropout(d.x, d.p, channels ? channels_only(d.x) : 0, frame.generator()) : d.x);
}

// noise is 1 / (1 - p) where x is kept and 0 elsewhere, as mask_scale's factors.
at::Tensor noise(const at::Tensor& x, double p, uint32_t shared, lt_generator* g) {
  at::NoGradGuard no_graph;
  return dropout(at::full_like(x, 1), p, shared, g);
}

template <bool channels>
void drop_in_place(const Call& call, Frame& frame, Stack& stack) {
  Drop d = drop_of(call, frame);
  if (d.on) d.x.mul_(noise(d.x, d.p, channels ? channels_only(d.x) : 0, frame.generator()));
  stack.push_back(d.x);
}

// Self-normalising networks' dropout (Klambauer et al., 2017): dropped values become SELU's lower
// limit, and the result is scaled to its former moments.
template <bool channels, bool in_place>
void alpha_drop(const Call& call, Frame& frame, Stack& stack) {
  Drop d = drop_of(call, frame);
  if (d.on && d.p == 1) {  // as in PyTorch: nothing is kept to be scaled
    d.x = in_place ? d.x.mul_(0) : d.x.mul(0);
  } else if (d.on) {
    constexpr double alpha = 1.7580993408473766;
    double a = 1 / std::sqrt((alpha * alpha * d.p + 1) * (1 - d.p));
    at::Tensor kept = noise(d.x, d.p, channels ? channels_only(d.x) : 0, frame.generator()).sign();
    at::Tensor shift = kept.sub(1).mul_(alpha * a).add_(alpha * a * d.p);
    d.x = in_place ? d.x.mul_(kept.mul_(a)).add_(shift) : d.x.mul(kept.mul_(a)).add_(shift);
  }
  stack.push_back(d.x);
}

void native_drop(const Call& call, Frame& frame, Stack& stack) {
  Drop d = drop_of(call, frame);
  if (!d.on) {
    stack.push_back(d.x);
    stack.push_back(at::full_like(d.x, 1, d.x.options().dtype(at::kBool)));
    return;
  }
  if (d.p == 1) {
    stack.push_back(d.x.mul(0));
    stack.push_back(at::full_like(d.x, 0, d.x.options().dtype(at::kBool)));
    return;
  }
  at::Tensor mask = at::empty_like(d.x, at::TensorOptions(at::kByte));
  double scale = draw(mask, d.p, frame.generator());
  stack.push_back(mask_scale(d.x, mask, scale));
  stack.push_back(mask.to(at::kBool));
}

// attend drops the softmax's weights with the stream; libtorch's kernels would draw from the global
// generator.
void attend(const Call& call, Frame& frame, Stack& stack) {
  auto tensor = [&](const char* name) { return call.value(name, frame).toTensor(); };
  const IValue scale = call.value("scale", frame), grouped = call.value("enable_gqa", frame);
  double p = call.value("dropout_p", frame).toDouble();
  check_probability(p);
  if (!frame.training) p = 0;
  stack.push_back(attention(tensor("query"), tensor("key"), tensor("value"), call.value("attn_mask", frame).toOptional<at::Tensor>(),
                            call.value("is_causal", frame).toBool(), scale.toOptional<double>(), grouped.isBool() && grouped.toBool(), p,
                            p == 0 ? nullptr : frame.generator()));
}

// with_generator passes the stream's generator in training.
void with_generator(const Call& call, Frame& frame, Stack& stack) {
  call.push(frame, stack);
  if (frame.training) call.set(stack, "generator", frame.generator()->generator);
  call.op->callBoxed(stack);
}

void bernoulli_in_place(const Call& call, Frame& frame, Stack& stack) {
  if (frame.training) return with_generator(call, frame, stack);
  at::Tensor self = call.value("self", frame).toTensor();
  IValue p = call.value("p", frame);
  stack.push_back(p.isTensor() ? self.copy_(p.toTensor()) : self.fill_(p.toDouble()));
}

void bernoulli(const Call& call, Frame& frame, Stack& stack) {
  if (frame.training) return with_generator(call, frame, stack);
  at::Tensor self = call.value("self", frame).toTensor();
  IValue p = call.value("p", frame);
  stack.push_back(p.isDouble() ? at::full_like(self, p.toDouble()) : self.clone());
}

void uniform_in_place(const Call& call, Frame& frame, Stack& stack) {
  if (frame.training) return with_generator(call, frame, stack);
  double middle = (call.value("from", frame).toDouble() + call.value("to", frame).toDouble()) / 2;
  stack.push_back(call.value("self", frame).toTensor().fill_(middle));
}

void normal_in_place(const Call& call, Frame& frame, Stack& stack) {
  if (frame.training) return with_generator(call, frame, stack);
  stack.push_back(call.value("self", frame).toTensor().fill_(call.value("mean", frame).toDouble()));
}

// rand, randn and their _like forms become an empty tensor that is then filled.
void filled_uniform(const Call& call, Frame& frame, Stack& stack) {
  call.run(frame, stack);
  at::Tensor t = stack.back().toTensor();
  frame.training ? t.uniform_(0, 1, frame.generator()->generator) : t.fill_(.5);
}

void filled_normal(const Call& call, Frame& frame, Stack& stack) {
  call.run(frame, stack);
  at::Tensor t = stack.back().toTensor();
  frame.training ? t.normal_(0, 1, frame.generator()->generator) : t.zero_();
}

struct Entry {
  const char* name;
  Special special;
  const char* call;  // replaces the operation; NULL: itself
};

const Entry specials[] = {
    {"dropout", drop<false>, nullptr},
    {"dropout_", drop_in_place<false>, nullptr},
    {"feature_dropout", drop<true>, nullptr},
    {"feature_dropout_", drop_in_place<true>, nullptr},
    {"alpha_dropout", alpha_drop<false, false>, nullptr},
    {"alpha_dropout_", alpha_drop<false, true>, nullptr},
    {"feature_alpha_dropout", alpha_drop<true, false>, nullptr},
    {"feature_alpha_dropout_", alpha_drop<true, true>, nullptr},
    {"native_dropout", native_drop, nullptr},
    {"scaled_dot_product_attention", attend, nullptr},
    {"bernoulli", bernoulli, nullptr},
    {"bernoulli_", bernoulli_in_place, nullptr},
    {"uniform_", uniform_in_place, nullptr},
    {"normal_", normal_in_place, nullptr},
    {"rand", filled_uniform, "empty"},
    {"randn", filled_normal, "empty"},
    {"rand_like", filled_uniform, "empty_like"},
    {"randn_like", filled_normal, "empty_like"},
};

// never_drops reports whether an operation's dropout is off, or is between layers although there is
// only one.
bool never_drops(const Call& call) {
  for (const char* name : {"dropout_p", "dropout", "p"}) {
    const Argument* a = call.find(name);
    if (a != nullptr && a->is_constant && a->constant.isDouble() && a->constant.toDouble() == 0) return true;
  }
  const Argument* layers = call.find("num_layers");
  return layers != nullptr && layers->is_constant && layers->constant.isInt() && layers->constant.toInt() == 1;
}

}  // namespace

Special random_node(Call& call, const std::string& name, const std::string& overload, const std::vector<Named>& given) {
  for (const Entry& e : specials) {
    if (name != std::string("aten::") + e.name) continue;
    if (e.call != nullptr) {
      std::string base = std::string("aten::") + e.call;
      call = resolve(base, base == "aten::empty" ? "memory_format" : "", given);
    }
    return e.special;
  }
  if (!call.op->hasTag(at::Tag::nondeterministic_seeded) || never_drops(call)) return nullptr;
  // Its flag turns the draw off in evaluation.
  if (call.find("generator") != nullptr && call.find("training") != nullptr) return with_generator;
  TORCH_CHECK_NOT_IMPLEMENTED(false, name, overload.empty() ? "" : ".", overload,
                              " draws from libtorch's global generator, which is not supported: write it with dropout, bernoulli_, rand or randn");
}

}  // namespace lt
