// The allocator of CPU tensors: libtorch's own, behind a limit for a graph's nodes and in front of
// a store of large blocks.
//
// glibc returns a large block to the system when it is freed. A training step that allocates it
// again waits for every page to be cleared and mapped: a sixth of an LSTM's step.

#include "allocator.h"

#include <c10/core/CPUAllocator.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <limits>
#include <mutex>
#include <unordered_map>
#include <vector>


namespace lt {
namespace {

constexpr size_t all = std::numeric_limits<size_t>::max() / 2;
#ifdef __SANITIZE_ADDRESS__
constexpr size_t large = all;  // sanitizers see a use after the end only in freed memory
#else
constexpr size_t large = size_t{8} << 20;
#endif

// Store keeps freed blocks for later tensors of about the same size. Idle and used blocks together
// never exceed the peak of used blocks.
class Store {
 public:
  // take returns an idle block of n bytes or up to a quarter more, else null.
  void* take(size_t n) {
    std::lock_guard<std::mutex> guard(lock_);
    auto best = idle_.end();
    for (auto b = idle_.begin(); b != idle_.end(); ++b)
      if (b->size >= n && b->size <= n + n / 4 && (best == idle_.end() || b->size < best->size)) best = b;
    if (best == idle_.end()) return nullptr;
    Block block = std::move(*best);
    idle_.erase(best);
    idle_bytes_ -= block.size;
    return use(std::move(block));
  }

  // make_room frees idle blocks, oldest first, until a block of n bytes may be allocated.
  void make_room(size_t n) {
    std::vector<Block> dropped;  // freed after the lock is released
    std::lock_guard<std::mutex> guard(lock_);
    size_t count = 0;
    for (; count < idle_.size() && in_use_ + idle_bytes_ + n > most_; count++) {
      idle_bytes_ -= idle_[count].size;
      dropped.push_back(std::move(idle_[count]));
    }
    idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void* add(c10::DataPtr data, size_t n) {
    std::lock_guard<std::mutex> guard(lock_);
    return use({std::move(data), n});
  }

  // put_back makes a used block idle; it returns false for other blocks.
  bool put_back(void* data) {
    std::lock_guard<std::mutex> guard(lock_);
    auto found = used_.find(data);
    if (found == used_.end()) return false;
    in_use_ -= found->second.size;
    idle_bytes_ += found->second.size;
    idle_.push_back(std::move(found->second));
    used_.erase(found);
    return true;
  }

  size_t idle() {
    std::lock_guard<std::mutex> guard(lock_);
    return idle_bytes_;
  }

 private:
  struct Block {
    c10::DataPtr data;
    size_t size;
  };

  void* use(Block block) {
    void* data = block.data.get();
    in_use_ += block.size;
    most_ = std::max(most_, in_use_);
    used_.emplace(data, std::move(block));
    return data;
  }

  std::mutex lock_;
  std::vector<Block> idle_;  // oldest first
  std::unordered_map<void*, Block> used_;
  size_t in_use_ = 0, idle_bytes_ = 0, most_ = 0;
};

// Both live as long as the process, as tensors may.
c10::Allocator* own_allocator() {
  static c10::Allocator* const own = c10::GetCPUAllocator();
  return own;
}
Store& store() {
  static Store& s = *new Store;
  return s;
}

// free_block frees blocks of any size: oneDNN's come without their deleter.
void free_block(void* data) {
  if (!store().put_back(data)) own_allocator()->raw_deallocate(data);
}

class Allocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t n) override {
    if (n < large) return own_allocator()->allocate(n);
    void* data = store().take(n);
    if (data == nullptr) data = store().add(make(n), n);
    return {data, data, &free_block, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
  void copy_data(void* to, const void* from, size_t n) const override { own_allocator()->copy_data(to, from, n); }

 private:
  c10::DataPtr make(size_t n) {
    store().make_room(n);
    try {
      return own_allocator()->allocate(n);
    } catch (const c10::Error&) {  // out of memory
      store().make_room(all);
      return own_allocator()->allocate(n);
    }
  }
};

// No tensor is made while the shim is opened. glibc keeps up to 512 MiB of smaller blocks.
[[maybe_unused]] const bool installed = [] {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
  own_allocator();
  c10::SetCPUAllocator(new Allocator, std::numeric_limits<uint8_t>::max());
  return true;
}();

}  // namespace

size_t idle_bytes() { return store().idle(); }
void trim() { store().make_room(all); }

}  // namespace lt
