// Turns exceptions into errors. Compiled into both shims.

#include <c10/core/DeviceType.h>
#include <c10/util/Exception.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "shim.h"

namespace lt {
namespace {

lt_error* make_error(lt_kind kind, const char* message) noexcept {
  static lt_error out_of_memory = {LT_OUT_OF_MEMORY, const_cast<char*>("out of memory while reporting an error")};
  auto* e = static_cast<lt_error*>(std::malloc(sizeof(lt_error)));
  if (e == nullptr) return &out_of_memory;
  e->kind = kind;
  e->message = strdup(message);
  if (e->message == nullptr) {
    std::free(e);
    return &out_of_memory;
  }
  return e;
}

bool says(const char* message, std::initializer_list<const char*> words) {
  for (const char* w : words)
    if (std::strstr(message, w) != nullptr) return true;
  return false;
}

// lost reports whether a message is one of the errors after which every CUDA call of the process
// fails: the texts of cudaGetErrorString for errors documented so. libtorch's own advice, which
// follows, contains the words "device-side assertions".
bool lost(const char* m) {
  return says(m, {"CUDA error", "CUDA driver error"}) &&
         says(m, {"illegal memory access", "device-side assert triggered", "unspecified launch failure", "launch timed out", "uncorrectable ECC",
                  "uncorrectable NVLink", "hardware stack error", "illegal instruction", "misaligned address", "global/shared address space",
                  "invalid program counter", "or a hardware error", "MPS client has been terminated", "between the MPS server and the MPS client failed",
                  "error: unknown error"});
}

// kind_of reads libtorch's message, because most of its checks throw the same class.
lt_kind kind_of(const char* m, lt_kind otherwise) {
  if (says(m, {"INTERNAL ASSERT"})) return LT_INTERNAL;
  if (lost(m)) return LT_DEVICE_LOST;
  if (says(m, {"without overflow"})) return LT_VALUE;  // a scalar too large for the dtype
  if (says(m, {"can't allocate memory", "out of memory", "_ALLOC_FAILED", "ALLOCATION_FAILED"})) return LT_OUT_OF_MEMORY;
  if (says(m, {"same device", "is on cuda", "is on cpu", "on cpu, but", "CUDA driver", "CUDA error", "cuDNN error", "not linked with support for cuda",
               "not compiled with CUDA", "PyTorch is not linked"}))
    return LT_DEVICE;
  if (says(m, {"dtype", "scalar type", "ScalarType", "can't be cast", "data type", "not implemented for", "Expected floating point",
               "Expected tensor for argument #1 'indices'", "only Tensors of floating point", "BoolTensor", "LongTensor", "on a bool tensor"}))
    return LT_DTYPE;
  if (says(m, {"out of range", "out of bounds", "Dimension out of range", "selected index k", "exceeds dimension size"})) return LT_INDEX;
  if (says(m, {"size", "shape", "dimension", "cannot be multiplied", "must match", "broadcast", "expanded", "1D", "2D", "3D", "matrices",
               "numel", "view", "Number of dimensions", "dims", "should contain"}))
    return LT_SHAPE;
  return otherwise;
}

}  // namespace

lt_error* caught() noexcept {
  try {
    throw;
  } catch (const Stale& e) {
    return make_error(LT_STALE_HANDLE, e.what());
  } catch (const GoPanic& e) {
    char number[24];
    std::snprintf(number, sizeof number, "%lld", static_cast<long long>(e.number));
    return make_error(LT_PANIC, number);
  } catch (const c10::OutOfMemoryError& e) {
    return make_error(LT_OUT_OF_MEMORY, e.what_without_backtrace());
  } catch (const c10::IndexError& e) {
    return make_error(LT_INDEX, e.what_without_backtrace());
  } catch (const c10::TypeError& e) {
    return make_error(LT_DTYPE, e.what_without_backtrace());
  } catch (const c10::NotImplementedError& e) {
    // The dispatcher's message if there is no such device and, from 2.15 on, some operations'
    // message for an unsupported dtype.
    const char* m = e.what_without_backtrace();
    lt_kind kind = says(m, {"'CUDA' backend"}) ? LT_DEVICE : says(m, {"not implemented for '", "dtype", "on a bool tensor"}) ? LT_DTYPE : LT_NOT_IMPLEMENTED;
    return make_error(kind, m);
  } catch (const c10::ValueError& e) {
    return make_error(kind_of(e.what_without_backtrace(), LT_VALUE), e.what_without_backtrace());
  } catch (const c10::LinAlgError& e) {
    return make_error(LT_VALUE, e.what_without_backtrace());
  } catch (const c10::Error& e) {
    return make_error(kind_of(e.what_without_backtrace(), LT_VALUE), e.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return make_error(LT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return make_error(kind_of(e.what(), LT_INTERNAL), e.what());
  } catch (...) {
    return make_error(LT_INTERNAL, "an exception of unknown type");
  }
}

}  // namespace lt

void lt_error_free(lt_error* e) {
  if (e == nullptr || std::strncmp(e->message, "out of memory while", 19) == 0) return;
  std::free(e->message);
  std::free(e);
}
