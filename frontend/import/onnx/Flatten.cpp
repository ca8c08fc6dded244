// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a model to its operations with shapes: names are looked up, functions and branches inlined,
// and each operation's results inferred as it is added.
#include "frontend/import/names/ProgramNames.h"
#include "frontend/import/onnx/Inference.h"
#include "ir/common/diagnostics/Onnx.h"

using namespace perfc;
using namespace perfc::onnx;

namespace {

constexpr size_t mostNodes = 1u << 22;

/// Values by name in a graph; names of the graphs around it are visible.
struct Names {
  const Names *outer = nullptr;
  llvm::StringMap<int> values;
  llvm::StringMap<const ValueInfo *> declared;

  int find(llvm::StringRef name) const {
    for (const Names *names = this; names; names = names->outer)
      if (auto found = names->values.find(name); found != names->values.end())
        return found->second;
    return -1;
  }
};

class Flattener {
public:
  Flattener(const Model &model, llvm::ArrayRef<GivenShape> shapes, FileId file, Net &net,
            DiagnosticEngine &diagnostics)
      : model(model), shapes(shapes), file(file), net(net), diagnostics(diagnostics) {}

  bool run();

private:
  int add(llvm::StringRef name, Names &names);
  int addTensor(const Tensor &tensor);
  bool checkGiven();
  Dim declaredDim(const DeclaredDim &dim, llvm::StringRef owner, size_t index);
  bool addInput(const ValueInfo &info, Names &names);
  void declare(const Graph &graph, Names &names);
  bool addInitializers(const Graph &graph, Names &names);
  bool addNodes(const std::deque<Node> &nodes, Names &names);
  bool addNode(const Node &node, Names &names);
  bool constant(const Node &node, Names &names);
  bool branch(const Node &node, Names &names);
  bool call(const Function &function, const Node &node, Names &names);
  bool operation(const Node &node, const Names &names, const std::vector<int> &inputs,
                 Names &results);
  void takeDeclared(const Names &names, int value);
  bool bind(const Node &node, llvm::StringRef name, int value, Names &names);
  void removeUnused();
  SourceRange at(uint64_t offset) const {
    return {file, static_cast<uint32_t>(offset), static_cast<uint32_t>(offset)};
  }
  bool fail(const Node &node, std::string reason) {
    diagnostics.report(at(node.offset), diag::OnnxNode, number, nameOf(node), shown(node.op),
                       reason);
    return false;
  }

  const Model &model;
  llvm::ArrayRef<GivenShape> shapes;
  FileId file;
  Net &net;
  DiagnosticEngine &diagnostics;
  llvm::StringMap<int64_t> bound; ///< parameters that a given shape fixes
  llvm::StringMap<std::string> parameters;
  llvm::StringMap<const Function *> functions; ///< by domain and name
  ProgramNames parameterNames;
  size_t number = 0; ///< of the node at hand
  unsigned depth = 0;
  std::deque<Node> instances; ///< nodes of functions with the attributes of a call
};

} // namespace

int Flattener::add(llvm::StringRef name, Names &names) {
  net.values.emplace_back();
  net.values.back().name = name;
  auto id = static_cast<int>(net.values.size()) - 1;
  if (!name.empty())
    names.values[name] = id;
  return id;
}

int Flattener::addTensor(const Tensor &tensor) {
  net.values.emplace_back();
  Value &value = net.values.back();
  value.name = tensor.name;
  value.type = tensor.type;
  value.hasShape = value.isStored = value.isFromFile = true;
  value.shape.assign(tensor.dims.begin(), tensor.dims.end());
  std::vector<Scalar> content;
  for (int64_t one : tensor.integers)
    content.emplace_back(Dim(one));
  for (double one : tensor.reals)
    content.push_back(Scalar::ofReal(one));
  if (static_cast<int64_t>(content.size()) == tensor.elements)
    value.content = std::move(content);
  return static_cast<int>(net.values.size()) - 1;
}

