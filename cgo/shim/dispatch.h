// Graphs of operations that libtorch's dispatcher runs by name; see dispatch.cpp.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include <string>
#include <utility>
#include <vector>

#include "random.h"

namespace lt {

// Value is an argument as the graph has it, before it is matched to a schema. The kinds have the
// numbers of Go's torch.GraphKind.
struct Value {
  enum Kind : int64_t { none, tensor, integer, real, boolean, text, device, symbol, mode, list };
  Kind kind = none;
  int64_t i = 0;   // slot of a tensor or symbol; integer, boolean, device's code
  double f = 0;
  std::string s;
  std::vector<Value> items;

  // constant reports whether it is the same in every run.
  bool constant() const;
};

// Frame is one run of a program.
struct Frame {
  std::vector<c10::IValue> slots;
  bool training;
  lt_generator* stream;  // optional

  // generator throws if the run has no stream.
  lt_generator* generator() const;
};

// convert turns v into the parameter's type. frame may be NULL for constants.
c10::IValue convert(const Value& v, const c10::Argument& parameter, const Frame* frame);

// number returns v as a number.
c10::IValue number(const Value& v, const Frame& frame);

struct Argument {
  const c10::Argument* schema;
  Value value;
  c10::IValue constant;
  bool is_constant, moves;  // moves: a tensor that no later node reads
};

// Call is an operation with its arguments in the order of its schema.
struct Call {
  std::optional<c10::OperatorHandle> op;
  std::vector<Argument> arguments;

  const Argument* find(const char* name) const;
  c10::IValue value(const char* name, const Frame& frame) const;
  void run(Frame& frame, torch::jit::Stack& stack, bool moving = true) const;

  // push puts the arguments on the stack; set replaces one.
  void push(const Frame& frame, torch::jit::Stack& stack) const;
  void set(torch::jit::Stack& stack, const char* name, c10::IValue v) const;
};

using Named = std::pair<std::string, Value>;

// resolve throws c10::NotImplementedError if libtorch has no such operation.
Call resolve(const std::string& name, const std::string& overload, const std::vector<Named>& given);

// Special computes a node that the dispatcher cannot: random draws, and arithmetic on sizes. It
// leaves the results on the stack.
using Special = void (*)(const Call& call, Frame& frame, torch::jit::Stack& stack);

// checked_node returns how to run an operation differently from libtorch, NULL for most operations.
Special checked_node(const std::string& name);

// random_node returns how a call draws from the run's stream, NULL if it does not draw. It may
// replace the call, and throws if the operation can only draw from libtorch's global generator.
Special random_node(Call& call, const std::string& name, const std::string& overload, const std::vector<Named>& given);

// Python's scalar functions on sizes: _operator.mul, math.ceil and the like.
using ScalarFunction = c10::IValue (*)(const std::vector<c10::IValue>& arguments);
ScalarFunction scalar_function(const std::string& name);

}  // namespace lt
