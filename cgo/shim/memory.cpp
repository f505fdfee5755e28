// The C library's memory statistics.

#ifdef __linux__
#include <malloc.h>
#endif

#include "allocator.h"
#include "shim.h"

using namespace lt;

lt_error* lt_host_trim(void) {
  return guard([] { trim(); });
}

// glibc sums over all its arenas. Blocks that a thread keeps for its next requests count as
// allocated: at most seven of each size up to 1 KiB. A sanitizer's allocator reports zeros.
lt_error* lt_host_memory(int64_t* allocated, int64_t* reserved) {
  return guard([&] {
    *allocated = *reserved = 0;
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
    *allocated = static_cast<int64_t>(info.uordblks + info.hblkhd - idle_bytes());
    *reserved = static_cast<int64_t>(info.arena + info.hblkhd);
#endif
#endif
  });
}
