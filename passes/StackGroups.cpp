// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/StackGroups.h"

#include "passes/KernelUses.h"
#include "passes/analysis/Experts.h"
#include "passes/analysis/Products.h"
#include "passes/analysis/Streams.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static Kernel modelOf(const Operation &apply) { return Kernel(kernelUse(apply).kernel); }

StackGroups::StackGroups(Region &region, const FusionRules &rules) {
  if (rules.products)
    addProducts(region);
  if (rules.additions)
    addAdditions(region);
  if (rules.experts)
    addExperts(region);
  if (rules.pairs)
    addPairs(region);
}

void StackGroups::add(ApplyGroup group, Operation &place) {
  for (const Operation *member : group)
    members[member] = true;
  found.push_back({std::move(group), &place});
}

//===-- Products of one input
//-------------------------------------------------------------------===//

/// What `apply` computes from, beside weights; null where that is not one value.
static const Value *onlyInput(const Operation &apply) {
  const Value *input = nullptr;
  if (!apply.is(op::ApplyOp::opName) || apply.resultCount() != 1)
    return nullptr;
  for (const Value *value : apply.operands()) {
    if (!isWeight(*value) && input)
      return nullptr;
    input = isWeight(*value) ? input : value;
  }
  return apply.operandCount() > 1 ? input : nullptr;
}

/// What `apply` multiplies by a weight; null where it does no such thing, or more.
static const Value *multiplied(const Operation &apply) {
  const Value *input = onlyInput(apply);
  if (!input)
    return nullptr;
  Kernel kernel = modelOf(apply);
  llvm::Optional<Product> product = productOf(kernel);
  return product && product->batch == 1 ? input : nullptr;
}

/// Brings weights to the elements of one value.
static bool addsWeights(const Operation &apply, const Value &value) {
  if (onlyInput(apply) != &value)
    return false;
  Kernel kernel = modelOf(apply);
  return kernel.statements.size() == 1 && kernel.statements[0].isElementwise() &&
         kernel.statements[0].op.flops() == 1;
}

void StackGroups::addProducts(Region &region) {
  llvm::MapVector<const Value *, ApplyGroup> byInput;
  llvm::DenseMap<const Value *, const Value *> products; // what each is made from
  for (Operation &op : region) {
    const Value *input = onlyInput(op);
    if (const Value *from = products.lookup(input); from && addsWeights(op, *input))
      byInput[from].push_back(&op);
    else if (input && multiplied(op)) {
      byInput[input].push_back(&op);
      products[&op.result()] = input;
    }
  }
  for (auto &[input, group] : byInput) {
    bool isGroup = llvm::count_if(group, [&](const Operation *op) {
                     return products.count(&op->result()) != 0;
                   }) > 1;
    if (!isGroup)
      continue;
    for (Operation *op : group)
      for (const Value *value : op->operands())
        if (isWeight(*value) && value->definingOp()->parentRegion() == &region)
          value->definingOp()->moveBefore(*group.front());
    Operation &place = *group.front();
    add(std::move(group), place);
  }
}

//===-- Additions before norms
//-------------------------------------------------------------------===//

bool passes::addsActivations(const Operation &apply) {
  if (!apply.is(op::ApplyOp::opName) || apply.resultCount() != 1 || apply.operandCount() != 2)
    return false;
  Kernel kernel = modelOf(apply);
  return kernel.statements.size() == 1 && kernel.statements[0].isElementwise() &&
         kernel.statements[0].op.flops() == 1 && kernel.statements[0].op.functions().empty() &&
         llvm::all_of(kernel.inputs(), [&](op::OperandOp input) {
           return input.role() == "input" && input.shape() == kernel.outputs()[0].shape();
         });
}

bool passes::isNorm(const Operation &op) {
  KernelUse use = kernelUse(op);
  llvm::Optional<Stream> stream = use.kernel ? streamOf(Kernel(use.kernel)) : llvm::None;
  return stream && stream->kind == StreamKind::Norm && stream->passBytes > 0;
}

