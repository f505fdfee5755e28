// The stand-in's parts. A device's memory has two addresses: the one that tensors hold, where
// nothing can be read or written, and the one that kernels use. So a host that reads a GPU's
// memory crashes, as it would with a GPU, while kernels on other threads go on.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
  bool report = false;              // "report=1": each recording says how many kernels it has
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

// Streams are numbers, 0 is the default one. Kernels are done at once, but what one stream has
// been asked for is taken for done only by those that have waited for it.
constexpr int max_streams = 64;  // of each device
using Clock = std::array<uint64_t, max_streams>;  // of each stream, how many kernels

int current_stream(c10::DeviceIndex device);
void set_stream(c10::DeviceIndex device, int stream);
int own_stream(c10::DeviceIndex device);  // of this thread alone
uint64_t tick(c10::DeviceIndex device);   // the number of the next kernel of the current stream
Clock reached(c10::DeviceIndex device, int stream);                // what is done when all of stream is
void wait(c10::DeviceIndex device, int stream, const Clock& for_);  // what stream is asked for from now on comes after
void settle(c10::DeviceIndex device, const Clock& done);            // the host has waited for it

// Touched is what streams have done with a block of memory.
struct Touched {
  int writer = -1;
  uint64_t written = 0;
  std::vector<std::pair<int, uint64_t>> readers;  // since it was written
};
// touch throws where the current stream has not waited for what another one does there.
void touch(c10::DeviceIndex device, Touched& block, bool writes);
// idle says whether stream has waited for all of it.
bool idle(c10::DeviceIndex device, const Touched& block, int stream);

// record does work again at each replay of what this thread records, where it records. A kernel
// calls it with what it has just done.
void record(std::function<void()> work);
// refuse throws where this thread records: what is not allowed then.
void refuse(const char* what);
// check_stream throws where the current stream is not the one that this thread records, or is one
// that another thread records.
void check_stream(c10::DeviceIndex device);
uint64_t recording();  // the number of what this thread records, 0: nothing
void preserve(c10::DeviceIndex device, size_t offset, uint64_t serial, size_t size, bool writes);

uint64_t graph_begin(std::vector<at::Generator> generators);
void graph_end(uint64_t graph);
void graph_replay(uint64_t graph);
void graph_free(uint64_t graph);

// kernel_address is the address under which kernels reach what a tensor's address names, or
// nullptr where that is no memory of a device.
char* kernel_address(const void* address);
void touch_address(const void* address, bool writes);  // a kernel reads or writes there
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

// A recording has a pool of memory that it keeps until its end.
void end_pool(uint64_t pool);
// restore and spoil are for the end of a recording, none of whose work was done: what memory held
// before, and nothing in the memory of a pool.
char* memory_of(c10::DeviceIndex device, size_t offset);
void spoil(uint64_t pool);
// still says whether the block is the one that it was; used notes that a replay uses it.
bool still(c10::DeviceIndex device, size_t offset, uint64_t serial);
void use(c10::DeviceIndex device, size_t offset, bool writes);

// seen_by_kernels is a tensor on the CPU of the same elements in the same memory; a tensor on
// the CPU is itself.
at::Tensor seen_by_kernels(const at::Tensor& t, bool written = false);

// kernel runs compute, which makes tensors on the CPU of what kernels see, and copies them to the
// device.
std::vector<at::Tensor> kernel(c10::Device device, std::function<std::vector<at::Tensor>()> compute);

// to_device copies a kernel's result to new memory of the device, with its strides.
at::Tensor to_device(const at::Tensor& result, c10::Device device);

// common_device is the one device of all operands. An operand elsewhere is refused, as CUDA
// refuses it, but for a scalar on the CPU.
c10::Device common_device(at::ArrayRef<at::Tensor> operands, const char* kernel);

// Draw is one kernel's draws. Making it moves the device's generator on, or what is recorded.
class Draw {
 public:
  explicit Draw(const at::Generator& g);
  at::Generator now() const;  // a generator of the CPU for them

 private:
  at::Generator of_;
  uint64_t offset_;
  bool recorded_;  // offset_ counts from where a replay begins
};
at::Generator new_generator(c10::DeviceIndex device);
void begin_draws(const at::Generator& g, uint64_t graph);
uint64_t end_draws(const at::Generator& g);  // how far a replay moves it on
void move_on(const at::Generator& g, uint64_t by);

}  // namespace standin
