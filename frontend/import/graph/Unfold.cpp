// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences and optional values.
#include "frontend/import/graph/Unfolder.h"

using namespace perfc;
using namespace perfc::graph;

static constexpr size_t mostItems = 4096;

int Unfolder::sequenceOf(std::vector<int> items) {
  int id = flattener.add();
  Value &value = net.values[id];
  value.hasShape = value.isStored = true; // it is its items, which are costed where they are made
  value.items = std::move(items);
  return id;
}

int Unfolder::whole(int64_t number) {
  int id = flattener.add();
  Value &value = net.values[id];
  value.type = Int64;
  value.hasShape = value.isStored = true;
  value.content = std::vector<Scalar>{Dim(number)};
  return id;
}

int Unfolder::make(llvm::StringRef type, std::vector<int> operands, int64_t axis) {
  Node made;
  made.op = type;
  made.name = node.name;
  made.offset = node.offset;
  Attribute attribute;
  attribute.name = type == "Unsqueeze" ? "axes" : "axis";
  attribute.integer = axis;
  attribute.integers = {axis};
  made.attributes.push_back(std::move(attribute));
  int id = flattener.add();
  return flattener.apply(flattener.newNode(std::move(made)), node, operands, {id}, nullptr) ? id
                                                                                            : -1;
}

const std::vector<int> *Unfolder::itemsOf(int value) {
  if (value >= 0 && net.values[value].items)
    return &*net.values[value].items;
  flattener.fail(node, "what its sequence holds is not known");
  return nullptr;
}

/// The known number in `input`, counted from the end where it is negative.
llvm::Optional<size_t> Unfolder::position(size_t index, size_t count, size_t otherwise) {
  if (input(index) < 0)
    return otherwise;
  int64_t place = net.wholeNumber(input(index)).getValueOr(INT64_MAX);
  place = place < 0 ? place + static_cast<int64_t>(count) : place;
  if (place >= 0 && place <= static_cast<int64_t>(count))
    return static_cast<size_t>(place);
  flattener.fail(node, "its place in the sequence is not known, or not in it");
  return llvm::None;
}

/// Parts of one size each, or of the sizes that are given.
bool Unfolder::split() {
  if (input(0) < 0)
    return flattener.fail(node, "operand 1 is missing");
  const Attribute *given = node.find("axis"), *keeps = node.find("keepdims");
  int64_t axis = given ? given->integer : 0;
  const Shape shape = net.values[input(0)].shape;
  axis = axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis;
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return flattener.fail(node, "its axis is outside the operand");
  const Dim &extent = shape[static_cast<size_t>(axis)];
  std::vector<Dim> sizes;
  bool isSingle = input(1) < 0;
  if (!isSingle && net.values[input(1)].content && !net.values[input(1)].shape.empty()) {
    for (const Scalar &scalar : *net.values[input(1)].content)
      sizes.push_back(scalar.whole);
  } else {
    llvm::Optional<int64_t> size = isSingle ? 1 : net.wholeNumber(input(1));
    if (!size || *size < 1 || !extent.isNumber() || extent.constant > mostKeptElements)
      return flattener.fail(node, "the sizes of its parts are not known");
    for (int64_t left = extent.constant; left > 0; left -= *size)
      sizes.push_back(std::min(left, *size));
  }
  std::vector<int> items;
  Dim at = 0;
  for (const Dim &size : sizes) {
    auto list = [&](const Dim &one) {
      int id = whole(0);
      net.values[id].shape = {1};
      net.values[id].content = std::vector<Scalar>{one};
      return id;
    };
    Dim next = net.dims.add(at, size);
    int part = make("Slice", {input(0), list(at), list(next), list(axis)}, 0);
    if (part >= 0 && isSingle && keeps && keeps->integer == 0)
      part = make("Squeeze", {part, list(axis)}, 0);
    if (part < 0)
      return false;
    items.push_back(part);
    at = next;
  }
  return result(0, sequenceOf(std::move(items)));
}

bool Unfolder::join() {
  const std::vector<int> *items = itemsOf(input(0));
  if (!items)
    return false;
  if (items->empty())
    return flattener.fail(node, "its sequence is empty");
  const Attribute *axis = node.find("axis"), *isNew = node.find("new_axis");
  std::vector<int> parts = *items;
  for (int &part : parts)
    if (isNew && isNew->integer != 0 && (part = make("Unsqueeze", {part}, axis->integer)) < 0)
      return false;
  int value = make("Concat", parts, axis ? axis->integer : 0);
  return value >= 0 && result(0, value);
}

bool Unfolder::sequence(bool &isKnown) {
  llvm::StringRef op = node.op;
  isKnown = true;
  if (op == "SequenceConstruct")
    return result(0, sequenceOf(inputs));
  if (op == "SequenceEmpty")
    return result(0, sequenceOf({}));
  if (op == "SplitToSequence")
    return split();
  if (op == "ConcatFromSequence")
    return join();
  if (op == "Optional" || op == "OptionalGetElement")
    return input(0) >= 0 ? result(0, input(0)) : result(0, sequenceOf({}));
  if (op == "OptionalHasElement")
    return result(0, whole(input(0) >= 0));
  bool isPlaced = op == "SequenceAt" || op == "SequenceInsert" || op == "SequenceErase";
  if (!isPlaced && op != "SequenceLength") {
    isKnown = false;
    return true;
  }
  const std::vector<int> *items = itemsOf(input(0));
  if (!items)
    return false;
  auto count = static_cast<int64_t>(items->size());
  if (op == "SequenceLength")
    return result(0, whole(count));
  bool isInsert = op == "SequenceInsert";
  auto place =
      position(isInsert ? 2 : 1, items->size(), isInsert ? items->size() : items->size() - 1);
  if (!place || (!isInsert && *place >= items->size()))
    return place && flattener.fail(node, "its place is not in the sequence");
  if (op == "SequenceAt")
    return result(0, (*items)[*place]);
  std::vector<int> changed = *items;
  if (changed.size() >= mostItems)
    return flattener.fail(node, "its sequence is too long");
  if (isInsert)
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(*place), input(1));
  else
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(*place));
  return result(0, sequenceOf(std::move(changed)));
}

bool graph::unfold(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names,
                   bool &isKnown) {
  isKnown = false;
  if (!node.domain.empty())
    return true;
  Unfolder unfolder(flattener, node, inputs, names);
  if (node.op == "Loop" || node.op == "Scan") {
    isKnown = true;
    return node.op == "Loop" ? unfolder.loop() : unfolder.scan();
  }
  return unfolder.sequence(isKnown);
}
