// Differences between the supported libtorch releases (2.8 and later). Nothing else in the shim
// checks the version.
#pragma once

#include <ATen/Context.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/version.h>

#include <memory>

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 8)
#error "losscorr needs libtorch 2.8 or later"
#endif

namespace lt {

// NodePtr is libtorch's pointer to a node of the autograd graph: a shared_ptr up to 2.14, an
// intrusive_ptr from 2.15 on.
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 15
template <class T>
using NodePtr = c10::intrusive_ptr<T>;
template <class T>
NodePtr<T> make_node() {
  return c10::make_intrusive<T>();
}
template <class T>
NodePtr<T> pointer_to(T& node) {
  return NodePtr<T>::reclaim_copy(&node);
}
#else
template <class T>
using NodePtr = std::shared_ptr<T>;
template <class T>
NodePtr<T> make_node() {
  return std::make_shared<T>();
}
template <class T>
NodePtr<T> pointer_to(T& node) {
  return node.shared_from_this();
}
#endif

}  // namespace lt
