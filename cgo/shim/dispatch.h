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

// Value is an argument as the graph has it, before it is matched to a schema. The
// numbers of the kinds are those of Go's torch.GraphKind.
struct Value {
  enum Kind : int64_t { none, tensor, integer, real, boolean, text, device, symbol, mode, list };
  Kind kind = none;
  int64_t i = 0;   // slot of tensor and symbol; integer, boolean, device's code
  double f = 0;
  std::string s;
  std::vector<Value> items;

  // constant says whether it is the same at each run.
  bool constant() const;
};

// Frame is one run of a program.
struct Frame {
  std::vector<c10::IValue> slots;
  bool training;
  lt_generator* stream;  // optional

  // generator throws where the run was given no stream.
  lt_generator* generator() const;
};

// convert makes of v what a parameter takes. frame may be NULL for constants.
c10::IValue convert(const Value& v, const c10::Argument& parameter, const Frame* frame);

// number is v where a number belongs.
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

  // push puts the arguments on the stack; set puts another value in place of one.
  void push(const Frame& frame, torch::jit::Stack& stack) const;
  void set(torch::jit::Stack& stack, const char* name, c10::IValue v) const;
};

using Named = std::pair<std::string, Value>;

// resolve throws c10::NotImplementedError where libtorch has no such operation.
Call resolve(const std::string& name, const std::string& overload, const std::vector<Named>& given);

// Special computes a node that the dispatcher cannot: what draws random numbers,
// and arithmetic on sizes. It leaves the results on the stack.
using Special = void (*)(const Call& call, Frame& frame, torch::jit::Stack& stack);

// checked_node runs an operation in another way than libtorch would; NULL for the others.
Special checked_node(const std::string& name);

// random_node is how a call draws from the run's stream, NULL where it does not
// draw. It may replace the call, and throws where it draws from libtorch's global
// generator and there is no other way.
Special random_node(Call& call, const std::string& name, const std::string& overload, const std::vector<Named>& given);

// Scalar functions of Python on sizes: _operator.mul, math.ceil and their kind.
using ScalarFunction = c10::IValue (*)(const std::vector<c10::IValue>& arguments);
ScalarFunction scalar_function(const std::string& name);

}  // namespace lt
