// The stand-in's half of the C ABI, corresponding to cgo/shim/cuda.cpp for CUDA.

#include <ATen/detail/CUDAHooksInterface.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "random.h"
#include "shim.h"
#include "standin.h"

using namespace lt;

namespace {

c10::DeviceIndex index_of(int32_t index) {
  TORCH_CHECK(index >= 0 && index < standin::settings().devices, "CUDA error: invalid device ordinal");
  return static_cast<c10::DeviceIndex>(index);
}

}  // namespace

lt_error* lt_cuda_hooks(int32_t* real) {
  return guard([&] { *real = at::detail::getCUDAHooks().hasCUDART(); });
}

lt_error* lt_cuda_probe(int32_t* devices, int32_t* driver, int32_t* runtime, char** config, char** reason) {
  return guard([&] {
    *config = *reason = nullptr;
    *driver = *runtime = 13000;
    *devices = standin::settings().devices;
    if (*devices == 0) {
      *reason = strdup("CUDA finds no device");
    } else {
      *config = strdup(at::detail::getCUDAHooks().showConfig().c_str());
    }
  });
}

lt_error* lt_cuda_capability(int32_t index, int32_t* major, int32_t* minor) {
  return guard([&] {
    index_of(index);
    *major = 9;
    *minor = 0;
  });
}

lt_error* lt_cuda_alive(void) {
  return guard([] { standin::check_alive(); });
}

lt_error* lt_cuda_device_name(int32_t index, char* buffer, int32_t size) {
  return guard([&] { std::snprintf(buffer, size, "stand-in %d, no GPU", int(index_of(index))); });
}

lt_error* lt_cuda_synchronize(int32_t index) {
  return guard([&] { standin::synchronize(index_of(index)); });
}

lt_error* lt_cuda_memory(int32_t index, int64_t* allocated, int64_t* reserved, int64_t* total) {
  return guard([&] {
    auto s = standin::statistics(index_of(index));
    *allocated = s.allocated;
    *reserved = s.reserved;
    *total = s.total;
  });
}

lt_error* lt_cuda_empty_cache(void) {
  return guard([] { standin::empty_cache(); });
}

namespace {

// Before holds a thread's previous device and stream.
struct Before {
  c10::DeviceIndex device;         // of the thread
  c10::DeviceIndex of;             // whose stream it is
  int stream;
};

uint64_t graph_of(void* graph) { return reinterpret_cast<uintptr_t>(graph); }

}  // namespace

lt_error* lt_cuda_stream_enter(int32_t index, void** before) {
  return guard([&] {
    auto device = index_of(index);
    standin::enter(device);
    int left = standin::current_stream(device), own = standin::own_stream(device);
    standin::wait(device, own, standin::reached(device, left));
    *before = new Before{standin::current_device(), device, left};
    standin::set_device(device);
    standin::set_stream(device, own);
  });
}

lt_error* lt_cuda_stream_leave(void* before) {
  return guard([&] {
    std::unique_ptr<Before> left(static_cast<Before*>(before));
    int own = standin::current_stream(left->of);
    standin::set_stream(left->of, left->stream);
    standin::set_device(left->device);
    standin::enter(left->of);
    standin::wait(left->of, left->stream, standin::reached(left->of, own));
  });
}

lt_error* lt_cuda_graph_begin(lt_generator* const* generators, int32_t n, void** out) {
  return guard([&] {
    std::vector<at::Generator> all;
    for (int32_t i = 0; i < n; i++) all.push_back(generators[i]->generator);
    *out = reinterpret_cast<void*>(standin::graph_begin(all));
  });
}

lt_error* lt_cuda_graph_end(void* graph) {
  return guard([&] { standin::graph_end(graph_of(graph)); });
}

lt_error* lt_cuda_graph_replay(void* graph) {
  return guard([&] { standin::graph_replay(graph_of(graph)); });
}

lt_error* lt_cuda_graph_free(void* graph) {
  return guard([&] { standin::graph_free(graph_of(graph)); });
}

#define LT_ENTRY(name, params, args) lt_cuda_##name,
static const lt_cuda_api table = {LT_CUDA_FUNCTIONS(LT_ENTRY)};

extern "C" __attribute__((visibility("default"))) const lt_cuda_api* lt_open_cuda(const char** fingerprint_text) {
  *fingerprint_text = LT_CUDA_FINGERPRINT_TEXT;
  return &table;
}
