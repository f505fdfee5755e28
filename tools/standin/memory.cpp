// A device's memory: a range of addresses that nothing can be read from, and as large a one
// that kernels use. Blocks are handed out first fit, in multiples of 512 bytes.

#include <c10/core/impl/alloc_cpu.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>

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

struct Memory {
  std::mutex mutex;
  char *addresses = nullptr, *memory = nullptr;
  size_t size = 0;
  std::map<size_t, size_t> free;  // offset to length, never adjacent
  std::map<size_t, size_t> used;
  c10::CachingAllocator::Stat bytes;
  size_t reserved = 0;  // up to here memory was taken from the device

  void open(size_t n) {
    size = rounded(n, unit);
    addresses = map(size, PROT_NONE);
    memory = map(size, PROT_READ | PROT_WRITE);
    free[0] = size;
  }

  char* allocate(size_t n) {
    n = rounded(n, unit);
    std::lock_guard lock(mutex);
    auto block = std::find_if(free.begin(), free.end(), [&](const auto& b) { return b.second >= n; });
    if (block == free.end()) return nullptr;
    auto [offset, length] = *block;
    free.erase(block);
    if (length > n) free[offset + n] = length - n;
    used[offset] = n;
    bytes.increase(n);
    reserved = std::max(reserved, std::min(size, rounded(offset + n, segment)));
    std::memset(memory + offset, 0xff, n);  // NaN, so that a read of what nothing has written shows
    return addresses + offset;
  }

  void release(char* p) {
    std::lock_guard lock(mutex);
    auto block = used.find(static_cast<size_t>(p - addresses));
    TORCH_INTERNAL_ASSERT(block != used.end(), "stand-in: memory freed twice");
    auto [offset, length] = *block;
    used.erase(block);
    bytes.decrease(length);
    auto next = free.lower_bound(offset);
    if (next != free.end() && offset + length == next->first) {
      length += next->second;
      next = free.erase(next);
    }
    if (next != free.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += length;
        return;
      }
    }
    free[offset] = length;
  }

  // give_back returns what lies behind the last block in use.
  void give_back() {
    std::lock_guard lock(mutex);
    size_t end = used.empty() ? 0 : used.rbegin()->first + used.rbegin()->second;
    size_t keep = std::min(size, rounded(end, segment));
    if (keep < reserved) madvise(memory + keep, reserved - keep, MADV_DONTNEED);
    reserved = std::min(reserved, keep);
  }
};

// Never ended: tensors may be freed while the process ends.
std::array<Memory, max_devices>& memories = *new std::array<Memory, max_devices>;

struct sigaction before;

void write_text(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// A host that touches a device's memory crashes with a name.
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
  for (int d = 0; d < settings().devices; d++) memories[d].open(settings().memory);
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

int device_of_kernel_address(const void* address) {
  auto p = static_cast<const char*>(address);
  for (int d = 0; d < max_devices; d++)
    if (memories[d].size > 0 && p >= memories[d].memory && p < memories[d].memory + memories[d].size) return d;
  return -1;
}

char* kernel_address(const void* address) {
  int d = device_of_address(address);
  return d < 0 ? nullptr : memories[d].memory + (static_cast<const char*>(address) - memories[d].addresses);
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
