// The store of the CPU tensors' allocator.
#pragma once

#include <cstddef>

namespace lt {

// idle_bytes returns the size of the freed blocks kept for later tensors.
size_t idle_bytes();

// trim frees these blocks.
void trim();

}  // namespace lt
