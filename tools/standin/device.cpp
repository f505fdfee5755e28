// libtorch's interface to a kind of device: their number, the current device and its stream, and
// the functions of CUDAHooksInterface.

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "standin.h"

namespace standin {
namespace {

thread_local c10::DeviceIndex device_of_thread = 0;
std::atomic<int64_t> calls{0};
std::atomic<bool> lost{false};
std::array<std::atomic<bool>, max_devices> contexts;

int64_t number(const std::string& text) {
  char* end = nullptr;
  int64_t n = std::strtoll(text.c_str(), &end, 10);
  switch (*end) {
    case 'k': return n << 10;
    case 'm': return n << 20;
    case 'g': return n << 30;
    default: return n;
  }
}

Settings read_settings() {
  Settings s;
  const char* text = std::getenv("LOSSCORR_STANDIN");
  std::istringstream parts(text == nullptr ? "" : text);
  for (std::string part; std::getline(parts, part, ',');) {
    size_t equals = part.find('=');
    TORCH_CHECK(equals != std::string::npos, "LOSSCORR_STANDIN: ", part, " has no value");
    std::string key = part.substr(0, equals);
    int64_t value = number(part.substr(equals + 1));
    if (key == "devices") {
      TORCH_CHECK(value >= 0 && value <= max_devices, "LOSSCORR_STANDIN: ", value, " devices");
      s.devices = static_cast<int>(value);
    } else if (key == "memory") {
      s.memory = static_cast<size_t>(value);
    } else if (key == "lose") {
      s.lose = value;
    } else if (key == "report") {
      s.report = value != 0;
    } else if (key == "break") {
      s.breaks = part.ends_with("cublas") ? Library::cublas : Library::cudnn;
    } else {
      TORCH_CHECK(false, "LOSSCORR_STANDIN: unknown key ", key);
    }
  }
  return s;
}

// The messages are copied from libtorch 2.11 with CUDA 13.
const char* lost_text(Library library) {
  switch (library) {
    case Library::cublas: return "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, n, k)`";
    case Library::cudnn: return "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDA error: an illegal memory access was encountered\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";
  }
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device d) const override {
    c10::Device before = getDevice();
    setDevice(d);
    return before;
  }
  c10::Device getDevice() const override { return {c10::kCUDA, current_device()}; }
  void setDevice(c10::Device d) const override {
    TORCH_CHECK(d.is_cuda(), "stand-in: ", d, " is no CUDA device");
    set_device(d.index());
  }
  void uncheckedSetDevice(c10::Device d) const noexcept override { device_of_thread = d.index(); }
  c10::Stream getStream(c10::Device d) const override {
    if (!d.has_index()) d = getDevice();
    return c10::Stream(c10::Stream::UNSAFE, d, current_stream(d.index()));
  }
  c10::Stream getDefaultStream(c10::Device d) const override { return c10::Stream(c10::Stream::DEFAULT, d); }
  c10::Stream exchangeStream(c10::Stream s) const override {
    c10::Stream before = getStream(s.device());
    set_stream(s.device_index(), static_cast<int>(s.id()));
    return before;
  }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(settings().devices); }
  void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
    enter(stream.device_index());
    refuse("an event of libtorch's own");
    destroyEvent(*event, stream.device_index());
    *event = new Clock(reached(stream.device_index(), static_cast<int>(stream.id())));
  }
  void block(void* event, const c10::Stream& stream) const override {
    enter(stream.device_index());
    refuse("an event of libtorch's own");
    wait(stream.device_index(), static_cast<int>(stream.id()), *static_cast<Clock*>(event));
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Clock*>(event); }
  bool queryEvent(void*) const override { return true; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream& stream) const override { synchronize(stream.device_index()); }
  void synchronizeEvent(void*) const override { synchronize(current_device()); }
  void synchronizeDevice(c10::DeviceIndex d) const override { synchronize(d); }
};

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

struct CUDAHooks final : at::CUDAHooksInterface {
  explicit CUDAHooks(at::CUDAHooksArgs) {}
  void init() const override { check_alive(); }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return settings().devices > 0; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    TORCH_CHECK(false, "stand-in: a draw from libtorch's global generator: each draw names its stream");
  }
  at::Generator getNewGenerator(c10::DeviceIndex d) const override { return new_generator(d < 0 ? current_device() : d); }
  c10::Device getDeviceFromPtr(void* p) const override {
    int d = device_of_address(p);
    TORCH_CHECK(d >= 0, "stand-in: an address outside the memory of its devices");
    return {c10::kCUDA, static_cast<c10::DeviceIndex>(d)};
  }
  bool isPinnedPtr(const void* p) const override { return is_pinned(p); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  c10::Allocator* getCUDADeviceAllocator() const override { return allocator(); }
  bool hasCUDA() const override { return settings().devices > 0; }
  bool hasCUDART() const override { return true; }
  bool hasCuDNN() const override { return true; }
  bool compiledWithCuDNN() const override { return true; }
  bool supportsDilatedConvolutionWithCuDNN() const override { return true; }
  bool supportsDepthwiseConvolutionWithCuDNN() const override { return true; }
  bool supportsBFloat16ConvolutionWithCuDNNv8() const override { return true; }
  bool supportsBFloat16RNNWithCuDNN() const override { return true; }
  long versionCuDNN() const override { return 91900; }
  long versionRuntimeCuDNN() const override { return 91900; }
  long versionCUDART() const override { return 13000; }
  double batchnormMinEpsilonCuDNN() const override { return 0; }
  bool hasPrimaryContext(c10::DeviceIndex d) const override { return used(d); }
  c10::DeviceIndex current_device() const override { return standin::current_device(); }
  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(settings().devices); }
  c10::DeviceIndex getCurrentDevice() const override { return standin::current_device(); }
  void setCurrentDevice(c10::DeviceIndex d) const override { set_device(d); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex d) const override {
    c10::DeviceIndex before = standin::current_device();
    set_device(d);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex d) const override { return exchangeDevice(d); }
  int getNumGPUs() const override { return settings().devices; }
  std::string showConfig() const override { return "  - stand-in, no GPU\n  - NVCC architecture flags: -gencode;arch=compute_90,code=sm_90\n"; }
  void deviceSynchronize(c10::DeviceIndex d) const override { synchronize(d); }
};

using at::CUDAHooksRegistry;
using at::RegistererCUDAHooksRegistry;
C10_REGISTER_TYPED_CLASS(CUDAHooksRegistry, "CUDAHooks", CUDAHooks)

}  // namespace

const Settings& settings() {
  static const Settings s = read_settings();
  return s;
}

void check_alive() { TORCH_CHECK(!lost, lost_text(Library::cuda)); }

void enter(c10::DeviceIndex device, Library library) {
  TORCH_CHECK(device >= 0 && device < settings().devices, "CUDA error: invalid device ordinal");
  contexts[device] = true;
  if ((settings().lose > 0 && ++calls >= settings().lose) || settings().breaks == library) lost = true;
  TORCH_CHECK(!lost, lost_text(library));
  check_stream(device);
  tick(device);
}

void synchronize(c10::DeviceIndex device) {
  enter(device);
  refuse("the host waits for the device");
  land(device);
  for (int stream = 0; stream < max_streams; stream++) settle(device, reached(device, stream));
}

bool used(c10::DeviceIndex device) { return device >= 0 && device < max_devices && contexts[device]; }

c10::DeviceIndex current_device() { return device_of_thread; }

void set_device(c10::DeviceIndex device) {
  TORCH_CHECK(device >= 0 && device < settings().devices, "CUDA error: invalid device ordinal");
  device_of_thread = device;
}

}  // namespace standin
