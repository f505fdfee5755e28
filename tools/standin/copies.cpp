// Copies from pinned memory that the host does not wait for. A GPU may read the host's memory at
// any time until the host next waits for it, so the host must not write there before. The
// stand-in copies at once, and checks that the bytes are unchanged when the host waits.

#include <ATen/EmptyTensor.h>
#include <c10/core/Storage.h>

#include <deque>
#include <mutex>
#include <string_view>

#include "standin.h"

namespace standin {
namespace {

// Flight is one such copy. It holds its memory: freed pinned memory is not handed out again
// while a copy reads it.
struct Flight {
  c10::Storage source;
  std::string_view bytes;
  size_t hash;
};

// Limit for a host that never waits.
constexpr size_t most = 64;

struct Flights {
  std::mutex mutex;
  std::deque<Flight> list;
};

std::array<Flights, max_devices>& flights = *new std::array<Flights, max_devices>;

size_t hash(std::string_view bytes) { return std::hash<std::string_view>{}(bytes); }

void check(const Flight& f) {
  TORCH_CHECK(hash(f.bytes) == f.hash, "stand-in: the host has written to pinned memory while a copy from it was under way: wait for the device first");
}

}  // namespace

void take_off(const at::Tensor& source, c10::DeviceIndex device) {
  if (!is_pinned(source.storage().data()) || source.numel() == 0) return;
  size_t end = at::detail::computeStorageNbytes(source.sizes(), source.strides(), source.itemsize());
  std::string_view bytes(static_cast<const char*>(source.const_data_ptr()), end);
  Flights& f = flights[device];
  std::lock_guard lock(f.mutex);
  f.list.push_back({source.storage(), bytes, hash(bytes)});
  if (f.list.size() > most) {
    Flight oldest = std::move(f.list.front());
    f.list.pop_front();
    check(oldest);
  }
}

void land(c10::DeviceIndex device) {
  std::deque<Flight> all;
  {
    std::lock_guard lock(flights[device].mutex);
    all.swap(flights[device].list);
  }
  for (const Flight& f : all) check(f);
}

}  // namespace standin