void StackGroups::addAdditions(Region &region) {
  // Additions whose sum nothing has read yet.
  llvm::DenseMap<const Value *, Operation *> waiting;
  std::vector<std::pair<Operation *, Operation *>> pairs;
  for (Operation &op : region) {
    Operation *sum = op.operandCount() > 0 ? waiting.lookup(&op.operand(0)) : nullptr;
    if (sum && isNorm(op))
      pairs.push_back({sum, &op});
    op.walk([&](Operation &reader) {
      for (const Value *value : reader.operands())
        waiting.erase(value);
    });
    if (addsActivations(op))
      waiting[&op.result()] = &op;
  }
  for (const auto &[sum, norm] : pairs)
    add({sum, norm}, *norm);
}

//===-- Kernels of one op beside each other
//-------------------------------------------------------------------===//

/// Entries of a cache, or an equation with several operations on each element: single ones (biases,
/// sums) join what is before or behind them.
static bool mayPair(const Kernel &kernel) {
  llvm::Optional<Stream> stream = streamOf(kernel);
  if (!stream || kernel.statements.empty())
    return false;
  bool isAppend = stream->kind == StreamKind::Append || stream->kind == StreamKind::LatentAppend;
  return isAppend ||
         (stream->kind == StreamKind::Elementwise && kernel.statements.back().isElementwise() &&
          kernel.statements.back().op.flops() > 1);
}

/// The second of a pair follows the first before anything has read what that one makes.
void StackGroups::addPairs(Region &region) {
  std::map<std::string, Operation *> waiting; // by op
  std::vector<std::pair<Operation *, Operation *>> pairs;
  for (Operation &op : region) {
    op.walk([&](Operation &reader) {
      for (const Value *value : reader.operands())
        for (auto &[name, first] : waiting)
          if (first && value->definingOp() == first)
            first = nullptr;
    });
    if (!op.is(op::ApplyOp::opName) || op.resultCount() != 1 || has(op))
      continue;
    Kernel kernel = modelOf(op);
    if (!mayPair(kernel))
      continue;
    Operation *&first = waiting[kernel.op->stringAttr("op").str()];
    if (first)
      pairs.push_back({first, &op});
    first = first ? nullptr : &op;
  }
  for (const auto &[first, second] : pairs)
    add({first, second}, *second);
}

//===-- Layers of experts
//-------------------------------------------------------------------===//

/// The only application that reads `value`, which one result of a region is; null for none.
static Operation *onlyReader(const Value &value, Region &region) {
  Operation *found = nullptr;
  size_t readers = 0;
  region.walk([&](Operation &op) {
    if (llvm::is_contained(op.operands(), &value)) {
      found = &op;
      ++readers;
    }
  });
  return readers == 1 && found->parentRegion() == &region && found->is(op::ApplyOp::opName)
             ? found
             : nullptr;
}

/// Adds what makes the router's scores that `reader` takes, if nothing else reads them: streams.
void StackGroups::addScores(const Operation &reader, Region &region, ApplyGroup &group) const {
  for (const Value *value : reader.operands()) {
    Operation *source = value->definingOp();
    if (!source || source->parentRegion() != &region || !source->is(op::ApplyOp::opName) ||
        source->resultCount() != 1 || has(*source) || onlyReader(*value, region) != &reader ||
        !streamOf(modelOf(*source)) || bringsRows(modelOf(*source)))
      continue;
    addScores(*source, region, group);
    group.push_back(source);
  }
}

void StackGroups::addExperts(Region &region) {
  for (Operation &op : region) {
    if (!op.is(op::ApplyOp::opName) || op.resultCount() != 1 || has(op) || !expertsOf(modelOf(op)))
      continue;
    Operation *before = op.operand(0).definingOp(), *behind = onlyReader(op.result(), region);
    if (!before || !behind || before->parentRegion() != &region ||
        !before->is(op::ApplyOp::opName) || before->resultCount() != 1 || has(*before) ||
        has(*behind) || onlyReader(before->result(), region) != &op)
      continue;
    if (!bringsRows(modelOf(*before)) || !addsResults(modelOf(*behind)))
      continue;
    ApplyGroup group;
    for (Operation *member : {&op, behind})
      addScores(*member, region, group);
    llvm::append_range(group, ApplyGroup{before, &op, behind});
    add(std::move(group), *behind);
  }
}
