// Handles and scopes. A handle is generation << 32 | slot. A freed slot moves to its next
// generation, so an old handle is detected instead of followed.

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "shim.h"

namespace lt {
namespace {

constexpr uint32_t chunk_bits = 12, chunk_size = 1u << chunk_bits, max_chunks = 1u << 16;

struct Slot {
  at::Tensor tensor;
  std::atomic<uint32_t> generation{1};
  uint32_t level = 0;  // depth of the scope that frees it; 0: none
};

std::atomic<Slot*> chunks[max_chunks];
std::mutex pool_mutex;
std::vector<uint32_t> pool;  // free slots, shared; each thread keeps a few of its own
uint32_t n_chunks = 0;

// Each thread counts the live tensors that it makes and frees, and the counts are summed on
// request: a single counter would be written by every thread several hundred times a step.
struct alignas(128) Count {
  std::atomic<int64_t> n{0};
  void add(int64_t d) { n.store(n.load(std::memory_order_relaxed) + d, std::memory_order_relaxed); }
};
std::vector<Count*> counts;  // under pool_mutex; includes ended threads

struct Thread {
  Count* live = new Count;
  std::vector<uint32_t> free;
  std::vector<std::vector<lt_tensor>> scopes;  // [level - 1]; capacity is kept
  uint32_t depth = 0;

  Thread() {
    std::lock_guard lock(pool_mutex);
    counts.push_back(live);
  }

  uint32_t take() {
    if (free.empty()) refill();
    uint32_t slot = free.back();
    free.pop_back();
    return slot;
  }

  void give(uint32_t slot) {
    free.push_back(slot);
    if (free.size() > 512) spill(256);
  }

  void refill() {
    std::lock_guard lock(pool_mutex);
    if (pool.empty()) {
      TORCH_CHECK(n_chunks < max_chunks, "more than ", uint64_t(max_chunks) * chunk_size, " tensors alive");
      chunks[n_chunks].store(new Slot[chunk_size], std::memory_order_release);
      for (uint32_t i = chunk_size; i-- > 0;) pool.push_back(n_chunks << chunk_bits | i);
      n_chunks++;
    }
    for (int i = 0; i < 64 && !pool.empty(); i++) {
      free.push_back(pool.back());
      pool.pop_back();
    }
  }

  void spill(size_t n) {
    std::lock_guard lock(pool_mutex);
    pool.insert(pool.end(), free.end() - n, free.end());
    free.resize(free.size() - n);
  }

  ~Thread() { spill(free.size()); }
};

thread_local Thread self;

Slot& slot_of(lt_tensor handle) {
  uint32_t index = static_cast<uint32_t>(handle), chunk = index >> chunk_bits;
  Slot* slots = chunk < max_chunks ? chunks[chunk].load(std::memory_order_acquire) : nullptr;
  if (slots == nullptr) throw Stale{};
  Slot& slot = slots[index & (chunk_size - 1)];
  if (slot.generation.load(std::memory_order_acquire) != handle >> 32) throw Stale{};
  return slot;
}

// release frees the tensor of a handle, which must still be its slot's: if two threads free one
// tensor at once, one finds it gone.
void release(Slot& slot, lt_tensor handle) {
  uint32_t index = static_cast<uint32_t>(handle), generation = static_cast<uint32_t>(handle >> 32);
  uint32_t next = generation + 1 == 0 ? 1 : generation + 1;
  if (!slot.generation.compare_exchange_strong(generation, next, std::memory_order_acq_rel)) throw Stale{};
  slot.tensor.reset();
  self.live->add(-1);
  self.give(index);
}

}  // namespace

const at::Tensor& get(lt_tensor handle) { return slot_of(handle).tensor; }

lt_tensor put(at::Tensor t) {
  if (!t.defined()) return 0;
  uint32_t index = self.take();
  Slot& slot = chunks[index >> chunk_bits].load(std::memory_order_relaxed)[index & (chunk_size - 1)];
  slot.tensor = std::move(t);
  slot.level = self.depth;
  lt_tensor handle = uint64_t(slot.generation.load(std::memory_order_relaxed)) << 32 | index;
  if (self.depth > 0) self.scopes[self.depth - 1].push_back(handle);
  self.live->add(1);
  return handle;
}

std::vector<at::Tensor> list(const lt_tensor* handles, int32_t n) {
  std::vector<at::Tensor> out;
  out.reserve(n);
  for (int32_t i = 0; i < n; i++) out.push_back(get(handles[i]));
  return out;
}

void scope_begin() {
  if (self.scopes.size() == self.depth) self.scopes.emplace_back();
  self.depth++;
}

void scope_end() {
  TORCH_CHECK(self.depth > 0, "scope ended twice, or on a different thread");
  uint32_t level = self.depth--;
  auto& ending = self.scopes[level - 1];
  for (lt_tensor handle : ending) {
    uint32_t index = static_cast<uint32_t>(handle);
    Slot& slot = chunks[index >> chunk_bits].load(std::memory_order_relaxed)[index & (chunk_size - 1)];
    if (slot.generation.load(std::memory_order_relaxed) != handle >> 32) continue;  // freed early
    if (slot.level == level) {
      release(slot, handle);
    } else if (level > 1) {
      self.scopes[level - 2].push_back(handle);  // kept: moves to the next outer scope
    }
  }
  ending.clear();
}

void scope_close() noexcept {
  try {
    scope_end();
  } catch (const std::exception&) {
    // A tensor that another thread frees at the same moment is freed.
  }
}

}  // namespace lt

using namespace lt;

lt_error* lt_live(int64_t* out) {
  return guard([&] {
    std::lock_guard lock(pool_mutex);
    *out = 0;
    for (const Count* c : counts) *out += c->n.load(std::memory_order_relaxed);
  });
}

lt_error* lt_scope_begin(void) {
  return guard([] { scope_begin(); });
}

lt_error* lt_scope_end(void) {
  return guard([] { scope_end(); });
}

lt_error* lt_keep(lt_tensor t) {
  return guard([&] {
    Slot& slot = slot_of(t);
    if (slot.level > 0) slot.level--;
  });
}

lt_error* lt_free(lt_tensor t) {
  return guard([&] { release(slot_of(t), t); });
}