/// Each given shape belongs to an input of that rank; names of dimensions get the numbers.
bool Flattener::checkGiven() {
  for (const GivenShape &given : shapes) {
    std::string written = fmt::format("{}={}", given.input, fmt::join(given.dims, ","));
    auto input = llvm::find_if(model.graph.inputs,
                               [&](const ValueInfo &info) { return info.name == given.input; });
    auto fail = [&](const std::string &reason) {
      auto &error = diagnostics.report({}, diag::OnnxBadShape, written, reason);
      std::string known;
      for (const ValueInfo &info : model.graph.inputs)
        known += (known.empty() ? "`" : ", `") + shown(info.name) + "`";
      error.help("the inputs are " + known);
      return false;
    };
    if (input == model.graph.inputs.end())
      return fail("the model has no such input");
    if (input->hasShape && input->shape.size() != given.dims.size())
      return fail(fmt::format("the input has {}", counted(input->shape.size(), "dimension")));
    for (size_t i = 0; i < given.dims.size(); ++i) {
      if (given.dims[i] < 1)
        return fail("a dimension is at least 1");
      if (!input->hasShape)
        continue;
      const DeclaredDim &dim = input->shape[i];
      if (dim.value > 0 && dim.value != given.dims[i])
        return fail(fmt::format("dimension {} is {} in the model", i, dim.value));
      if (dim.value > 0 || dim.name.empty())
        continue;
      auto [known, isNew] = bound.try_emplace(dim.name, given.dims[i]);
      if (!isNew && known->second != given.dims[i])
        return fail(fmt::format("`{}` is {} in another shape", shown(dim.name), known->second));
    }
  }
  return true;
}

Dim Flattener::declaredDim(const DeclaredDim &dim, llvm::StringRef owner, size_t index) {
  if (dim.value > 0 || (dim.value == 0 && dim.name.empty()))
    return dim.value;
  std::string key = dim.name.empty() ? fmt::format("{}_{}", owner, index) : dim.name.str();
  if (auto known = bound.find(key); !dim.name.empty() && known != bound.end())
    return known->second;
  std::string &parameter = parameters[key];
  if (parameter.empty())
    parameter = parameterNames.add(llvm::StringRef(key).take_front(60), "dim_");
  return net.dims.symbol(parameter);
}

bool Flattener::addInput(const ValueInfo &info, Names &names) {
  if (names.values.count(info.name))
    return true; // an initializer, which is no input to those who run the model
  int id = add(info.name, names);
  Value &value = net.values[id];
  value.type = info.type;
  value.hasShape = true;
  auto given = llvm::find_if(shapes, [&](const GivenShape &one) { return one.input == info.name; });
  if (given != shapes.end()) {
    value.shape.assign(given->dims.begin(), given->dims.end());
  } else if (info.hasShape) {
    for (size_t i = 0; i < info.shape.size(); ++i)
      value.shape.push_back(declaredDim(info.shape[i], info.name, i));
  } else {
    diagnostics
        .report(at(info.offset), diag::OnnxBroken,
                fmt::format("the input `{}` has no shape", shown(info.name)))
        .help(fmt::format("give it: --shape {}=1,3,224,224", shown(info.name)));
    return false;
  }
  net.inputs.push_back(id);
  return true;
}

void Flattener::declare(const Graph &graph, Names &names) {
  for (const ValueInfo &info : graph.values)
    names.declared[info.name] = &info;
  for (const ValueInfo &info : graph.outputs)
    names.declared[info.name] = &info;
}

bool Flattener::addInitializers(const Graph &graph, Names &names) {
  for (const Tensor &tensor : graph.initializers)
    if (!names.values.try_emplace(tensor.name, addTensor(tensor)).second) {
      diagnostics.report(at(tensor.offset), diag::OnnxBroken,
                         fmt::format("the tensor `{}` is stored twice", shown(tensor.name)));
      return false;
    }
  return true;
}

bool Flattener::bind(const Node &node, llvm::StringRef name, int value, Names &names) {
  if (name.empty() || names.values.try_emplace(name, value).second)
    return true;
  return fail(node, fmt::format("its result `{}` has a value already", shown(name)));
}

bool Flattener::constant(const Node &node, Names &names) {
  if (node.outputs.empty())
    return true;
  int id = -1;
  if (const Attribute *tensor = node.find("value"); tensor && tensor->tensor) {
    id = addTensor(*tensor->tensor);
  } else {
    Tensor made;
    if (const Attribute *one = node.find("value_int")) {
      made.integers = {one->integer};
    } else if (const Attribute *real = node.find("value_float")) {
      made.reals = {real->real};
    } else if (const Attribute *list = node.find("value_ints")) {
      made.integers = list->integers;
      made.dims = {static_cast<int64_t>(list->integers.size())};
    } else if (const Attribute *reals = node.find("value_floats")) {
      made.reals = reals->reals;
      made.dims = {static_cast<int64_t>(reals->reals.size())};
    }
    made.elements = static_cast<int64_t>(made.integers.size() + made.reals.size());
    made.type = made.reals.empty() ? Int64 : Float;
    id = addTensor(made);
  }
  net.values[id].name = node.outputs[0];
  return bind(node, node.outputs[0], id, names);
}

