// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Expander.h"
#include "frontend/import/graph/LibraryOp.h"

#include "llvm/ADT/DenseMap.h"

using namespace perfc;
using namespace perfc::graph;

static constexpr size_t mostNodes = 1u << 16;

bool Flattener::fail(const Node &node, const std::string &reason) {
  diagnostics.report(at(node.offset), diag::GraphNode, number, nameOf(node), shown(node.op),
                     reason);
  return false;
}

int Flattener::add() {
  net.values.emplace_back();
  return static_cast<int>(net.values.size()) - 1;
}

int Flattener::addTensor(const Tensor &tensor) {
  net.values.emplace_back();
  Value &value = net.values.back();
  value.name = tensor.name;
  value.type = tensor.type;
  value.hasShape = value.isStored = value.isFromFile = true;
  value.isScaled = tensor.isScaled;
  value.isWeight = !tensor.isConstant && value.type != Bool && value.type != Int64;
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

bool Flattener::addInitializers(const Graph &graph, Names &names) {
  for (const Tensor &tensor : graph.initializers)
    if (!names.values.try_emplace(tensor.name, addTensor(tensor)).second) {
      diagnostics.report(at(tensor.offset), diag::GraphBroken, model.format,
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
    if (node.find("value_string")) {
      made.elements = 1; // of which nothing is known
      made.type = String;
    } else if (made.dims.empty() && made.elements != 1) {
      return fail(node, "it has no value that can be read");
    }
    id = addTensor(made);
  }
  net.values[id].name = node.outputs[0];
  return bind(node, node.outputs[0], id, names);
}

/// A model that perfc has written has zeros of their shapes in the place of weights.
bool Flattener::weight(const Node &node, int shape, Names &names) {
  int id = add();
  Value &value = net.values[id];
  value.name = node.outputs[0];
  const Attribute *zero = node.find("value");
  value.type = zero && zero->tensor ? zero->tensor->type : static_cast<int32_t>(Float);
  value.hasShape = value.isStored = value.isFromFile = value.isWeight = true;
  for (const Scalar &extent : *net.values[shape].content)
    value.shape.push_back(extent.whole);
  net.values[shape].isRead = true;
  return bind(node, node.outputs[0], id, names);
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

/// Sizes of `value` that data decides are parameters, of which the most that they can be is known;
/// the file may have a shape of it with names for them.
void Flattener::openSizes(Value &value, llvm::StringRef owner) {
  const Shape &open = *value.openShape;
  bool isDeclared = value.hasShape && value.shape.size() == open.size();
  if (value.hasShape && !isDeclared)
    return;
  value.shape.resize(open.size());
  value.hasShape = true;
  for (size_t i = 0; i < open.size(); ++i) {
    Dim &dim = value.shape[i];
    if (isDeclared && dim.isNumber())
      continue;
    if (!open[i].is(-1))
      dim = open[i];
    else if (!isDeclared)
      dim = parameter(owner, i);
    if (open[i].is(-1) && i < value.most.size() && !value.most[i].is(0) && !dim.isNumber())
      net.dims.limit(dim, value.most[i]);
  }
}

bool Flattener::operation(const Node &node, llvm::ArrayRef<int> inputs, Names &names) {
  std::vector<int> results;
  for (llvm::StringRef name : node.outputs) {
    results.push_back(name.empty() ? -1 : add());
    if (name.empty())
      continue;
    net.values[results.back()].name = name;
    if (!bind(node, name, results.back(), names))
      return false;
  }
  // A first result there is, whether it has a name or not.
  if (results.empty())
    results.push_back(-1);
  if (results[0] < 0)
    results[0] = add();
  return apply(node, node, inputs, results, &names);
}

bool Flattener::apply(const Node &made, const Node &node, llvm::ArrayRef<int> inputs,
                      llvm::ArrayRef<int> results, const Names *scope) {
  net.ops.emplace_back();
  Op &op = net.ops.back();
  op.type = made.op;
  op.domain = made.domain;
  op.node = &made;
  op.number = number;
  op.inputs = inputs;
  op.outputs = results;
  for (int id : results)
    if (id >= 0)
      net.values[id].maker = static_cast<int>(net.ops.size()) - 1;
  Inference inference(net, op);
  if (!inference.run())
    return fail(node, inference.problem);
  // Of states that a recurrent layer begins with nothing is costed: each is one step's of many. A
  // cache is told by its extents.
  bool isRecurrent = op.type == "LSTM" || op.type == "GRU" || op.type == "RNN";
  if (isRecurrent && op.inputs.size() > 4)
    op.inputs.resize(4);
  if (op.type == "AppendCache" || isCacheWrite(inference))
    op.inputs.erase(op.inputs.begin());
  bool isStored = !inputs.empty();
  for (int input : inputs) {
    isStored &= input < 0 || net.values[input].isStored;
    if (input >= 0)
      net.values[input].isRead = true;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] < 0)
      continue;
    Value &value = net.values[results[i]];
    if (scope)
      takeDeclared(*scope, results[i]);
    if (value.openShape)
      openSizes(value, value.name.empty() ? node.op : value.name);
    if (!value.hasShape) {
      diagnostics.report(at(node.offset), diag::GraphNoShape, number, nameOf(node), shown(node.op),
                         shown(value.name));
      return false;
    }
  }
  // What is made of stored tensors alone is made once, before the model runs; so it is stored.
  isStored = isStored && (model.foldsWeights || isAnotherForm(op));
  bool isFolded = !results.empty() && llvm::all_of(results, [&](int id) {
    return id < 0 || net.values[id].content || isStored;
  });
  if (isFolded)
    fold(op, isStored);
  return true;
}

/// Operators whose result is their operand in another form.
static bool isView(llvm::StringRef type) {
  static constexpr llvm::StringLiteral views[] = {"Cast",    "Flatten",   "Identity", "Reshape",
                                                  "Squeeze", "Transpose", "Unsqueeze"};
  return llvm::is_contained(views, type);
}

/// Whether the first result is the weights that it is made of in another form, each of them once,
/// or is made of none.
bool Flattener::isAnotherForm(const Op &op) const {
  Dim all = 0;
  bool hasWeights = false;
  // Scales are of the format that a tensor is brought to or from.
  bool isQuantised = op.type == "QuantizeLinear" || op.type == "DequantizeLinear";
  for (int input : llvm::makeArrayRef(op.inputs).take_front(isQuantised ? 1 : op.inputs.size()))
    if (input >= 0 && net.values[input].isWeight) {
      all = net.dims.add(all, net.dims.product(net.values[input].shape));
      hasWeights = true;
    }
  int made = op.outputs[0];
  return !hasWeights || made < 0 || net.dims.product(net.values[made].shape) == all;
}

/// The operator of an operation with its attributes; nothing where one of these is more than
/// numbers and text.
static llvm::Optional<std::string> operatorText(const Op &op) {
  std::string text = fmt::format("{} {}", op.domain, op.type);
  for (const Attribute &attribute : op.node->attributes) {
    if (attribute.tensor || attribute.graph)
      return llvm::None;
    text += fmt::format(" {}={} {} {} [{}] [{}]", attribute.name, attribute.integer, attribute.real,
                        attribute.text, fmt::join(attribute.integers, ","),
                        fmt::join(attribute.reals, ","));
  }
  return text;
}

/// The result that the operator of `op` first had of the same operands, which may be its own: value
/// numbering.
int Flattener::firstOf(const Op &op) {
  int made = op.outputs[0];
  llvm::Optional<std::string> text = operatorText(op);
  return text ? numbered.try_emplace({std::move(*text), op.inputs}, made).first->second : made;
}

/// Removes the last operation, whose results are known or made of stored tensors. What depends on
/// parameters counts as computed, too: it is an extent.
void Flattener::fold(Op &op, bool isStored) {
  bool isConverted = op.type == "Cast" || op.type == "CastLike" || op.type == "DequantizeLinear";
  // Another form of a tensor stays one, so that a tensor of several forms is stored once.
  auto isTensor = [](const Value &value) {
    return !value.content || (isFloating(value.type) && value.content->size() > 1);
  };
  bool isWeights = isStored && isTensor(net.values[op.outputs[0]]);
  bool isForm = isWeights && isView(op.type);
  // The same part of the same weights, read again, is stored once, such as a layer of a stack that
  // others share.
  if (isWeights && !isForm && op.outputs.size() == 1)
    if (int first = firstOf(op); first != op.outputs[0]) {
      op.type = "Identity";
      op.inputs = {first};
      isForm = true;
    }
  for (int id : op.outputs)
    if (id >= 0) {
      net.values[id].isStored = true;
      net.values[id].isWeight = llvm::any_of(
          op.inputs, [&](int input) { return input >= 0 && net.values[input].isWeight; });
      net.values[id].origin = op.inputs.empty() ? -1 : op.inputs[0];
      if (!isForm)
        net.values[id].maker = -1;
      // It is read in the format that it is stored in, where that is the narrower one.
      int32_t type = net.values[op.inputs[0]].type;
      if (isConverted && isStored && bitsOf(type) < bitsOf(net.values[id].type))
        net.values[id].type = type;
    }
  ++net.folded;
  if (!isForm)
    net.ops.pop_back();
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
  if (model.producer == "perfc" && node.domain.empty() && node.op == "ConstantOfShape" &&
      inputs.size() == 1 && node.outputs.size() == 1 && net.isShape(inputs[0]))
    return weight(node, inputs[0], names);
  ++net.nodes;
  // Exporters store equal tensors once, with other names for the rest.
  if (node.domain.empty() && node.op == "Identity" && inputs.size() == 1 && inputs[0] >= 0 &&
      node.outputs.size() == 1 && net.values[inputs[0]].isFromFile) {
    net.values[inputs[0]].isRead = true;
    ++net.folded;
    return bind(node, node.outputs[0], inputs[0], names);
  }
  if (net.nodes > mostNodes + 16 * model.graph.nodes.size())
    return fail(node, "its functions and loops stand for too many nodes");
  if (node.domain.empty() && node.op == "If")
    return branch(node, names);
  const Function *function = functions.lookup(fmt::format("{}:{}", node.domain, node.op));
  if (function && !isLibraryOp(node))
    return call(*function, node, names);
  bool isKnown = false;
  bool isGood = unfold(*this, node, inputs, names, isKnown);
  if (!isKnown)
    isGood = expand(*this, node, inputs, names, isKnown);
  return isKnown ? isGood : operation(node, inputs, names);
}

/// The nodes so that each stands behind those that make its operands. They have to, but some tools
/// add nodes at the end.
std::vector<const Node *> Flattener::inOrder(const std::deque<Node> &nodes,
                                             const Names &names) const {
  std::vector<const Node *> order;
  for (const Node &node : nodes)
    order.push_back(&node);
  llvm::StringSet<> made;
  auto isThere = [&](llvm::StringRef name) {
    return name.empty() || made.contains(name) || names.find(name) >= 0;
  };
  bool isOrdered = true;
  for (const Node &node : nodes) {
    isOrdered = isOrdered && llvm::all_of(node.inputs, isThere);
    for (llvm::StringRef output : node.outputs)
      made.insert(output);
  }
  if (isOrdered)
    return order;
  llvm::StringMap<size_t> makers;
  for (size_t i = 0; i < order.size(); ++i)
    for (llvm::StringRef output : order[i]->outputs)
      makers.try_emplace(output, i);
  std::vector<const Node *> sorted;
  std::vector<bool> isSeen(order.size());
  std::vector<std::pair<size_t, size_t>> stack; ///< a node, and its next operand
  for (size_t i = 0; i < order.size(); ++i) {
    if (!isSeen[i])
      stack.emplace_back(i, 0);
    isSeen[i] = true;
    while (!stack.empty()) {
      auto &[at, next] = stack.back();
      if (next == order[at]->inputs.size()) {
        sorted.push_back(order[at]);
        stack.pop_back();
        continue;
      }
      auto maker = makers.find(order[at]->inputs[next++]);
      if (maker == makers.end() || isSeen[maker->second])
        continue;
      isSeen[maker->second] = true;
      stack.emplace_back(maker->second, 0);
    }
  }
  return sorted;
}

bool Flattener::addNodes(const std::deque<Node> &nodes, Names &names) {
  llvm::DenseMap<const Node *, size_t> numbers;
  std::vector<const Node *> order = inOrder(nodes, names);
  bool isOuter = !names.outer;
  for (const Node &node : nodes)
    if (isOuter)
      numbers[&node] = numbers.size();
  for (const Node *node : order) {
    if (isOuter)
      number = numbers[node];
    if (!addNode(*node, names))
      return false;
  }
  for (const Node &node : nodes)
    if (isOuter && node.op != "Constant")
      net.ofNodes.emplace_back(&node, node.outputs.empty() ? -1 : names.find(node.outputs[0]));
  return true;
}

void Flattener::removeUnused() {
  std::vector<bool> needed(net.values.size());
  for (int output : net.outputs) {
    needed[output] = true;
    ++net.values[output].uses;
  }
  llvm::SmallVector<const Op *, 4> ends; ///< of the loops around
  for (size_t i = net.ops.size(); i-- > 0;) {
    Op &op = net.ops[i];
    op.isGone = llvm::none_of(op.outputs, [&](int id) { return id >= 0 && needed[id]; });
    // A loop begins where it ends.
    if (op.type == "LoopEnd")
      ends.push_back(&op);
    if (op.type == "LoopBegin")
      op.isGone = ends.pop_back_val()->isGone;
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
  std::vector<llvm::ArrayRef<ExpansionEntry>> tables = {
      attentionExpansions(), quantisedExpansions(), packedExpansions(), otherExpansions()};
  tables.insert(tables.end(), model.expansions.begin(), model.expansions.end());
  for (llvm::ArrayRef<ExpansionEntry> table : tables)
    for (const ExpansionEntry &entry : table)
      expansions[fmt::format("{}:{}", entry.domain, entry.type)] = &entry;
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
      diagnostics.report(at(output.offset), diag::GraphBroken, model.format,
                         fmt::format("nothing makes the result `{}`", shown(output.name)));
      return false;
    }
    net.outputs.push_back(value);
  }
  if (net.outputs.empty()) {
    diagnostics.report(at(0), diag::GraphBroken, model.format, "the graph has no result");
    return false;
  }
  removeUnused();
  return checkSizes() && checkTensors();
}

bool graph::makeNet(const Model &model, llvm::ArrayRef<GivenShape> shapes, FileId file, Net &net,
                    DiagnosticEngine &diagnostics) {
  return Flattener(model, shapes, file, net, diagnostics).run();
}
