// Programs: graphs of operations that libtorch's dispatcher runs by name, so that autograd records
// each. A node is matched to its schema once; a run pushes arguments on a stack and calls
// callBoxed. A value lives until the last node that reads it.

#include "dispatch.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "shim.h"

using namespace lt;

namespace {

struct Node {
  Call call;
  Special special = nullptr;
  ScalarFunction scalar = nullptr;
  std::vector<Value> operands;  // of scalar
  std::vector<int64_t> outputs;  // slots; -1: unused
  bool list_output = false;      // the only result is a list, spread over outputs
  std::vector<int64_t> ends;     // slots that no later node reads
};

enum InputFlags : int64_t { buffer = 1 };

struct Input {
  int64_t slot;
  bool is_buffer;
  bool written = false;  // by an in-place operation
  bool updated = false;  // from another value, after a training run
};

}  // namespace

struct lt_program {
  int64_t slots = 0;
  std::vector<Input> inputs;
  std::vector<Node> nodes;
  std::vector<int64_t> outputs;
  std::vector<std::pair<int64_t, int64_t>> updates;  // input, slot of its value after a training step
};

namespace {

// Reader parses a program that Go's torch.NewProgram wrote as whole numbers.
struct Reader {
  const int64_t* at;
  const int64_t* end;
  const char* text;
  int64_t text_bytes, slots = 0;

  int64_t next() {
    TORCH_CHECK_VALUE(at < end, "the program ends early");
    return *at++;
  }
  int64_t slot() {
    int64_t s = next();
    TORCH_CHECK_VALUE(s >= 0 && s < slots, "no slot ", s);
    return s;
  }
  // result reads the slot of a node's result, or -1.
  int64_t result() {
    if (at < end && *at == -1) return next();
    return slot();
  }
  std::string string() {
    int64_t offset = next(), n = next();
    TORCH_CHECK_VALUE(offset >= 0 && n >= 0 && offset <= text_bytes - n, "text outside of the program");
    return {text + offset, static_cast<size_t>(n)};
  }
  Value value() {
    Value v;
    v.kind = static_cast<Value::Kind>(next());
    switch (v.kind) {
      case Value::none:
      case Value::mode: break;
      case Value::tensor:
      case Value::symbol:
        v.i = slot();
        break;
      case Value::real: {
        int64_t bits = next();
        std::memcpy(&v.f, &bits, sizeof v.f);
        break;
      }
      case Value::text: v.s = string(); break;
      case Value::list:
        for (int64_t n = next(); n > 0; n--) v.items.push_back(value());
        break;
      default: v.i = next();
    }
    return v;
  }
};

template <class F>
void each_slot(const Value& v, const F& f) {
  if (v.kind == Value::tensor || v.kind == Value::symbol) f(v.i);
  for (const Value& item : v.items) each_slot(item, f);
}

template <class F>
void each_slot(const Node& node, const F& f) {
  for (const Argument& a : node.call.arguments) each_slot(a.value, f);
  for (const Value& v : node.operands) each_slot(v, f);
}

Node read_node(Reader& in) {
  Node node;
  bool python = in.next() != 0;
  std::string name = in.string(), overload = in.string();
  std::vector<Named> given;
  for (int64_t n = in.next(); n > 0; n--) {
    std::string argument = in.string();
    given.emplace_back(argument, in.value());
  }
  node.list_output = in.next() != 0;
  for (int64_t n = in.next(); n > 0; n--) node.outputs.push_back(in.result());
  if (python) {
    node.scalar = scalar_function(name);
    for (Named& g : given) node.operands.push_back(std::move(g.second));
    return node;
  }
  node.call = resolve(name, overload, given);
  node.special = random_node(node.call, name, overload, given);
  if (node.special == nullptr) node.special = checked_node(name);
  return node;
}

// lifetimes finds the last node that reads each slot.
void lifetimes(lt_program& p) {
  std::vector<int64_t> last(p.slots, -1);
  int64_t never = static_cast<int64_t>(p.nodes.size());
  for (int64_t i = 0; i < never; i++) {
    for (int64_t s : p.nodes[i].outputs)
      if (s >= 0) last[s] = i;
    each_slot(p.nodes[i], [&](int64_t s) { last[s] = i; });
  }
  for (int64_t s : p.outputs) last[s] = never;
  for (auto [input, s] : p.updates) last[s] = never;
  for (int64_t s = 0; s < p.slots; s++)
    if (last[s] >= 0 && last[s] < never) p.nodes[last[s]].ends.push_back(s);
  for (int64_t i = 0; i < never; i++) {
    Node& node = p.nodes[i];
    for (Argument& a : node.call.arguments) {
      if (a.value.kind != Value::tensor || last[a.value.i] != i) continue;
      int readers = 0;
      each_slot(node, [&](int64_t s) { readers += s == a.value.i; });
      a.moves = readers == 1;
    }
  }
}

// may_return reports whether a result may be an argument or a view of one although the schema does
// not say so: dropout in evaluation, a conversion to the same dtype.
bool may_return(const Call& call) {
  static const std::set<std::string> plain{"aten::type_as", "aten::einsum", "aten::broadcast_tensors", "aten::cartesian_prod", "aten::meshgrid",
                                           "aten::sum_to_size", "aten::atleast_1d", "aten::atleast_2d", "aten::atleast_3d"};
  return (call.find("p") != nullptr && call.find("train") != nullptr) || (call.op.has_value() && plain.count(call.op->schema().name()) > 0);
}

// find_written marks inputs that an operation changes in place, including through a view.
void find_written(lt_program& p) {
  std::vector<bool> written(p.slots);
  for (auto node = p.nodes.rbegin(); node != p.nodes.rend(); ++node) {
    const bool result = std::any_of(node->outputs.begin(), node->outputs.end(), [&](int64_t s) { return s >= 0 && written[s]; });
    for (const Argument& a : node->call.arguments) {
      const c10::AliasInfo* alias = a.schema->alias_info();
      const bool viewed = alias != nullptr || may_return(node->call);
      if ((alias != nullptr && alias->isWrite()) || (result && viewed)) each_slot(a.value, [&](int64_t s) { written[s] = true; });
    }
  }
  for (Input& input : p.inputs) input.written = written[input.slot];
}

void store(const Node& node, Frame& frame, torch::jit::Stack& stack) {
  auto put = [&](size_t i, c10::IValue v) {
    if (i < node.outputs.size() && node.outputs[i] >= 0) frame.slots[node.outputs[i]] = std::move(v);
  };
  if (node.list_output) {
    TORCH_CHECK(stack.size() == 1 && stack[0].isList(), "expected a list of results");
    c10::List<c10::IValue> list = stack[0].toList();
    TORCH_CHECK(list.size() == node.outputs.size(), list.size(), " results, expected ", node.outputs.size());
    for (size_t i = 0; i < list.size(); i++) put(i, list.get(i));
    return;
  }
  for (size_t i = 0; i < stack.size(); i++) put(i, std::move(stack[i]));
}

void run(const lt_program& p, Frame& frame, int32_t* at) {
  torch::jit::Stack stack;
  for (size_t i = 0; i < p.nodes.size(); i++) {
    *at = static_cast<int32_t>(i);
    const Node& node = p.nodes[i];
    stack.clear();
    if (node.scalar != nullptr) {
      std::vector<c10::IValue> operands;
      for (const Value& v : node.operands) operands.push_back(number(v, frame));
      stack.push_back(node.scalar(operands));
    } else if (node.special != nullptr) {
      node.special(node.call, frame, stack);
    } else {
      node.call.run(frame, stack);
    }
    store(node, frame, stack);
    for (int64_t s : node.ends) frame.slots[s] = {};
  }
  *at = -1;
}

}  // namespace

