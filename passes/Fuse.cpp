// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fuse: an elementwise kernel joins the kernel that makes its operand, when nothing else uses that
// value. The group runs as one kernel: what is passed on inside it moves nowhere, its other inputs
// (residuals, scales) still do.
#include "passes/GroupKernel.h"
#include "passes/KernelModel.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

/// What fusion has to know of a kernel.
struct Fusibility {
  /// It has one result, made anew.
  bool canProduce = false;
  /// Per input: each element of the result needs of it the element of the same place only.
  llvm::SmallVector<bool, 4> joins;
};

/// Applications that run as one kernel, in order. The last one makes the group's result.
using Group = llvm::SmallVector<Operation *, 4>;

class Fusion {
public:
  Fusion(Module &module, PassContext &context)
      : builder(context.registry), groupKernels(module, context.registry) {}

  void run(Operation &graph) {
    uses.clear();
    graph.body().walk([&](Operation &op) {
      for (const Value *value : op.operands())
        ++uses[value];
    });
    fuseRegion(graph.body());
  }

private:
  const Fusibility &fusibility(const Operation &apply);
  void fuseRegion(Region &region);
  Operation *producerFor(Operation &apply, const Region &region);
  std::vector<Group> groupsOf(Region &region);
  void replaceGroup(const Group &group, ValueMap &replaced);

  Builder builder;
  GroupKernels groupKernels;
  // A map whose entries stay where they are.
  std::map<const Operation *, Fusibility> kernels;
  llvm::DenseMap<const Value *, unsigned> uses;
  // Of the region that is being grouped: the group of each application, and where each stands.
  llvm::DenseMap<const Operation *, size_t> groupOf;
  llvm::DenseMap<const Operation *, size_t> position;
};

/// True when all reads of `tensor` are of the element that the statement writes.
bool readsInPlace(const Kernel &kernel, llvm::StringRef tensor) {
  for (const Statement &statement : kernel.statements)
    for (const Access &read : statement.reads)
      if (read.tensor == tensor && *read.map != *statement.write.map)
        return false;
  return true;
}

Fusibility examine(const Kernel &kernel) {
  Fusibility result;
  std::vector<op::OperandOp> outputs = kernel.outputs();
  result.canProduce = outputs.size() == 1 && !outputs[0].isInPlace();
  bool elementwise = result.canProduce && !kernel.statements.empty();
  for (const Statement &statement : kernel.statements)
    elementwise &= statement.isElementwise();
  for (op::OperandOp operand : kernel.operands)
    if (operand.role() == "intermediate")
      elementwise &= readsInPlace(kernel, operand.symbol());
  for (op::OperandOp input : kernel.inputs())
    result.joins.push_back(elementwise && input.role() == "input" &&
                           input.shape() == outputs[0].shape() &&
                           readsInPlace(kernel, input.symbol()));
  return result;
}

const Fusibility &Fusion::fusibility(const Operation &apply) {
  Operation *kernel = resolve(apply, as<op::ApplyOp>(apply).kernel());
  auto found = kernels.find(kernel);
  if (found == kernels.end())
    found = kernels.try_emplace(kernel, examine(Kernel(op::KernelOp(kernel)))).first;
  return found->second;
}

/// The last application before `apply` whose group it can join, or null.
Operation *Fusion::producerFor(Operation &apply, const Region &region) {
  const Fusibility &consumer = fusibility(apply);
  Operation *best = nullptr;
  for (size_t i = 0; i < apply.operandCount(); ++i) {
    Value &value = apply.operand(i);
    Operation *producer = value.definingOp();
    if (!producer || producer->parentRegion() != &region || !groupOf.count(producer))
      continue;
    auto here = static_cast<unsigned>(llvm::count(apply.operands(), &value));
    bool joins = true;
    for (size_t j = 0; j < apply.operandCount(); ++j)
      joins &= &apply.operand(j) != &value || consumer.joins[j];
    if (joins && uses.lookup(&value) == here && fusibility(*producer).canProduce &&
        (!best || position.lookup(producer) > position.lookup(best)))
      best = producer;
  }
  return best;
}

void Fusion::fuseRegion(Region &region) {
  std::vector<Group> groups = groupsOf(region);
  llvm::DenseMap<const Operation *, const Group *> byLast;
  for (const Group &group : groups)
    if (group.size() > 1)
      byLast[group.back()] = &group;
  // In the order of the program, so that kernels are numbered as they run.
  ValueMap replaced;
  for (Operation &op : region) {
    if (op.is(op::RepeatOp::opName))
      fuseRegion(op.body());
    if (const Group *group = byLast.lookup(&op))
      replaceGroup(*group, replaced);
  }
  region.walk([&](Operation &op) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (Value *value = replaced.lookup(&op.operand(i)))
        op.setOperand(i, *value);
  });
  for (const Group &group : groups)
    if (group.size() > 1)
      for (Operation *op : llvm::reverse(group))
        op->erase();
}

std::vector<Group> Fusion::groupsOf(Region &region) {
  std::vector<Group> groups;
  groupOf.clear();
  position.clear();
  for (Operation &op : region) {
    size_t place = position.size();
    position[&op] = place;
    if (!op.is(op::ApplyOp::opName) || op.resultCount() != 1 ||
        op.operandCount() != fusibility(op).joins.size())
      continue;
    Operation *producer = producerFor(op, region);
    size_t group = producer ? groupOf.lookup(producer) : groups.size();
    if (!producer)
      groups.emplace_back();
    groups[group].push_back(&op);
    groupOf[&op] = group;
  }
  return groups;
}

/// Puts an op.fused with copies of the members before the last one.
void Fusion::replaceGroup(const Group &group, ValueMap &replaced) {
  Operation &last = *group.back();
  Location location = last.location();
  for (Operation *op : group)
    location.fuse(op->location());
  Operation *fused = builder.createBefore(last, op::FusedOp::opName, location);
  ValueMap map;
  for (Operation *op : group) {
    for (Value *value : op->operands()) {
      if (map.count(value))
        continue;
      fused->addOperand(*value);
      map[value] = &fused->body().addArgument(value->type(), value->hint());
    }
    op->clone(fused->body(), map);
  }
  Operation *yield = builder.create(fused->body(), op::YieldOp::opName, last.location());
  yield->addOperand(*map.lookup(&last.result()));
  replaced[&last.result()] = &fused->addResult(last.result().type(), last.result().hint());
  fused->setAttr("kernel", Attribute::symbol(groupKernels.kernelOf(*fused).symbol()));
}

} // namespace

static bool run(Module &module, PassContext &context) {
  std::vector<Operation *> graphs;
  for (Operation &op : module.body())
    if (op.is(op::GraphOp::opName))
      graphs.push_back(&op);
  Fusion fusion(module, context);
  for (Operation *graph : graphs)
    fusion.run(*graph);
  return true;
}

const PassInfo passes::fusePass = {
    "fuse", "run elementwise kernels as part of the kernel before them",
    "Precondition: values have types (infer-shapes). Before:\n"
    "    %y = op.apply %x, %w (kernel = @conv) : t\n"
    "    %z = op.apply %y (kernel = @relu) : t\n"
    "After, with a kernel @conv_relu of the statements of both:\n"
    "    %z = op.fused %x, %w (kernel = @conv_relu) : t { |%x: …, %w: …|\n"
    "      %y = op.apply %x, %w (kernel = @conv) : t\n"
    "      %z = op.apply %y (kernel = @relu) : t\n"
    "      op.yield %z }",
    run};
