// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/Directives.h"

#include "frontend/import/timeloop/Sections.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::timeloop;
using yaml::Node;
using yaml::NodeReader;
using Words = std::vector<std::pair<std::string, SourceRange>>;

bool timeloop::readDirective(const Node &node, llvm::StringRef what, const Input &input,
                             NodeReader &reader, Directive &directive) {
  directive.target = reader.need(node, "target", what.str());
  directive.typeNode = directive.target ? reader.need(node, "type", what.str()) : nullptr;
  int64_t instances = 0;
  if (!directive.typeNode ||
      !readName(*directive.target, directive.memoryName, instances, reader) ||
      !reader.readText(*directive.typeNode, "a type", directive.type))
    return false;
  llvm::Optional<unsigned> memory = input.findMemory(directive.memoryName);
  if (!memory && directive.type == "spatial" && input.findArray(directive.memoryName))
    return findArrayMemory(directive.memoryName, directive.target->place, input, reader,
                           directive.memory);
  if (!memory)
    return reader.fail(directive.target->place, diag::TimeloopUnknown, "memory",
                       directive.memoryName);
  directive.memory = directive.type == "spatial" ? spatialLevel(input, *memory) : *memory;
  return true;
}

unsigned timeloop::spatialLevel(const Input &input, unsigned memory) {
  bool passes = !input.memories[memory].storesNothing && memory > 0 &&
                input.memories[memory - 1].storesNothing;
  return passes ? memory - 1 : memory;
}

bool timeloop::findArrayMemory(llvm::StringRef name, SourceRange place, const Input &input,
                               NodeReader &reader, unsigned &memory) {
  llvm::Optional<unsigned> level = input.findArray(name);
  if (!level)
    return reader.fail(place, diag::TimeloopUnknown, "array", name);
  const std::vector<std::string> &nodes = input.level(*level).arrays;
  if (nodes.size() > 1)
    return reader.fail(place, diag::TimeloopNotModelled,
                       fmt::format("spatial loops of `{}` alone, where {} make one array",
                                   name.str(), fmt::join(nodes, " and ")));
  if (*level == input.memories.size())
    return reader.fail(place, diag::TimeloopNotModelled, "an array outside of all memories");
  memory = *level;
  return true;
}

bool timeloop::readSpaceList(const Node &node, const Input &input, NodeReader &reader,
                             std::vector<unsigned> &spaces) {
  Words words;
  if (!reader.readWords(node, "a data space", words))
    return false;
  for (const auto &[name, place] : words) {
    if (name == "*") {
      for (unsigned space = 0; space < input.spaceCount(); ++space)
        spaces.push_back(space);
      continue;
    }
    llvm::Optional<unsigned> space = input.findSpace(name);
    if (!space)
      return reader.fail(place, diag::TimeloopUnknown, "data space", name);
    spaces.push_back(*space);
  }
  return true;
}

bool timeloop::readPermutation(const Node &node, const Input &input, NodeReader &reader,
                               std::vector<unsigned> &order) {
  const Node *permutation = node.find("permutation");
  Words words;
  if (permutation && !reader.readWords(*permutation, "a dimension", words))
    return false;
  auto add = [&](llvm::StringRef name, SourceRange place) {
    llvm::Optional<unsigned> dim = input.findDim(name);
    if (!dim)
      return reader.fail(place, diag::TimeloopUnknown, "dimension", name);
    if (llvm::is_contained(order, *dim))
      return reader.fail(place, diag::YamlDuplicate, name);
    order.push_back(*dim);
    return true;
  };
  for (const auto &[word, place] : words) {
    if (input.findDim(word)) {
      if (!add(word, place))
        return false;
      continue;
    }
    for (char letter : word)
      if (!add(llvm::StringRef(&letter, 1), place))
        return false;
  }
  return true;
}

bool timeloop::readSplit(const Node &node, const Input &input, NodeReader &reader,
                         unsigned &value) {
  const Node *split = node.find("split");
  int64_t number = 0;
  if (!split)
    return true;
  if (!reader.readInteger(*split, 0, number))
    return false;
  // More than there are puts all of them along x, as `split: 999` in public inputs does.
  value = static_cast<unsigned>(std::min<int64_t>(number, input.dimCount()));
  return true;
}
