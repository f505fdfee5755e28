// A device's memory: a range of unreadable addresses, and a range of the same size for kernels.
// Blocks are allocated first fit, in multiples of 512 bytes. A recording has a pool, to which
// its blocks return until its end.

#include <c10/core/impl/alloc_cpu.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "standin.h"

namespace standin {
namespace {

constexpr size_t unit = 512, segment = size_t(2) << 20;

size_t rounded(size_t n, size_t to) { return (n + to - 1) / to * to; }

char* map(size_t size, int protection) {
  void* p = mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(p != MAP_FAILED, "stand-in: no address space of ", size, " bytes for a device");
  return static_cast<char*>(p);
}

// Free is memory that is not in use: offset to length, never adjacent.
struct Free {
  std::map<size_t, size_t> blocks;

  std::optional<size_t> take(size_t n) {
    auto block = std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return b.second >= n; });
    if (block == blocks.end()) return std::nullopt;
    auto [offset, length] = *block;
    blocks.erase(block);
    if (length > n) blocks[offset + n] = length - n;
    return offset;
  }

  void give(size_t offset, size_t length) {
    auto next = blocks.lower_bound(offset);
    if (next != blocks.end() && offset + length == next->first) {
      length += next->second;
      next = blocks.erase(next);
    }
    if (next != blocks.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += length;
        return;
      }
    }
    blocks[offset] = length;
  }
};

struct Block {
  size_t length;
  uint64_t serial;  // no other block has it
  uint64_t pool;    // 0: none
  int stream;       // for which it was allocated
  Touched touched;
};

struct Memory {
  std::mutex mutex;
  c10::DeviceIndex device = 0;
  char *addresses = nullptr, *memory = nullptr;
  size_t size = 0;
  uint64_t blocks = 0;
  Free free;
  std::map<uint64_t, Free> pools;
  std::map<size_t, Block> used;
  c10::CachingAllocator::Stat bytes;
  size_t reserved = 0;  // up to here memory was taken from the device
  bool freed_early = false;

  void open(int d, size_t n) {
    device = static_cast<c10::DeviceIndex>(d);
    size = rounded(n, unit);
    addresses = map(size, PROT_NONE);
    memory = map(size, PROT_READ | PROT_WRITE);
    free.give(0, size);
  }

  char* allocate(size_t n) {
    n = rounded(n, unit);
    uint64_t pool = recording();
    std::lock_guard lock(mutex);
    TORCH_CHECK(!freed_early, "stand-in: memory was freed while a stream that it was not allocated for still uses it");
    auto offset = pool != 0 ? pools[pool].take(n) : std::nullopt;
    if (!offset) offset = free.take(n);
    if (!offset) return nullptr;
    used[*offset] = {n, ++blocks, pool, current_stream(device), {}};
    bytes.increase(n);
    reserved = std::max(reserved, std::min(size, rounded(*offset + n, segment)));
    std::memset(memory + *offset, 0xff, n);  // NaN, so that reads of unwritten memory show
    return addresses + *offset;
  }

  void release(char* p) {
    std::lock_guard lock(mutex);
    auto block = used.find(static_cast<size_t>(p - addresses));
    TORCH_INTERNAL_ASSERT(block != used.end(), "stand-in: memory freed twice");
    const auto& [offset, b] = *block;
    // The allocator gives it to the next one of that stream without waiting for the others.
    if (!idle(device, b.touched, b.stream)) freed_early = true;
    bytes.decrease(b.length);
    auto pool = pools.find(b.pool);
    (pool == pools.end() ? free : pool->second).give(offset, b.length);
    used.erase(block);
  }

  // at is the block in use that an offset lies in.
  std::pair<const size_t, Block>& at(size_t offset) {
    auto block = used.upper_bound(offset);
    TORCH_CHECK(block != used.begin(), "stand-in: a kernel uses memory that was freed");
    --block;
    TORCH_CHECK(offset < block->first + block->second.length, "stand-in: a kernel uses memory that was freed");
    return *block;
  }

  // give_back returns what lies behind the last block in use.
  void give_back() {
    std::lock_guard lock(mutex);
    size_t end = used.empty() ? 0 : used.rbegin()->first + used.rbegin()->second.length;
    size_t keep = std::min(size, rounded(end, segment));
    if (keep < reserved) madvise(memory + keep, reserved - keep, MADV_DONTNEED);
    reserved = std::min(reserved, keep);
  }
};

// Never destroyed, since tensors may be freed while the process ends.
std::array<Memory, max_devices>& memories = *new std::array<Memory, max_devices>;

struct sigaction before;

void write_text(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// Crashes with a message if the host touches a device's memory.
void on_fault(int signal, siginfo_t* info, void* context) {
  int device = device_of_address(info->si_addr);
  if (device >= 0) {
    write_text("stand-in: the host has touched memory of cuda:");
    const char digit[2] = {static_cast<char>('0' + device), 0};
    write_text(digit);
    write_text("\n");
  }
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else {
    sigaction(signal, &before, nullptr);
  }
}

[[maybe_unused]] const bool opened = [] {
  for (int d = 0; d < settings().devices; d++) memories[d].open(d, settings().memory);
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &ours, &before);
  return true;
}();

