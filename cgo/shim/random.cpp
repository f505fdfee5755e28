// Random streams. Nothing in the shim draws from libtorch's global generator.
//
// A stream holds libtorch's generator of its device for ordinary draws, and (seed, calls) for
// dropout masks on the CPU, which come from a vector generator (kernels.h). libtorch would draw one
// scalar at a time, 9 ns each.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/randperm.h>

#include <cmath>
#include <cstring>

#include "differentiable.h"
#include "kernels.h"
#include "random.h"
#include "shim.h"

using namespace lt;

namespace {

constexpr int64_t block = 1 << 16;  // draws per seed, so results do not depend on the number of threads

bool plain(const at::Tensor& t) { return t.is_cpu() && t.scalar_type() == at::kFloat && t.is_non_overlapping_and_dense(); }

at::Tensor scaled(const at::Tensor& x, const at::Tensor& mask, double scale) {
  if (!plain(x) || x.strides() != mask.strides() || x.sizes() != mask.sizes()) return x.mul(mask).mul_(scale);
  at::Tensor out = at::empty_like(x);
  float* o = out.mutable_data_ptr<float>();
  const float* in = x.const_data_ptr<float>();
  const uint8_t* m = mask.const_data_ptr<uint8_t>();
  blocks(x.numel(), block, [&](int64_t, int64_t start, int64_t n) { scale_kept(o + start, in + start, m + start, static_cast<float>(scale), n); });
  return out;
}

// draws calls f for each block of n draws with the block's seed, and returns the scale 1 / P(keep).
template <class F>
double draws(int64_t n, double p, lt_generator* g, const F& f) {
  auto drop = static_cast<uint16_t>(std::min(std::lround(p * 65536), 65535l));
  uint64_t seed = g->seed, call = g->calls++;
  uint64_t base = splitmix(seed) + call;  // asymmetric, so that call k of seed s differs from call s of seed k
  base = splitmix(base);
  blocks(n, block, [&](int64_t b, int64_t start, int64_t length) {
    uint64_t own = base + 0xd1342543de82ef95 * static_cast<uint64_t>(b + 1);
    f(start, length, drop, splitmix(own));
  });
  return 1 / (1 - drop / 65536.0);
}

struct State {
  uint64_t seed, calls;
};

}  // namespace

namespace lt {

double draw(at::Tensor& mask, double p, lt_generator* g) {
  if (!mask.is_cpu()) {
    mask.bernoulli_(1 - p, g->generator);
    return 1 / (1 - p);
  }
  uint8_t* m = mask.mutable_data_ptr<uint8_t>();
  return draws(mask.numel(), p, g, [&](int64_t start, int64_t n, uint16_t drop, uint64_t seed) { keep_mask(m + start, n, drop, seed); });
}

double draw_bits(uint8_t* bits, int64_t count, double p, lt_generator* g) {
  return draws(count, p, g, [&](int64_t start, int64_t n, uint16_t drop, uint64_t seed) { keep_bits(bits + start / 8, n, drop, seed); });
}

void check_probability(double p) { TORCH_CHECK_VALUE(p >= 0 && p <= 1, "dropout probability ", p, " is not in [0, 1]"); }

at::Tensor dropout(const at::Tensor& x, double p, uint32_t shared_dims, lt_generator* g) {
  check_probability(p);
  if (p == 0) return x;
  if (p == 1) return x.mul(0);
  if (x.is_cuda()) return dropout_on_gpu(x, p, shared_dims, g);
  at::Tensor mask;
  if (shared_dims == 0) {
    mask = at::empty_like(x, at::TensorOptions(at::kByte));
  } else {
    auto sizes = x.sizes().vec();
    for (size_t d = 0; d < sizes.size(); d++)
      if (shared_dims >> d & 1) sizes[d] = 1;
    mask = at::empty(sizes, x.options().dtype(at::kByte).requires_grad(false));
  }
  double scale = draw(mask, p, g);
  return mask_scale(x, mask, scale);
}

at::Tensor mask_scale(const at::Tensor& x, const at::Tensor& mask, double scale) {
  at::Tensor out;
  {
    at::NoGradGuard no_graph;
    out = scaled(x, mask, scale);
  }
  return with_gradient(out, {x}, {}, [mask, scale](const Tensors&, const at::Tensor& grad, const std::vector<bool>&) {
    return Tensors{mask_scale(grad, mask, scale)};
  });
}

}  // namespace lt

