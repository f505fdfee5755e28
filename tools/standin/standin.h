// The stand-in's parts. A device's memory has two addresses: the one that tensors hold, where
// nothing can be read or written, and the one that kernels use. So a host that reads a GPU's
// memory crashes, as it would with a GPU, while kernels on other threads go on.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <optional>
#include <string>

namespace standin {

constexpr int max_devices = 4;

// Library is what stands behind a kernel.
enum class Library { cuda, cublas, cudnn };

// Settings are read once from LOSSCORR_STANDIN: "memory=64m,devices=2,lose=1000".
struct Settings {
  int devices = 2;
  size_t memory = size_t(4) << 30;  // bytes of each device
  int64_t lose = 0;                 // the call at which the device is lost; 0: never
  std::optional<Library> breaks;    // whose first kernel loses it: "break=cublas"
};
const Settings& settings();

// enter is called by each kernel and each question to the device: it counts the calls, and
// throws once the device is lost, in the words of the library that stands behind the kernel.
void enter(c10::DeviceIndex device, Library library = Library::cuda);
void check_alive();  // without counting
void synchronize(c10::DeviceIndex device);
bool used(c10::DeviceIndex device);

c10::DeviceIndex current_device();
void set_device(c10::DeviceIndex device);  // throws where there is no such device

// kernel_address is the address under which kernels reach what a tensor's address names, or
// nullptr where that is no memory of a device.
char* kernel_address(const void* address);
// device_of_kernel_address is the device of what kernels reach there, -1: none.
int device_of_kernel_address(const void* address);
c10::DeviceAllocator* allocator();
c10::Allocator* pinned_allocator();
bool is_pinned(const void* address);
int device_of_address(const void* address);

// take_off notes a copy from the pinned memory of source that the host does not wait for. land is
// called where the host waits for the device: it throws if the host has written there since.
void take_off(const at::Tensor& source, c10::DeviceIndex device);
void land(c10::DeviceIndex device);

struct Statistics {
  int64_t allocated, peak, reserved, total;
};
Statistics statistics(c10::DeviceIndex device);
void reset_peak(c10::DeviceIndex device);
void empty_cache();

// seen_by_kernels is a tensor on the CPU of the same elements in the same memory; a tensor on
// the CPU is itself.
at::Tensor seen_by_kernels(const at::Tensor& t);

// to_device copies a kernel's result to new memory of the device, with its strides.
at::Tensor to_device(const at::Tensor& result, c10::Device device);

// common_device is the one device of all operands. An operand elsewhere is refused, as CUDA
// refuses it, but for a scalar on the CPU.
c10::Device common_device(at::ArrayRef<at::Tensor> operands, const char* kernel);

// drawn is a generator of the CPU for one kernel's draws; it moves the device's generator on.
at::Generator drawn(const at::Generator& g);
at::Generator new_generator(c10::DeviceIndex device);

}  // namespace standin