/// The branch that is taken stands in the place of the node.
bool Flattener::branch(const Node &node, Names &names) {
  int condition = node.inputs.empty() ? -1 : names.find(node.inputs[0]);
  if (condition < 0)
    return fail(node, "it has no condition");
  const Attribute *yes = node.find("then_branch"), *no = node.find("else_branch");
  if (!yes || !no || !yes->graph || !no->graph)
    return fail(node, "it has no two branches");
  llvm::Optional<double> known = net.number(condition);
  if (!known)
    diagnostics.report(at(node.offset), diag::OnnxBranch, number, nameOf(node), node.op,
                       "its first branch is taken");
  const Graph &graph = !known || *known != 0 ? *yes->graph : *no->graph;
  Names inner;
  inner.outer = &names;
  declare(graph, inner);
  if (!addInitializers(graph, inner) || !addNodes(graph.nodes, inner))
    return false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    int value = i < graph.outputs.size() ? inner.find(graph.outputs[i].name) : -1;
    if (value < 0)
      return fail(node, fmt::format("its branch makes no result {}", i + 1));
    if (!bind(node, node.outputs[i], value, names))
      return false;
  }
  return true;
}

static Attribute copyOf(const Attribute &from, llvm::StringRef name) {
  Attribute copy;
  copy.name = name;
  copy.integer = from.integer;
  copy.real = from.real;
  copy.text = from.text;
  copy.integers = from.integers;
  copy.reals = from.reals;
  if (from.tensor)
    copy.tensor = std::make_unique<Tensor>(*from.tensor);
  return copy;
}

/// The nodes of `function` on the operands of `node`, with the attributes that these refer to.
bool Flattener::call(const Function &function, const Node &node, Names &names) {
  constexpr unsigned mostCalls = 64;
  if (++depth > mostCalls)
    return fail(node, "functions call each other too deep");
  Names inner;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    int value = i < node.inputs.size() && !node.inputs[i].empty() ? names.find(node.inputs[i]) : -1;
    if (value >= 0)
      inner.values[function.inputs[i]] = value;
  }
  for (const Node &one : function.nodes) {
    bool refers =
        llvm::any_of(one.attributes, [](const Attribute &part) { return !part.reference.empty(); });
    const Node *instance = &one;
    if (refers) {
      Node copy;
      copy.op = one.op;
      copy.domain = one.domain;
      copy.name = one.name;
      copy.inputs = one.inputs;
      copy.outputs = one.outputs;
      copy.offset = one.offset;
      for (const Attribute &part : one.attributes) {
        const Attribute *given = part.reference.empty() ? &part : node.find(part.reference);
        for (const Attribute &byDefault : function.defaults)
          if (!given && byDefault.name == part.reference)
            given = &byDefault;
        if (given)
          copy.attributes.push_back(copyOf(*given, part.name));
      }
      instances.push_back(std::move(copy));
      instance = &instances.back();
    }
    if (!addNode(*instance, inner))
      return false;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    int value = i < function.outputs.size() ? inner.find(function.outputs[i]) : -1;
    if (value < 0 && !node.outputs[i].empty())
      return fail(node, fmt::format("its function makes no result {}", i + 1));
    if (!bind(node, node.outputs[i], value, names))
      return false;
  }
  --depth;
  return true;
}

/// What the file says of a value that no rule knows.
void Flattener::takeDeclared(const Names &names, int id) {
  Value &value = net.values[id];
  for (const Names *scope = &names; scope && !value.hasShape; scope = scope->outer) {
    auto info = scope->declared.find(value.name);
    if (info == scope->declared.end() || !info->second->hasShape)
      continue;
    for (size_t i = 0; i < info->second->shape.size(); ++i)
      value.shape.push_back(declaredDim(info->second->shape[i], value.name, i));
    value.type = value.type ? value.type : info->second->type;
    value.hasShape = true;
  }
}

