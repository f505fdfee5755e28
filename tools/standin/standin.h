// The stand-in's parts. A device's memory has two addresses: an inaccessible one, which tensors
// hold, and one for kernels. So a host that reads a GPU's memory crashes, as with a real GPU,
// while kernels on other threads continue.
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

// Library is the CUDA library that a kernel would call.
enum class Library { cuda, cublas, cudnn };

// Settings are read once from LOSSCORR_STANDIN: "memory=64m,devices=2,lose=1000".
struct Settings {
  int devices = 2;
  size_t memory = size_t(4) << 30;  // bytes of each device
  int64_t lose = 0;                 // the call at which the device is lost; 0: never
  std::optional<Library> breaks;    // library whose first kernel loses it: "break=cublas"
  bool report = false;              // "report=1": print each recording's number of kernels
};
const Settings& settings();

// enter is called by each kernel and query of the device. It counts the calls and, once the
// device is lost, throws in the words of the kernel's library.
void enter(c10::DeviceIndex device, Library library = Library::cuda);
void check_alive();  // without counting
void synchronize(c10::DeviceIndex device);
bool used(c10::DeviceIndex device);

c10::DeviceIndex current_device();
void set_device(c10::DeviceIndex device);  // throws for an unknown device

// Streams are numbers; 0 is the default. Kernels run at once, but only streams that have waited
// for a stream may rely on its work.
constexpr int max_streams = 64;  // of each device
using Clock = std::array<uint64_t, max_streams>;  // of each stream, how many kernels

int current_stream(c10::DeviceIndex device);
void set_stream(c10::DeviceIndex device, int stream);
int own_stream(c10::DeviceIndex device);  // only for this thread
uint64_t tick(c10::DeviceIndex device);   // the number of the next kernel of the current stream
Clock reached(c10::DeviceIndex device, int stream);                // finished work once all of stream is finished
void wait(c10::DeviceIndex device, int stream, const Clock& for_);  // stream's next work comes after for_
void settle(c10::DeviceIndex device, const Clock& done);            // the host has waited for it

// Touched records how streams have used a block of memory.
struct Touched {
  int writer = -1;
  uint64_t written = 0;
  std::vector<std::pair<int, uint64_t>> readers;  // since it was written
};
// touch throws if the current stream has not waited for another stream's use of the memory.
void touch(c10::DeviceIndex device, Touched& block, bool writes);
// idle reports whether stream has waited for all of it.
bool idle(c10::DeviceIndex device, const Touched& block, int stream);

// record adds work to this thread's recording, if there is one, for each replay to repeat. A
// kernel calls it with the work that it has just done.
void record(std::function<void()> work);
// refuse throws if this thread records; call it where recording is not allowed.
void refuse(const char* what);
// check_stream throws if the current stream is not the one recorded by this thread, or is
// recorded by another.
void check_stream(c10::DeviceIndex device);
uint64_t recording();  // number of this thread's recording; 0: none
void preserve(c10::DeviceIndex device, size_t offset, uint64_t serial, size_t size, bool writes);

uint64_t graph_begin(std::vector<at::Generator> generators);
void graph_end(uint64_t graph);
void graph_replay(uint64_t graph);
void graph_free(uint64_t graph);

// kernel_address returns the address for kernels of a tensor's address, or nullptr if it is not
// memory of a device.
char* kernel_address(const void* address);
void touch_address(const void* address, bool writes);  // a kernel reads or writes there
c10::DeviceAllocator* allocator();
c10::Allocator* pinned_allocator();
bool is_pinned(const void* address);
int device_of_address(const void* address);

// take_off records a copy from the pinned memory of source that the host does not wait for. land
// is called when the host waits for the device, and throws if the host has written there since.
void take_off(const at::Tensor& source, c10::DeviceIndex device);
void land(c10::DeviceIndex device);

struct Statistics {
  int64_t allocated, peak, reserved, total;
};
Statistics statistics(c10::DeviceIndex device);
void reset_peak(c10::DeviceIndex device);
void empty_cache();

// A recording keeps a pool of memory until its end.
void end_pool(uint64_t pool);
// restore and invalidate undo the work of a recording at its end: restore writes the previous
// contents, and invalidate fills the memory of a pool with NaN.
char* memory_of(c10::DeviceIndex device, size_t offset);
void invalidate(uint64_t pool);
// still reports whether the block is still the same; used records that a replay uses it.
bool still(c10::DeviceIndex device, size_t offset, uint64_t serial);
void use(c10::DeviceIndex device, size_t offset, bool writes);

// seen_by_kernels returns a CPU tensor of the same elements in the same memory; a CPU tensor is
// returned unchanged.
at::Tensor seen_by_kernels(const at::Tensor& t, bool written = false);

// kernel runs compute, which returns CPU tensors, and copies them to the device.
std::vector<at::Tensor> kernel(c10::Device device, std::function<std::vector<at::Tensor>()> compute);

// to_device copies a kernel's result to new memory of the device, with its strides.
at::Tensor to_device(const at::Tensor& result, c10::Device device);

// common_device returns the one device of all operands. Like CUDA it refuses operands elsewhere,
// except scalars on the CPU.
c10::Device common_device(at::ArrayRef<at::Tensor> operands, const char* kernel);

// Draw is one kernel's draws. Its constructor advances the generator of the device or recording.
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
uint64_t end_draws(const at::Generator& g);  // how far a replay advances it
void move_on(const at::Generator& g, uint64_t by);

}  // namespace standin
