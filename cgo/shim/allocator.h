// What the allocator of tensors on the CPU keeps.
#pragma once

#include <cstddef>

namespace lt {

// idle_bytes is the size of the blocks that were freed and are kept for the next tensors.
size_t idle_bytes();

// trim gives them back.
void trim();

}  // namespace lt
