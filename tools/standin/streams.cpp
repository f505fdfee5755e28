// The order of streams. A kernel has finished when its call returns, so using another stream's
// results without waiting causes no error by itself; this file detects it by counting.

#include <algorithm>
#include <mutex>

#include "standin.h"

namespace standin {
namespace {

// Order is the order of a device's streams: the next kernel of stream s comes after the first
// knows[s][t] kernels of stream t.
struct Order {
  std::mutex mutex;
  Clock queued{};
  std::array<Clock, max_streams> knows{};
  std::vector<int> spare;
  int made = 0;
};

std::array<Order, max_devices>& orders = *new std::array<Order, max_devices>;

thread_local std::array<int, max_devices> current{};

// Own holds the streams of a thread, which other threads may reuse after its end.
struct Own {
  std::array<int, max_devices> streams{};
  ~Own() {
    for (int d = 0; d < max_devices; d++) {
      if (streams[d] == 0) continue;
      std::lock_guard lock(orders[d].mutex);
      orders[d].spare.push_back(streams[d]);
    }
  }
};

thread_local Own own;

void raise_to(Clock& clock, const Clock& other) {
  for (int t = 0; t < max_streams; t++) clock[t] = std::max(clock[t], other[t]);
}

bool after(const Order& order, int stream, int other, uint64_t when) { return stream == other || when <= order.knows[stream][other]; }

}  // namespace

int current_stream(c10::DeviceIndex device) { return current[device]; }

void set_stream(c10::DeviceIndex device, int stream) {
  TORCH_CHECK(stream >= 0 && stream < max_streams, "stand-in: no stream ", stream);
  current[device] = stream;
}

int own_stream(c10::DeviceIndex device) {
  int& stream = own.streams[device];
  if (stream != 0) return stream;
  Order& order = orders[device];
  std::lock_guard lock(order.mutex);
  if (!order.spare.empty()) {
    stream = order.spare.back();
    order.spare.pop_back();
  } else {
    TORCH_CHECK(order.made + 1 < max_streams, "stand-in: more threads than it has streams");
    stream = ++order.made;
  }
  return stream;
}

uint64_t tick(c10::DeviceIndex device) {
  std::lock_guard lock(orders[device].mutex);
  return ++orders[device].queued[current[device]];
}

Clock reached(c10::DeviceIndex device, int stream) {
  Order& order = orders[device];
  std::lock_guard lock(order.mutex);
  Clock clock = order.knows[stream];
  clock[stream] = order.queued[stream];
  return clock;
}

void wait(c10::DeviceIndex device, int stream, const Clock& for_) {
  std::lock_guard lock(orders[device].mutex);
  raise_to(orders[device].knows[stream], for_);
}

void settle(c10::DeviceIndex device, const Clock& done) {
  std::lock_guard lock(orders[device].mutex);
  for (Clock& known : orders[device].knows) raise_to(known, done);
}

void touch(c10::DeviceIndex device, Touched& block, bool writes) {
  Order& order = orders[device];
  std::lock_guard lock(order.mutex);
  int stream = current[device];
  TORCH_CHECK(block.writer < 0 || after(order, stream, block.writer, block.written), "stand-in: a kernel of stream ", stream,
              " uses what stream ", block.writer, " writes, and has not waited for it");
  auto reads = std::find_if(block.readers.begin(), block.readers.end(), [&](const auto& r) { return r.first == stream; });
  if (!writes) {
    if (reads == block.readers.end()) reads = block.readers.insert(reads, {stream, 0});
    reads->second = order.queued[stream];
    return;
  }
  for (auto [reader, when] : block.readers) {
    TORCH_CHECK(after(order, stream, reader, when), "stand-in: a kernel of stream ", stream, " writes what stream ", reader,
                " reads, and has not waited for it");
  }
  block.readers.clear();
  block.writer = stream;
  block.written = order.queued[stream];
}

bool idle(c10::DeviceIndex device, const Touched& block, int stream) {
  Order& order = orders[device];
  std::lock_guard lock(order.mutex);
  if (block.writer >= 0 && !after(order, stream, block.writer, block.written)) return false;
  return std::all_of(block.readers.begin(), block.readers.end(), [&](const auto& r) { return after(order, stream, r.first, r.second); });
}

}  // namespace standin
