// A thread's own stream, and work that is recorded there once and repeated with one launch.

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "random.h"
#include "shim.h"

using namespace lt;

namespace {

void check(cudaError_t code) { TORCH_CHECK(code == cudaSuccess, "CUDA error: ", cudaGetErrorString(code)); }

// admit lets a graph's recording draw from a generator. libtorch 2.15 does this by itself.
template <class G>
void admit(G& graph, const at::Generator& generator) {
  if constexpr (requires { graph.register_generator_state(generator); }) graph.register_generator_state(generator);
}

// Streams without a thread. libtorch's own pool gives one stream to two threads once 32 were
// requested, and two threads that record on one stream mix up their work.
std::mutex spare_mutex;
std::map<c10::DeviceIndex, std::vector<cudaStream_t>>& spare = *new std::map<c10::DeviceIndex, std::vector<cudaStream_t>>;

// Streams are one thread's, which keeps them because cuBLAS has a workspace for each stream.
struct Streams {
  std::map<c10::DeviceIndex, cudaStream_t> own;

  cudaStream_t of(c10::DeviceIndex device) {
    auto found = own.find(device);
    if (found != own.end()) return found->second;
    cudaStream_t stream = nullptr;
    {
      std::lock_guard lock(spare_mutex);
      auto& list = spare[device];
      if (!list.empty()) {
        stream = list.back();
        list.pop_back();
      }
    }
    if (stream == nullptr) {
      c10::cuda::CUDAGuard guard(device);
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    own[device] = stream;
    return stream;
  }

  ~Streams() {
    std::lock_guard lock(spare_mutex);
    for (auto [device, stream] : own) spare[device].push_back(stream);
  }
};

thread_local Streams streams;

// Before is what was current on a thread.
struct Before {
  c10::DeviceIndex device;
  c10::cuda::CUDAStream stream;
};

// follow makes later wait for all work queued on first so far. The host does not wait.
void follow(const c10::cuda::CUDAStream& later, const c10::cuda::CUDAStream& first) {
  c10::cuda::CUDAGuard guard(first.device_index());
  cudaEvent_t event;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaError_t code = cudaEventRecord(event, first.stream());
  if (code == cudaSuccess) code = cudaStreamWaitEvent(later.stream(), event, 0);
  cudaEventDestroy(event);  // waiting streams still wait for it
  check(code);
}

struct Graph {
  at::cuda::CUDAGraph graph;
  at::cuda::MempoolId_t pool;
  c10::DeviceIndex device;
  std::vector<lt_generator*> generators;
  bool under_way = false;

  bool recorded() noexcept {
    try {
      graph.pool();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  // abandon restores the stream, the allocator and the generators. libtorch does so only in
  // capture_end, and only if nothing has failed.
  void abandon() noexcept {
    under_way = false;
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device).stream();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone) {
      cudaGraph_t part = nullptr;
      if (cudaStreamEndCapture(stream, &part) == cudaSuccess && part != nullptr) cudaGraphDestroy(part);
    }
    cudaGetLastError();  // not sticky, and already reported
    const bool released_by_graph = recorded();
    try {
      c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool);
    } catch (const std::exception&) {  // capture_end got that far
    }
    try {
      if (!released_by_graph) c10::cuda::CUDACachingAllocator::releasePool(device, pool);
    } catch (const std::exception&) {  // not begun
    }
    // A recorded generator refuses all other draws until the end of the recording.
    for (lt_generator* g : generators) g->generator = g->generator.clone();
  }
};

Graph* graph_of(void* graph) { return static_cast<Graph*>(graph); }

}  // namespace

lt_error* lt_cuda_stream_enter(int32_t index, void** before) {
  return guard([&] {
    auto device = static_cast<c10::DeviceIndex>(index);
    auto own = c10::cuda::getStreamFromExternal(streams.of(device), device);
    auto left = std::make_unique<Before>(Before{c10::cuda::current_device(), c10::cuda::getCurrentCUDAStream(device)});
    follow(own, left->stream);
    c10::cuda::set_device(device);
    c10::cuda::setCurrentCUDAStream(own);
    *before = left.release();
  });
}

lt_error* lt_cuda_stream_leave(void* before) {
  return guard([&] {
    std::unique_ptr<Before> left(static_cast<Before*>(before));
    auto own = c10::cuda::getCurrentCUDAStream(left->stream.device_index());
    c10::cuda::setCurrentCUDAStream(left->stream);
    c10::cuda::set_device(left->device);
    follow(left->stream, own);
  });
}

lt_error* lt_cuda_graph_begin(lt_generator* const* generators, int32_t n, void** out) {
  return guard([&] {
    auto g = std::make_unique<Graph>();
    g->device = c10::cuda::current_device();
    g->pool = at::cuda::graph_pool_handle();
    // While it records, the allocator cannot return cached memory to make room.
    check(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream().stream()));
    c10::cuda::CUDACachingAllocator::emptyCache();
    try {
      for (int32_t i = 0; i < n; i++) {
        admit(g->graph, generators[i]->generator);
        g->generators.push_back(generators[i]);
      }
      // Other threads keep working, and may allocate.
      g->graph.capture_begin(g->pool, cudaStreamCaptureModeThreadLocal);
    } catch (...) {
      g->abandon();
      throw;
    }
    g->under_way = true;
    *out = g.release();
  });
}

lt_error* lt_cuda_graph_end(void* graph) {
  return guard([&] {
    Graph* g = graph_of(graph);
    try {
      g->graph.capture_end();
    } catch (...) {
      g->abandon();
      throw;
    }
    g->under_way = false;
  });
}

lt_error* lt_cuda_graph_replay(void* graph) {
  return guard([&] { graph_of(graph)->graph.replay(); });
}

lt_error* lt_cuda_graph_free(void* graph) {
  return guard([&] {
    std::unique_ptr<Graph> g(graph_of(graph));
    if (g->under_way) g->abandon();
  });
}
