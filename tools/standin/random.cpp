// A device's generator is a seed and an offset, like CUDA's. Each kernel that draws uses the
// stream of (seed, offset) and advances the offset.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/empty.h>

#include <cstring>

#include "standin.h"

namespace standin {
namespace {

uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

struct Generator final : c10::GeneratorImpl {
  uint64_t seed_ = c10::default_rng_seed_val, offset_ = 0;
  uint64_t graph_ = 0, within_ = 0;  // what records its draws, and how many of them

  explicit Generator(c10::DeviceIndex d) : GeneratorImpl({c10::kCUDA, d}, c10::DispatchKeySet(c10::DispatchKey::CUDA)) {}

  void set_current_seed(uint64_t seed) override {
    seed_ = seed;
    offset_ = 0;
  }
  void set_offset(uint64_t offset) override { offset_ = offset; }
  uint64_t get_offset() const override { return offset_; }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override { TORCH_CHECK(false, "stand-in: a seed from the clock"); }

  void set_state(const c10::TensorImpl& state) override {
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == sizeof(uint64_t[2]), "RNG state is wrong size");
    TORCH_CHECK(graph_ == 0, "Cannot set the state of a generator during capturing stage.");
    const auto* bytes = static_cast<const char*>(state.data());
    std::memcpy(&seed_, bytes, sizeof seed_);
    std::memcpy(&offset_, bytes + sizeof seed_, sizeof offset_);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::Tensor state = at::empty({sizeof(uint64_t[2])}, at::kByte);
    auto* bytes = static_cast<char*>(state.mutable_data_ptr());
    std::memcpy(bytes, &seed_, sizeof seed_);
    std::memcpy(bytes + sizeof seed_, &offset_, sizeof offset_);
    return state.getIntrusivePtr();
  }

 private:
  Generator* clone_impl() const override {
    auto* g = new Generator(device().index());
    g->seed_ = seed_;
    g->offset_ = offset_;
    return g;
  }
};

}  // namespace

Draw::Draw(const at::Generator& g) : of_(g) {
  TORCH_CHECK(g.device().is_cuda(), "Expected a 'cuda' device type for generator but found '", g.device().type(), "'");
  auto* own = g.get<Generator>();
  std::lock_guard lock(own->mutex_);
  TORCH_CHECK(own->graph_ == recording(), own->graph_ == 0 ? "stand-in: a draw from a generator that is not recorded"
                                                           : "RNG offset increment outside graph capture encountered unexpectedly.");
  recorded_ = own->graph_ != 0;
  uint64_t& counter = recorded_ ? own->within_ : own->offset_;
  offset_ = counter;
  counter += 4;
}

at::Generator Draw::now() const {
  auto* own = of_.get<Generator>();
  return at::detail::createCPUGenerator(mixed(own->seed_ + mixed(offset_ + (recorded_ ? own->offset_ : 0))));
}

void begin_draws(const at::Generator& g, uint64_t graph) {
  g.get<Generator>()->graph_ = graph;
  g.get<Generator>()->within_ = 0;
}

uint64_t end_draws(const at::Generator& g) {
  g.get<Generator>()->graph_ = 0;
  return g.get<Generator>()->within_;
}

void move_on(const at::Generator& g, uint64_t by) { g.get<Generator>()->offset_ += by; }

at::Generator new_generator(c10::DeviceIndex device) {
  TORCH_CHECK(device >= 0 && device < settings().devices, "CUDA error: invalid device ordinal");
  return at::make_generator<Generator>(device);
}

}  // namespace standin