lt_error* lt_generator_new(uint64_t seed, int32_t device, lt_generator** out) {
  return guard([&] {
    at::Device d = device_of(device);
    at::Generator g = d.is_cpu() ? at::detail::createCPUGenerator(seed) : at::detail::getCUDAHooks().getNewGenerator(d.index());
    g.set_current_seed(seed);
    *out = new lt_generator{g, seed, 0};
  });
}

lt_error* lt_generator_free(lt_generator* g) {
  delete g;
  return nullptr;
}

lt_error* lt_generator_state(lt_generator* g, void* buffer, int64_t* bytes) {
  return guard([&] {
    std::lock_guard lock(g->generator.mutex());
    at::Tensor state = g->generator.get_state();
    if (buffer != nullptr) {
      TORCH_CHECK(*bytes == static_cast<int64_t>(sizeof(State) + state.nbytes()), "buffer of ", *bytes, " bytes for a generator's state");
      State own{g->seed, g->calls};
      std::memcpy(buffer, &own, sizeof own);
      std::memcpy(static_cast<char*>(buffer) + sizeof own, state.const_data_ptr(), state.nbytes());
    }
    *bytes = sizeof(State) + state.nbytes();
  });
}

lt_error* lt_generator_restore(lt_generator* g, const void* state, int64_t bytes) {
  return guard([&] {
    std::lock_guard lock(g->generator.mutex());
    int64_t expected = sizeof(State) + g->generator.get_state().nbytes();
    TORCH_CHECK_VALUE(bytes == expected, "generator state of ", bytes, " bytes, expected ", expected);
    State own;
    std::memcpy(&own, state, sizeof own);
    at::Tensor rest = at::empty({bytes - static_cast<int64_t>(sizeof own)}, at::kByte);
    std::memcpy(rest.mutable_data_ptr(), static_cast<const char*>(state) + sizeof own, rest.nbytes());
    g->generator.set_state(rest);
    g->seed = own.seed;
    g->calls = own.calls;
  });
}

lt_error* lt_uniform_(lt_tensor t, double low, double high, lt_generator* g) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    get(t).uniform_(low, high, g->generator);
  });
}

lt_error* lt_normal_(lt_tensor t, double mean, double std, lt_generator* g) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    get(t).normal_(mean, std, g->generator);
  });
}

lt_error* lt_bernoulli_(lt_tensor t, double p, lt_generator* g) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    get(t).bernoulli_(p, g->generator);
  });
}

lt_error* lt_random_(lt_tensor t, int64_t low, int64_t high, lt_generator* g) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    get(t).random_(low, high, g->generator);
  });
}

lt_made lt_randperm(int64_t n, lt_options o, lt_generator* g) {
  return made([&] { return at::randperm(n, g->generator, options_of(o)); });
}

lt_made lt_dropout(lt_tensor t, double p, uint32_t shared_dims, lt_generator* g) {
  return made([&] { return dropout(get(t), p, shared_dims, g); });
}

lt_made lt_relu_dropout(lt_tensor t, double p, lt_generator* g) {
  return made([&]() -> at::Tensor {
    const at::Tensor& x = get(t);
    if (!plain(x) || p == 0 || p == 1) {
      return dropout(x.relu(), p, 0, g);
    }
    check_probability(p);
    at::Tensor mask = at::empty_like(x, at::TensorOptions(at::kByte));
    double scale = draw(mask, p, g);
    uint8_t* m = mask.mutable_data_ptr<uint8_t>();
    const float* in = x.const_data_ptr<float>();
    blocks(x.numel(), block, [&](int64_t, int64_t start, int64_t n) { and_positive(m + start, in + start, n); });
    return mask_scale(x, mask, scale);
  });
}
