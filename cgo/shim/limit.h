// What a node of a graph may take. A graph may be a file of others, and a few bytes of one
// ask for a tensor of any size: by an argument, a broadcast, an outer product, a view.
#pragma once

#include "dispatch.h"

namespace lt {

// Limited lets an allocation of this thread on the CPU have at most 8 GiB while it lives;
// a larger one is a value error. A GPU has its own end.
class Limited {
 public:
  Limited();
  ~Limited();
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
};

// check_bytes is what the allocator asks before it makes a block of n bytes.
void check_bytes(size_t n);

// takes_many says that a call may make very many small tensors: that it takes a tensor
// apart, or is a recurrent layer. check_taken throws, before it runs, where it makes more
// than the node has outputs, or has more than 2^20 steps.
bool takes_many(const Call& call);
void check_taken(const Call& call, const Frame& frame, size_t outputs);

// check_made throws where a result has more than 2^31 elements: a view takes no memory, but
// what reads it takes time.
void check_made(const torch::jit::Stack& results);

}  // namespace lt