void release(void* p) { memories[device_of_address(p)].release(static_cast<char*>(p)); }

struct Allocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t n) override {
    c10::DeviceIndex d = current_device();
    c10::Device device(c10::kCUDA, d);
    enter(d);
    if (n == 0) return {nullptr, device};
    char* p = memories[d].allocate(n);
    TORCH_CHECK_WITH(OutOfMemoryError, p != nullptr, "CUDA out of memory. Tried to allocate ", c10::CachingAllocator::format_size(n), ". GPU ", int(d),
                     " has a total capacity of ", c10::CachingAllocator::format_size(memories[d].size), " of which ",
                     c10::CachingAllocator::format_size(memories[d].size - memories[d].bytes.current), " is free.");
    return {p, p, release, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return release; }
  void copy_data(void* to, const void* from, size_t n) const override { std::memcpy(kernel_address(to), kernel_address(from), n); }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override { empty_cache(); }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex d) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.allocated_bytes[0] = memories[d].bytes;
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex d) override { reset_peak(d); }
};

Allocator the_allocator;
REGISTER_ALLOCATOR(c10::DeviceType::CUDA, &the_allocator)

std::mutex pinned_mutex;
std::map<const char*, size_t>& pinned = *new std::map<const char*, size_t>;

void release_pinned(void* p) {
  std::lock_guard lock(pinned_mutex);
  pinned.erase(static_cast<char*>(p));
  c10::free_cpu(p);
}

struct Pinned final : c10::Allocator {
  c10::DataPtr allocate(size_t n) override {
    check_alive();
    void* p = c10::alloc_cpu(std::max<size_t>(n, 1));
    std::lock_guard lock(pinned_mutex);
    pinned[static_cast<char*>(p)] = n;
    return {p, p, release_pinned, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return release_pinned; }
  void copy_data(void* to, const void* from, size_t n) const override { default_copy_data(to, from, n); }
};

Pinned the_pinned;

}  // namespace

int device_of_address(const void* address) {
  auto p = static_cast<const char*>(address);
  for (int d = 0; d < max_devices; d++)
    if (memories[d].size > 0 && p >= memories[d].addresses && p < memories[d].addresses + memories[d].size) return d;
  return -1;
}

char* kernel_address(const void* address) {
  int d = device_of_address(address);
  return d < 0 ? nullptr : memories[d].memory + (static_cast<const char*>(address) - memories[d].addresses);
}

void touch_address(const void* address, bool writes) {
  Memory& m = memories[device_of_address(address)];
  std::lock_guard lock(m.mutex);
  auto& [offset, block] = m.at(static_cast<size_t>(static_cast<const char*>(address) - m.addresses));
  if (recording() == 0) {
    touch(m.device, block.touched, writes);
  } else if (block.pool != recording()) {
    preserve(m.device, offset, block.serial, block.length, writes);
  }
}

bool still(c10::DeviceIndex device, size_t offset, uint64_t serial) {
  std::lock_guard lock(memories[device].mutex);
  auto block = memories[device].used.find(offset);
  return block != memories[device].used.end() && block->second.serial == serial;
}

void use(c10::DeviceIndex device, size_t offset, bool writes) {
  std::lock_guard lock(memories[device].mutex);
  touch(device, memories[device].used.at(offset).touched, writes);
}

char* memory_of(c10::DeviceIndex device, size_t offset) { return memories[device].memory + offset; }

void invalidate(uint64_t pool) {
  for (Memory& m : memories) {
    std::lock_guard lock(m.mutex);
    for (auto [offset, length] : m.pools[pool].blocks) std::memset(m.memory + offset, 0xff, length);
    for (auto& [offset, block] : m.used)
      if (block.pool == pool) std::memset(m.memory + offset, 0xff, block.length);
  }
}

void end_pool(uint64_t pool) {
  for (Memory& m : memories) {
    std::lock_guard lock(m.mutex);
    for (auto [offset, length] : m.pools[pool].blocks) m.free.give(offset, length);
    m.pools.erase(pool);
  }
}

c10::DeviceAllocator* allocator() { return &the_allocator; }
c10::Allocator* pinned_allocator() { return &the_pinned; }

bool is_pinned(const void* address) {
  std::lock_guard lock(pinned_mutex);
  auto block = pinned.upper_bound(static_cast<const char*>(address));
  if (block == pinned.begin()) return false;
  --block;
  return static_cast<const char*>(address) < block->first + std::max<size_t>(block->second, 1);
}

Statistics statistics(c10::DeviceIndex d) {
  std::lock_guard lock(memories[d].mutex);
  const Memory& m = memories[d];
  return {m.bytes.current, m.bytes.peak, static_cast<int64_t>(m.reserved), static_cast<int64_t>(m.size)};
}

void reset_peak(c10::DeviceIndex d) {
  std::lock_guard lock(memories[d].mutex);
  memories[d].bytes.reset_peak();
}

void empty_cache() {
  for (Memory& m : memories) m.give_back();
}

}  // namespace standin
