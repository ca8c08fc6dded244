// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/onnx/Expander.h"

using namespace perfc;
using namespace perfc::onnx;

int64_t Expander::integer(llvm::StringRef name, int64_t otherwise) const {
  const Attribute *found = node.find(name);
  return found ? found->integer : otherwise;
}

llvm::StringRef Expander::text(llvm::StringRef name) const {
  const Attribute *found = node.find(name);
  return found ? found->text : "";
}

void Expander::fail(std::string reason) {
  if (!failed)
    flattener.fail(node, std::move(reason));
  failed = true;
}

int Expander::add(Node made, std::vector<int> operands) {
  if (failed)
    return -1;
  made.offset = node.offset;
  made.name = node.name;
  int result = flattener.add();
  failed = !flattener.apply(flattener.newNode(std::move(made)), node, operands, {result}, nullptr);
  return failed ? -1 : result;
}

int Expander::op(llvm::StringRef type, std::vector<int> operands, llvm::ArrayRef<Given> given) {
  Node made;
  made.op = type;
  for (const Given &one : given) {
    Attribute attribute;
    attribute.name = one.name;
    attribute.integers = one.list;
    attribute.integer = one.list.size() == 1 ? one.list.front() : 0;
    attribute.real = one.real;
    made.attributes.push_back(std::move(attribute));
  }
  return add(std::move(made), std::move(operands));
}

int Expander::inherit(llvm::StringRef type, std::vector<int> operands) {
  Node made;
  made.op = type;
  for (const Attribute &attribute : node.attributes)
    made.attributes.push_back(attribute.copy(attribute.name));
  return add(std::move(made), std::move(operands));
}

int Expander::reshape(int value, const Shape &shape) {
  return op("Reshape", {value, wholes(shape)}, {{"allowzero", {1}}});
}

int Expander::transpose(int value, std::vector<int64_t> order) {
  return op("Transpose", {value}, {{"perm", std::move(order)}});
}

int Expander::part(int value, size_t axis, const Dim &first, const Dim &count) {
  if (!failed && axis >= rank(value))
    fail("an operand has fewer dimensions than it needs");
  if (failed)
    return -1;
  if (net.values[value].isStored && !net.values[value].content) {
    Shape cut = shape(value);
    cut[axis] = count;
    net.values[value].isRead = true;
    return stored(cut, type(value));
  }
  return op("Slice", {value, wholes({first}), wholes({dims.add(first, count)}),
                      wholes({static_cast<int64_t>(axis)})});
}

int Expander::wholes(const Shape &list) {
  int id = stored({static_cast<int64_t>(list.size())}, Int64);
  net.values[id].content = std::vector<Scalar>(list.begin(), list.end());
  return id;
}

int Expander::number(double value) {
  int id = stored({}, Float);
  net.values[id].content = std::vector<Scalar>{Scalar::ofReal(value)};
  return id;
}

int Expander::stored(const Shape &shape, int32_t type) {
  int id = flattener.add();
  Value &value = net.values[id];
  value.type = type;
  value.shape = shape;
  value.hasShape = value.isStored = true;
  return id;
}

void Expander::result(size_t index, int value) {
  if (failed || value < 0 || !wants(index))
    return;
  llvm::StringRef name = node.outputs[index];
  if (net.values[value].name.empty())
    net.values[value].name = name;
  failed = !flattener.bind(node, name, value, names);
}

bool onnx::expand(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names,
                  bool &isKnown) {
  static const llvm::StringMap<Expansion> expansions = [] {
    llvm::StringMap<Expansion> map;
    for (llvm::ArrayRef<ExpansionEntry> table :
         {attentionExpansions(), quantisedExpansions(), otherExpansions()})
      for (const ExpansionEntry &entry : table)
        map[fmt::format("{}:{}", entry.domain, entry.type)] = entry.expand;
    return map;
  }();
  Expansion expansion = expansions.lookup(fmt::format("{}:{}", node.domain, node.op));
  if (!expansion)
    return true;
  Expander expander(flattener, node, inputs, names);
  expansion(expander);
  isKnown = !expander.wasLeft();
  return !expander.hasFailed();
}