bool Flattener::operation(const Node &node, const Names &scope, const std::vector<int> &inputs,
                          Names &names) {
  net.ops.emplace_back();
  Op &op = net.ops.back();
  op.type = node.op;
  op.domain = node.domain;
  op.node = &node;
  op.number = number;
  op.inputs = inputs;
  for (llvm::StringRef name : node.outputs) {
    int id = name.empty() ? -1 : add("", names);
    if (id >= 0) {
      net.values[id].name = name;
      net.values[id].maker = static_cast<int>(net.ops.size()) - 1;
      if (!bind(node, name, id, names))
        return false;
    }
    op.outputs.push_back(id);
  }
  Inference inference(net, op);
  if (!inference.run())
    return fail(node, inference.problem);
  // Of states that a recurrent layer begins with nothing is costed: each is one step's of many.
  bool isRecurrent = op.type == "LSTM" || op.type == "GRU" || op.type == "RNN";
  if (isRecurrent && op.inputs.size() > 4)
    op.inputs.resize(4);
  // What is made of stored tensors alone is made once, before the model runs; so it is stored.
  bool isStored = !inputs.empty();
  for (int input : inputs) {
    isStored &= input < 0 || net.values[input].isStored;
    if (input >= 0)
      net.values[input].isRead = true;
  }
  bool isFolded = !op.outputs.empty();
  for (int id : op.outputs) {
    if (id < 0)
      continue;
    takeDeclared(scope, id);
    const Value &value = net.values[id];
    if (!value.hasShape) {
      diagnostics.report(at(node.offset), diag::OnnxNoShape, number, nameOf(node), shown(node.op),
                         shown(value.name));
      return false;
    }
    isFolded = isFolded && (value.content || isStored);
  }
  if (!isFolded)
    return true;
  // What depends on parameters counts as computed, too: it is an extent.
  bool isConverted = op.type == "Cast" || op.type == "CastLike" || op.type == "DequantizeLinear";
  for (int id : op.outputs)
    if (id >= 0) {
      net.values[id].isStored = true;
      net.values[id].maker = -1;
      // It is read in the format that it is stored in, where that is the narrower one.
      int32_t type = net.values[inputs[0]].type;
      if (isConverted && isStored && bitsOf(type) < bitsOf(net.values[id].type))
        net.values[id].type = type;
    }
  net.ops.pop_back();
  ++net.folded;
  return true;
}

bool Flattener::addNode(const Node &node, Names &names) {
  std::vector<int> inputs;
  for (llvm::StringRef name : node.inputs) {
    int value = name.empty() ? -1 : names.find(name);
    if (value < 0 && !name.empty())
      return fail(node, fmt::format("it reads `{}`, which nothing before it makes", shown(name)));
    inputs.push_back(value);
  }
  if (node.domain.empty() && node.op == "Constant")
    return constant(node, names);
  ++net.nodes;
  if (node.domain.empty() && node.op == "If")
    return branch(node, names);
  if (net.nodes > mostNodes)
    return fail(node, "its functions stand for too many nodes");
  if (const Function *function = functions.lookup(fmt::format("{}:{}", node.domain, node.op)))
    return call(*function, node, names);
  return operation(node, names, inputs, names);
}

bool Flattener::addNodes(const std::deque<Node> &nodes, Names &names) {
  for (const Node &node : nodes) {
    if (!names.outer)
      number = static_cast<size_t>(&node == &nodes.front() ? 0 : number + 1);
    if (!addNode(node, names))
      return false;
    if (!names.outer && node.op != "Constant")
      net.ofNodes.emplace_back(&node, node.outputs.empty() ? -1 : names.find(node.outputs[0]));
  }
  return true;
}

void Flattener::removeUnused() {
  std::vector<bool> needed(net.values.size());
  for (int output : net.outputs) {
    needed[output] = true;
    ++net.values[output].uses;
  }
  for (size_t i = net.ops.size(); i-- > 0;) {
    Op &op = net.ops[i];
    op.isGone = llvm::none_of(op.outputs, [&](int id) { return id >= 0 && needed[id]; });
    for (int input : op.inputs)
      if (!op.isGone && input >= 0) {
        needed[input] = true;
        ++net.values[input].uses;
      }
  }
}

bool Flattener::run() {
  for (const Function &function : model.functions) {
    llvm::StringRef domain = function.domain == "ai.onnx" ? "" : function.domain;
    functions[fmt::format("{}:{}", domain, function.name)] = &function;
  }
  for (const auto &[domain, version] : model.operatorSets)
    if (domain.empty())
      net.operatorSet = version;
  Names names;
  declare(model.graph, names);
  if (!checkGiven() || !addInitializers(model.graph, names))
    return false;
  for (const ValueInfo &input : model.graph.inputs)
    if (!addInput(input, names))
      return false;
  if (!addNodes(model.graph.nodes, names))
    return false;
  for (const ValueInfo &output : model.graph.outputs) {
    int value = names.find(output.name);
    if (value < 0) {
      diagnostics.report(at(output.offset), diag::OnnxBroken,
                         fmt::format("nothing makes the result `{}`", shown(output.name)));
      return false;
    }
    net.outputs.push_back(value);
  }
  removeUnused();
  return true;
}

bool onnx::makeNet(const Model &model, llvm::ArrayRef<GivenShape> shapes, FileId file, Net &net,
                   DiagnosticEngine &diagnostics) {
  return Flattener(model, shapes, file, net, diagnostics).run();
}
