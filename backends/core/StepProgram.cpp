// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/StepProgram.h"

#include <algorithm>

using namespace perfc;

/// Replaces items by what they became; sorted, each once, without `self`.
static std::vector<uint32_t> renamed(const std::vector<uint32_t> &items,
                                     const std::vector<uint32_t> &names, uint32_t self) {
  std::vector<uint32_t> result;
  for (uint32_t item : items)
    if (names[item] != self)
      result.push_back(names[item]);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

StepBlock StepBlock::merged() const {
  StepBlock block;
  block.weights = weights;
  block.expertWeights = expertWeights;
  std::vector<uint32_t> names(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const StepItem &item = items[i];
    bool isKernel = item.kind.empty();
    bool joins = isKernel && !block.items.empty() && block.items.back().kind.empty();
    auto index = static_cast<uint32_t>(block.items.size() - (joins ? 1 : 0));
    names[i] = index;
    if (!joins) {
      block.items.push_back(item);
      block.items.back().after = renamed(item.after, names, index);
      if (!isKernel)
        continue;
      block.items.back().count = 1;
      block.items.back().seconds = block.items.back().flops = block.items.back().bytes = 0;
    }
    StepItem &into = block.items[index];
    auto count = static_cast<double>(item.count);
    into.seconds += item.seconds * count;
    into.flops += item.flops * count;
    into.bytes += item.bytes * count;
    std::vector<uint32_t> more = renamed(item.after, names, index);
    into.after.insert(into.after.end(), more.begin(), more.end());
    std::sort(into.after.begin(), into.after.end());
    into.after.erase(std::unique(into.after.begin(), into.after.end()), into.after.end());
  }
  block.outputs = renamed(outputs, names, ~0u);
  return block;
}

void StepProgram::mergeKernels() {
  for (StepBlock &block : blocks)
    block = block.merged();
}

double StepProgram::nodeCount() const {
  std::vector<double> sizes;
  for (const StepBlock &block : blocks) {
    double size = exchange == GradientExchange::PerLayer ? 2 : 0;
    for (const StepItem &item : block.items)
      size += static_cast<double>(item.count);
    sizes.push_back(size);
  }
  double all = 0;
  for (const StageRing &ring : rings)
    all += 4 * static_cast<double>(ring.stages.size() * (ring.stages.size() - 1));
  for (const StepStage &stage : stages)
    for (const passes::StageTask &task : stage.tasks) {
      all += 2;
      for (uint32_t block : (task.isBackward ? stage.backward : stage.forward)[task.chunk])
        all += sizes[block];
    }
  return all * static_cast<double>(ranks) / static_cast<double>(stages.size());
}

int64_t StepProgram::axisNamed(const std::string &name) const {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == name && axes[i].place.ranks() > 1)
      return static_cast<int64_t>(i);
  return -1;
}

bool StepProgram::isInGroups() const {
  auto isShard = [](const StepAxis &axis) { return axis.name == "shard"; };
  return std::any_of(axes.begin(), axes.end(), isShard);
}

std::set<std::pair<std::string, uint32_t>> StepProgram::collectives() const {
  std::set<std::pair<std::string, uint32_t>> found;
  auto add = [&](const std::string &kind, const std::string &name) {
    if (int64_t axis = axisNamed(name); axis >= 0)
      found.insert({kind, static_cast<uint32_t>(axis)});
  };
  for (const StepBlock &block : blocks)
    for (const StepItem &item : block.items)
      add(item.kind, item.axis); // kernels have no axis
  if (sendsParts)
    add("all_gather", "tensor");
  bool isWhole = exchange == GradientExchange::AllReduce;
  for (const std::string prefix : {"", "expert_"}) {
    if (exchange == GradientExchange::None)
      break;
    add(isWhole ? "all_reduce" : "reduce_scatter", prefix + sharingAxis());
    add(isWhole ? "all_reduce" : "all_gather", prefix + sharingAxis());
    add("all_reduce", prefix + "replica");
  }
  return found;
}
