// The stand-in's half of the C ABI: what cgo/shim/cuda.cpp is for CUDA.

#include <ATen/detail/CUDAHooksInterface.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "shim.h"
#include "standin.h"

using namespace lt;

namespace {

c10::DeviceIndex index_of(int32_t index) {
  TORCH_CHECK(index >= 0 && index < standin::settings().devices, "CUDA error: invalid device ordinal");
  return static_cast<c10::DeviceIndex>(index);
}

using Clock = std::chrono::steady_clock;

struct Event {
  Clock::time_point time;
  bool recorded = false;
  c10::DeviceIndex device = 0;
};

Event* event_of(void* event) { return static_cast<Event*>(event); }

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

lt_error* lt_cuda_set_device(int32_t index) {
  return guard([&] { standin::set_device(index_of(index)); });
}

lt_error* lt_cuda_get_device(int32_t* out) {
  return guard([&] { *out = standin::current_device(); });
}

lt_error* lt_cuda_device_name(int32_t index, char* buffer, int32_t size) {
  return guard([&] { std::snprintf(buffer, size, "stand-in %d, no GPU", int(index_of(index))); });
}

lt_error* lt_cuda_synchronize(int32_t index) {
  return guard([&] { standin::synchronize(index_of(index)); });
}

lt_error* lt_cuda_memory(int32_t index, int64_t* allocated, int64_t* peak, int64_t* reserved, int64_t* total) {
  return guard([&] {
    auto s = standin::statistics(index_of(index));
    *allocated = s.allocated;
    *peak = s.peak;
    *reserved = s.reserved;
    *total = s.total;
  });
}

lt_error* lt_cuda_reset_peak(int32_t index) {
  return guard([&] { standin::reset_peak(index_of(index)); });
}

lt_error* lt_cuda_empty_cache(void) {
  return guard([] { standin::empty_cache(); });
}

lt_error* lt_cuda_event_new(void** out) {
  return guard([&] { *out = new Event; });
}

lt_error* lt_cuda_event_record(void* event) {
  return guard([&] {
    standin::enter(standin::current_device());
    *event_of(event) = {Clock::now(), true, standin::current_device()};
  });
}

lt_error* lt_cuda_event_wait(void* event) {
  return guard([&] {
    standin::check_alive();
    standin::land(event_of(event)->device);
  });
}

lt_error* lt_cuda_event_elapsed(void* start, void* end, double* milliseconds) {
  return guard([&] {
    TORCH_CHECK(event_of(start)->recorded && event_of(end)->recorded, "CUDA error: invalid resource handle");
    *milliseconds = std::chrono::duration<double, std::milli>(event_of(end)->time - event_of(start)->time).count();
  });
}

lt_error* lt_cuda_event_free(void* event) {
  delete event_of(event);
  return nullptr;
}

#define LT_ENTRY(name, params, args) lt_cuda_##name,
static const lt_cuda_api table = {LT_CUDA_FUNCTIONS(LT_ENTRY)};

extern "C" __attribute__((visibility("default"))) const lt_cuda_api* lt_open_cuda(const char** fingerprint_text) {
  *fingerprint_text = LT_CUDA_FINGERPRINT_TEXT;
  return &table;
}