lt_error* lt_program_new(const int64_t* code, int64_t n, const char* text, int64_t text_bytes, lt_program** out, int32_t* failed) {
  *failed = -1;
  return guard([&] {
    auto p = std::make_unique<lt_program>();
    Reader in{code, code + n, text, text_bytes};
    p->slots = in.slots = in.next();
    for (int64_t k = in.next(); k > 0; k--) {
      int64_t slot = in.slot();
      p->inputs.push_back({slot, (in.next() & buffer) != 0});
    }
    for (int64_t k = in.next(), i = 0; i < k; i++) {
      *failed = static_cast<int32_t>(i);
      p->nodes.push_back(read_node(in));
    }
    *failed = -1;
    for (int64_t k = in.next(); k > 0; k--) p->outputs.push_back(in.slot());
    for (int64_t k = in.next(); k > 0; k--) {
      int64_t input = in.next();
      TORCH_CHECK_VALUE(input >= 0 && input < static_cast<int64_t>(p->inputs.size()), "no input ", input);
      p->updates.emplace_back(input, in.slot());
      p->inputs[input].updated = true;
    }
    lifetimes(*p);
    find_written(*p);
    *out = p.release();
  });
}

lt_error* lt_program_free(lt_program* p) {
  delete p;
  return nullptr;
}

lt_error* lt_program_run(lt_program* p, const lt_tensor* inputs, int32_t n, int32_t training, lt_generator* stream, lt_tensor* outputs,
                         int32_t n_outputs, int32_t* failed) {
  *failed = -1;
  return guard([&] {
    TORCH_CHECK_VALUE(n == static_cast<int32_t>(p->inputs.size()) && n_outputs == static_cast<int32_t>(p->outputs.size()),
                      "a program of ", p->inputs.size(), " inputs and ", p->outputs.size(), " outputs");
    Frame frame{std::vector<c10::IValue>(p->slots), training != 0, stream};
    for (int32_t i = 0; i < n; i++) {
      const Input& input = p->inputs[i];
      const at::Tensor& t = get(inputs[i]);
      // In-place operations must not change the caller's examples or, in evaluation, buffers and
      // weights. Backward may need an updated buffer's previous value.
      bool copied = training == 0 ? input.written : (input.written && !input.is_buffer && !t.requires_grad()) || input.updated;
      frame.slots[input.slot] = copied ? t.clone() : t;
    }
    run(*p, frame, failed);
    if (training != 0) {
      c10::NoGradGuard no_graph;
      for (auto [input, slot] : p->updates) get(inputs[input]).copy_(frame.slots[slot].toTensor());
    }
    for (int32_t i = 0; i < n_outputs; i++) outputs[i] = put(frame.slots[p->outputs[i]].toTensor());
  });
}
