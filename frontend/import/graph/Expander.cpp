// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Expander.h"

using namespace perfc;
using namespace perfc::graph;

int64_t Expander::integer(llvm::StringRef name, int64_t otherwise) const {
  const Attribute *found = node.find(name);
  return found ? found->integer : otherwise;
}

llvm::StringRef Expander::text(llvm::StringRef name) const {
  const Attribute *found = node.find(name);
  return found ? found->text : "";
}

double Expander::real(llvm::StringRef name, double otherwise) const {
  const Attribute *found = node.find(name);
  return found ? found->real : otherwise;
}

llvm::Optional<Shape> Expander::known(size_t index) const {
  if (!net.isKnown(input(index)))
    return llvm::None;
  Shape list;
  for (const Scalar &one : *net.values[input(index)].content) {
    if (one.isReal)
      return llvm::None;
    list.push_back(one.whole);
  }
  return list;
}

Shape Expander::shapeOf(const ValueInfo &info) const {
  Shape shape;
  for (size_t i = 0; i < info.shape.size(); ++i)
    shape.push_back(flattener.declaredDim(info.shape[i], info.name, i));
  return shape;
}

const ValueInfo *Expander::declared(size_t index) const {
  for (const Names *scope = &names; scope && wants(index); scope = scope->outer)
    if (const ValueInfo *info = scope->declared.lookup(node.outputs[index]))
      return info;
  return nullptr;
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
  made.name = node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
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
    attribute.text = one.text;
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
  if (value < 0 || !net.values[value].isStored)
    return op("Transpose", {value}, {{"perm", std::move(order)}});
  auto [known, isNew] = flattener.transposed.try_emplace({value, order}, -1);
  if (isNew)
    known->second = op("Transpose", {value}, {{"perm", std::move(order)}});
  return known->second;
}

/// Of sums axes are an operand, of others an attribute.
int Expander::reduce(llvm::StringRef type, int value, const std::vector<int64_t> &axes,
                     int64_t keeps) {
  if (type != "ReduceSum")
    return op(type, {value}, {{"axes", axes}, {"keepdims", {keeps}}});
  return op(type, {value, wholes(Shape(axes.begin(), axes.end()))}, {{"keepdims", {keeps}}});
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
    int made = stored(cut, type(value));
    net.values[made].isWeight = net.values[value].isWeight;
    return made;
  }
  return op("Slice", {value, wholes({first}), wholes({dims.add(first, count)}),
                      wholes({static_cast<int64_t>(axis)})});
}

int Expander::unpacked(int value, const Shape &shape, int32_t type) {
  if (value < 0 || failed)
    return -1;
  auto [known, isNew] = flattener.unpacked.try_emplace(value, -1);
  if (isNew) {
    known->second = stored(shape, type);
    net.values[known->second].isWeight = true;
    net.values[value].isRead = true;
  }
  return known->second;
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

void Expander::resultAs(int value) {
  const ValueInfo *said = declared(0);
  if (said && said->type != NoType)
    setType(value, said->type);
  result(0, value);
}

bool graph::expand(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names,
                   bool &isKnown) {
  const ExpansionEntry *entry =
      flattener.expansions.lookup(fmt::format("{}:{}", node.domain, node.op));
  if (!entry)
    return true;
  Expander expander(flattener, node, inputs, names);
  if (entry->expand)
    entry->expand(expander);
  else if (entry->as.empty())
    expander.stream();
  else
    expander.resultAs(expander.inherit(entry->as, inputs.vec()));
  isKnown = !expander.wasLeft();
  if (!expander.wasStreamed() || expander.hasFailed())
    return !expander.hasFailed();
  Node made;
  made.op = node.op;
  made.domain = streamedDomain;
  made.name = node.name;
  made.offset = node.offset;
  made.outputs = node.outputs;
  return flattener.operation(flattener.newNode(std::move(made)), inputs, names);
}
