// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stored tensors: the form that each takes, and where it is declared.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

std::string graph::roleOf(const Value &value) {
  bool isPlainFloat = isFloating(value.type) && bitsOf(value.type) >= 16;
  return isPlainFloat || formatOf(value.type).empty() ? "" : ": " + formatOf(value.type).str();
}

/// What is no weight, such as a mask, is a tensor that the workload is given.
std::string Writer::declaration(int value, llvm::ArrayRef<Dim> ranks) const {
  const Value &one = net.values[value];
  return (one.isWeight ? "weight[" : "tensor[") + dimsText(ranks) + "]" + roleOf(one);
}

std::string Writer::weight(int value, llvm::ArrayRef<Dim> ranks) {
  Layout &at = layout(value);
  if (!at.isUnnamed())
    return llvm::ArrayRef<Dim>(at.ranks) == ranks ? at.name : plain(value);
  std::string text = declaration(value, ranks);
  bool isShared = net.values[value].uses > 1;
  if (text.back() == ']' && !isShared && loops.empty())
    return text; // with no format of its own
  std::string name = newWeight(text, value);
  // A vector is small, and read in many forms; dimensions of 1 beside it make no other one.
  bool isMatrix = ranks.size() > 1 && shapeOf(value).size() > 1;
  bool isForm = llvm::ArrayRef<Dim>(at.ranks) == ranks;
  bool isVector = ranks.size() == 1 &&
                  llvm::count_if(shapeOf(value), [](const Dim &dim) { return !dim.is(1); }) <= 1;
  if (isShared && (isForm || ((isMatrix || isVector) && takeForm(value, ranks))))
    layout(value).name = name;
  return name;
}

std::string Writer::vector(int value, const Dim &extent) {
  bool isFree = hasForm(value, extent) || !net.values[value].isStored;
  return isFree ? weight(value, extent) : newWeight(declaration(value, extent));
}

std::string Writer::newWeight(llvm::StringRef text, int value) {
  std::string name = newName("w");
  Line made{name, fmt::format("{} = {}", name, text), {}, !loops.empty(), op};
  if (!loops.empty())
    loops.front().weights.push_back(std::move(made));
  else if (value < 0 || net.values[value].uses < 2)
    lines.push_back(std::move(made));
  else
    shared.push_back({std::move(made), lines.size(), std::max(lastUses[value], current) - current});
  return name;
}

/// The lines with equal layers folded. A tensor that all layers read stands before them, one that a
/// layer reads several times inside of it: of where the shared ones may stand, the shortest text.
Folded Writer::folded(size_t first, std::vector<std::string> &results) {
  Folded best;
  std::vector<std::string> bestResults;
  for (size_t least : {size_t(0), net.ops.size() / 2, net.ops.size() + 1}) {
    std::vector<Line> all(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
    for (const Shared &one : shared)
      if (one.span >= least)
        all.push_back(one.line);
    auto next = shared.begin();
    for (size_t i = first; i < lines.size(); ++i) {
      for (; next != shared.end() && next->at == i; ++next)
        if (next->span < least)
          all.push_back(next->line);
      all.push_back(lines[i]);
    }
    std::vector<std::string> own = results;
    Folded body = foldRepeats(std::move(all), own);
    if (best.text.empty() || body.makers.size() < best.makers.size()) {
      best = std::move(body);
      bestResults = std::move(own);
    }
    if (shared.empty())
      break;
  }
  results = std::move(bestResults);
  return best;
}

std::string Writer::named(int value) {
  Layout &at = layout(value);
  if (at.isUnnamed()) {
    std::string name = newWeight(declaration(value, at.ranks), value);
    layout(value).name = name;
  }
  return layout(value).name;
}
