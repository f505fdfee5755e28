// Recordings. While a thread records, its kernels run, since libtorch needs the shapes of their
// results. Their effects are undone at the end, since a CUDA graph executes nothing while
// recording. A replay runs the kernels again, in the same memory.

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "standin.h"

namespace standin {
namespace {

// Kept is memory from outside of a recording that its kernels use.
struct Kept {
  uint64_t serial;
  bool written;
  std::string bytes;  // before the recording
};

struct Graph {
  uint64_t number;
  c10::DeviceIndex device;
  int stream;
  std::vector<std::pair<at::Generator, uint64_t>> draws;  // and how far a replay moves them on
  std::vector<std::function<void()>> work;
  std::map<size_t, Kept> outside;
  std::string failed;  // why nothing can be replayed
};

std::mutex graphs_mutex;
std::map<uint64_t, std::unique_ptr<Graph>>& graphs = *new std::map<uint64_t, std::unique_ptr<Graph>>;
uint64_t numbers = 0;

thread_local Graph* mine = nullptr;  // recorded by this thread
std::array<std::array<std::atomic<Graph*>, max_streams>, max_devices> recorded;

Graph& graph_of(uint64_t number) {
  std::lock_guard lock(graphs_mutex);
  return *graphs.at(number);
}

// fail throws an error in CUDA's words and invalidates the recording.
void fail(const std::string& why) {
  if (mine != nullptr && mine->failed.empty()) mine->failed = why;
  TORCH_CHECK(false, why);
}

// stop ends a recording and undoes its work.
void stop(Graph& g) {
  mine = nullptr;
  recorded[g.device][g.stream] = nullptr;
  for (auto& [offset, kept] : g.outside) {
    if (still(g.device, offset, kept.serial)) std::memcpy(memory_of(g.device, offset), kept.bytes.data(), kept.bytes.size());
    kept.bytes = {};
  }
  for (auto& [generator, by] : g.draws) by = end_draws(generator);
  invalidate(g.number);
}

}  // namespace

uint64_t recording() { return mine == nullptr ? 0 : mine->number; }

void record(std::function<void()> work) {
  if (mine != nullptr) mine->work.push_back(std::move(work));
}

void refuse(const char* what) {
  if (mine != nullptr) fail("CUDA error: operation not permitted when stream is capturing (stand-in: " + std::string(what) + ")");
}

void check_stream(c10::DeviceIndex device) {
  int stream = current_stream(device);
  if (mine != nullptr) {
    if (!mine->failed.empty()) TORCH_CHECK(false, "CUDA error: operation failed due to a previous error during capture");
    if (device != mine->device || stream != mine->stream)
      fail("CUDA error: operation would make the legacy stream depend on a capturing blocking stream (stand-in: work of stream " +
           std::to_string(stream) + " of cuda:" + std::to_string(device) + " while another one is recorded)");
    return;
  }
  TORCH_CHECK(recorded[device][stream] == nullptr,
              "CUDA error: attempt to terminate a thread-local capture sequence from another thread (stand-in: work of a stream that another thread records)");
}

void preserve(c10::DeviceIndex device, size_t offset, uint64_t serial, size_t size, bool writes) {
  auto found = mine->outside.find(offset);
  if (found == mine->outside.end()) {
    mine->outside[offset] = {serial, writes, std::string(memory_of(device, offset), size)};
  } else if (found->second.serial == serial) {
    found->second.written |= writes;
  } else {
    fail("stand-in: memory that is recorded was freed meanwhile");
  }
}

uint64_t graph_begin(std::vector<at::Generator> generators) {
  c10::DeviceIndex device = current_device();
  synchronize(device);
  int stream = current_stream(device);
  TORCH_CHECK(mine == nullptr, "stand-in: a recording within a recording");
  TORCH_CHECK(stream != 0, "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the default stream.)");
  auto g = std::make_unique<Graph>();
  g->device = device;
  g->stream = stream;
  std::lock_guard lock(graphs_mutex);
  g->number = ++numbers;
  for (at::Generator& generator : generators) {
    begin_draws(generator, g->number);
    g->draws.emplace_back(generator, 0);
  }
  mine = g.get();
  recorded[device][stream] = g.get();
  graphs[g->number] = std::move(g);
  return numbers;
}

void graph_end(uint64_t number) {
  Graph& g = graph_of(number);
  TORCH_CHECK(mine == &g, "Capture must end on the same stream it began on.");
  stop(g);
  TORCH_CHECK(g.failed.empty(), "CUDA error: operation failed due to a previous error during capture (stand-in: ", g.failed, ")");
  if (settings().report) std::fprintf(stderr, "stand-in: recorded %zu kernels\n", g.work.size());
}

void graph_replay(uint64_t number) {
  Graph& g = graph_of(number);
  refuse("a replay");
  enter(g.device);
  for (auto& [offset, kept] : g.outside) {
    TORCH_CHECK(still(g.device, offset, kept.serial), "stand-in: a recording uses memory that was freed");
    use(g.device, offset, kept.written);
  }
  for (auto& work : g.work) {
    enter(g.device);
    work();
  }
  for (auto& [generator, by] : g.draws) move_on(generator, by);
}

void graph_free(uint64_t number) {
  Graph& g = graph_of(number);
  if (mine == &g) stop(g);
  end_pool(number);
  std::lock_guard lock(graphs_mutex);
  graphs.erase(number);
}

}  // namespace standin
