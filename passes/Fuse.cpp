// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fuse: an elementwise kernel joins the kernel that makes its operand, when nothing else uses that
// value and both run as often (of experts: on as many tokens). The group runs as one kernel: what
// is passed on inside it moves nowhere, its other inputs (residuals, scales) still do. The runtime
// of an evaluation says what else joins, what does not, and what runs as the end of what no kernel
// can be made of (passes/HandedOver).
#include "ir/study/TrainOps.h"
#include "passes/FusedWorkload.h"
#include "passes/FusionRules.h"
#include "passes/GroupKernel.h"
#include "passes/HandedOver.h"
#include "passes/Names.h"
#include "passes/OwnGraph.h"
#include "passes/StackGroups.h"
#include "passes/analysis/KernelModel.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

/// What fusion has to know of a kernel.
struct Fusibility {
  /// It has one result, made anew.
  bool canProduce = false;
  bool multiplies = false;
  bool isOneOperation = false; ///< on each element
  llvm::StringRef op;          ///< that the kernel is of
  /// Per input: each element of the result needs of it the element of the same place only.
  llvm::SmallVector<bool, 4> joins;
};

using Group = ApplyGroup;
using WorkloadFusions = std::vector<std::unique_ptr<WorkloadFusion>>;
/// Groups of a region that a mapping joined, by their last member.
using JoinedBy = std::map<const Operation *, std::pair<WorkloadFusion *, JoinedGroup>>;

class Fusion {
public:
  Fusion(Module &module, PassContext &context)
      : builder(context.registry), groupKernels(module, context.registry), handedOver(module) {}

  /// Fuses what `mappings` ask for and `rules` have. False after a report.
  bool run(Operation &graph, const WorkloadFusions &mappings, const FusionRules &with) {
    rules = with;
    uses.clear();
    graph.body().walk([&](Operation &op) {
      for (const Value *value : op.operands())
        ++uses[value];
    });
    if (!fuseRegion(graph.body(), graph, mappings))
      return false;
    handedOver.run(graph.body(), rules);
    return true;
  }

private:
  const Fusibility &fusibility(const Operation &apply);
  bool fuseRegion(Region &region, const Operation &graph, const WorkloadFusions &mappings);
  bool joinGroups(std::vector<Group> &groups, const Operation &graph,
                  const WorkloadFusions &mappings, JoinedBy &joinedBy);
  Operation *producerFor(Operation &apply, const Region &region);
  bool isBias(const Operation &apply, size_t group);
  bool mayJoin(const Operation &apply, const Operation &producer);
  std::vector<Group> groupsOf(Region &region, const StackGroups &stack);
  Operation &replaceGroup(const Group &group, Operation &before, ValueMap &replaced,
                          bool namesValues);

  Builder builder;

  FusionRules rules;
  GroupKernels groupKernels;
  HandedOver handedOver;
  // A map whose entries stay where they are.
  std::map<const Operation *, Fusibility> kernels;
  llvm::DenseMap<const Value *, unsigned> uses;
  // Of the region that is being grouped: the group of each application, whether it multiplies, the
  // op that it ends with but for biases, and where each stands.
  llvm::DenseMap<const Operation *, size_t> groupOf;
  std::vector<bool> groupMultiplies;
  std::vector<llvm::StringRef> groupEnds;
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
  result.op = kernel.op->stringAttr("op");
  std::vector<op::OperandOp> outputs = kernel.outputs();
  result.canProduce = outputs.size() == 1 && !outputs[0].isInPlace();
  bool elementwise = result.canProduce && !kernel.statements.empty();
  for (const Statement &statement : kernel.statements) {
    elementwise &= statement.isElementwise();
    result.multiplies |= statement.op.isMac();
  }
  result.isOneOperation = kernel.statements.size() == 1 && kernel.statements[0].op.flops() == 1;
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

/// What says how often a kernel of a training step runs: in a group all run alike.
static constexpr llvm::StringLiteral shares[] = {"load", "dropped", "discarded"};

static bool runAlike(const Operation &a, const Operation &b) {
  return llvm::all_of(shares, [&](llvm::StringRef name) {
    const Attribute *one = a.attr(name), *other = b.attr(name);
    return one && other ? *one == *other : one == other;
  });
}

static bool bringsWeights(const Operation &apply) {
  auto values = llvm::count_if(apply.operands(), [](Value *value) { return !isWeight(*value); });
  return values == 1 && apply.operandCount() > 1;
}

/// Whether it is the bias of a product.
bool Fusion::isBias(const Operation &apply, size_t group) {
  return groupMultiplies[group] && fusibility(apply).isOneOperation && bringsWeights(apply);
}

/// Whether what the stack runs as one has `apply` in the group of `producer`.
bool Fusion::mayJoin(const Operation &apply, const Operation &producer) {
  size_t group = groupOf.lookup(&producer);
  if (!rules.joins.empty())
    return (rules.biases && isBias(apply, group)) ||
           rules.joins.count({groupEnds[group].str(), fusibility(apply).op.str()});
  if (!groupMultiplies[group])
    return rules.elementwise;
  if (rules.epilogues || !fusibility(apply).isOneOperation)
    return rules.epilogues;
  auto values = llvm::count_if(apply.operands(), [](Value *value) { return !isWeight(*value); });
  // A sum that no norm of the region reads waits for the next layer's.
  return values == 1 ? rules.biases : rules.additions;
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
        runAlike(apply, *producer) && mayJoin(apply, *producer) &&
        (!best || position.lookup(producer) > position.lookup(best)))
      best = producer;
  }
  return best;
}

/// Puts groups together where mappings for the workload fuse values.
bool Fusion::joinGroups(std::vector<Group> &groups, const Operation &graph,
                        const WorkloadFusions &mappings, JoinedBy &joinedBy) {
  for (const std::unique_ptr<WorkloadFusion> &mapping : mappings) {
    std::vector<JoinedGroup> joined;
    if (!groups.empty() && !mapping->join(groups, graph, joined))
      return false;
    for (JoinedGroup &one : joined) {
      const Operation *last = one.members.back();
      if (one.members.size() > 1)
        joinedBy[last] = {mapping.get(), std::move(one)};
    }
  }
  for (const auto &[last, joined] : joinedBy)
    groups.push_back(joined.second.members);
  return true;
}

bool Fusion::fuseRegion(Region &region, const Operation &graph, const WorkloadFusions &mappings) {
  StackGroups stack(region, rules);
  std::vector<Group> groups = groupsOf(region, stack);
  JoinedBy joinedBy;
  if (!joinGroups(groups, graph, mappings, joinedBy))
    return false;
  llvm::DenseMap<const Operation *, const Group *> byLast;
  for (const Group &group : groups)
    if (group.size() > 1)
      byLast[group.back()] = &group;
  for (const StackGroup &group : stack.groups())
    byLast[group.place] = &group.members;
  // In the order of the program, so that kernels are numbered as they run.
  ValueMap replaced;
  for (Operation &op : region) {
    if (op.is(op::RepeatOp::opName) && !fuseRegion(op.body(), graph, mappings))
      return false;
    const Group *group = byLast.lookup(&op);
    if (!group)
      continue;
    auto joined = joinedBy.find(&op);
    Operation &fused = replaceGroup(*group, op, replaced, joined != joinedBy.end());
    if (joined != joinedBy.end() &&
        !joined->second.first->specialise(
            op::KernelOp(resolve(fused, as<op::FusedOp>(fused).kernel())), joined->second.second))
      return false;
  }
  region.walk([&](Operation &op) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (Value *value = replaced.lookup(&op.operand(i)))
        op.setOperand(i, *value);
  });
  for (const auto &[place, group] : byLast)
    for (Operation *op : llvm::reverse(*group))
      op->erase();
  return true;
}

std::vector<Group> Fusion::groupsOf(Region &region, const StackGroups &stack) {
  std::vector<Group> groups;
  groupOf.clear();
  groupMultiplies.clear();
  groupEnds.clear();
  position.clear();
  for (Operation &op : region) {
    size_t place = position.size();
    position[&op] = place;
    if (!op.is(op::ApplyOp::opName) || stack.has(op) || op.resultCount() != 1 ||
        op.operandCount() != fusibility(op).joins.size())
      continue;
    Operation *producer = producerFor(op, region);
    size_t group = producer ? groupOf.lookup(producer) : groups.size();
    if (!producer) {
      groups.emplace_back();
      groupMultiplies.push_back(fusibility(op).multiplies);
      groupEnds.push_back(fusibility(op).op);
    } else if (!isBias(op, group)) {
      groupEnds[group] = fusibility(op).op;
    }
    groups[group].push_back(&op);
    groupOf[&op] = group;
  }
  return groups;
}

/// Puts an op.fused with copies of the members before `before`. It hands on what others use.
Operation &Fusion::replaceGroup(const Group &group, Operation &before, ValueMap &replaced,
                                bool namesValues) {
  Operation &last = *group.back();
  Location location = last.location();
  llvm::DenseMap<const Value *, unsigned> inside;
  for (Operation *op : group) {
    location.fuse(op->location());
    for (const Value *value : op->operands())
      ++inside[value];
  }
  Operation *fused = builder.createBefore(before, op::FusedOp::opName, location);
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
  for (Operation *op : group) {
    for (size_t i = 0; i < op->resultCount(); ++i) {
      const Value &result = op->result(i);
      if (op != &last && uses.lookup(&result) == inside.lookup(&result))
        continue;
      yield->addOperand(*map.lookup(&result));
      replaced[&result] = &fused->addResult(result.type(), result.hint());
    }
  }
  fused->setAttr("kernel", Attribute::symbol(groupKernels.kernelOf(*fused, namesValues).symbol()));
  for (llvm::StringRef name : shares)
    if (const Attribute *share = last.attr(name))
      fused->setAttr(name, *share);
  return *fused;
}

} // namespace

namespace {

/// A graph that one statement runs under mappings for workloads, or as its runtime has it.
struct MappedGraph {
  study::EvaluateOp evaluate; ///< null for a size of a served model
  Operation *graph;
  FusionRules rules;
  WorkloadFusions fusions;
};

} // namespace

/// Statements with such mappings or a runtime get a graph of their own where others use it too.
static std::vector<MappedGraph> mappedGraphs(Module &module, PassContext &context) {
  std::vector<MappedGraph> mapped;
  GraphUses uses(module);
  for (const GraphUse &use : uses.all()) {
    MappedGraph one{
        as<study::EvaluateOp>(use.statement), nullptr, FusionRules::of(*use.statement), {}};
    if (one.evaluate)
      for (const Attribute &name : one.evaluate->listAttr("with")) {
        auto mapping = as<loopnest::MappingOp>(resolve(*one.evaluate, name.asSymbol()));
        if (mapping && mapping->hasAttr("graph"))
          one.fusions.push_back(std::make_unique<WorkloadFusion>(module, context.registry, mapping,
                                                                 context.diagnostics));
      }
    bool isOwn = !one.fusions.empty() || study::findPart(*use.statement, study::RuntimeOp::opName);
    one.graph = isOwn ? uses.own(use) : nullptr;
    if (one.graph)
      mapped.push_back(std::move(one));
  }
  return mapped;
}

/// Graphs that only `train` statements are about: these run what is derived from them, maybe by
/// another strategy yet.
static llvm::StringSet<> graphsToDerive(Module &module) {
  llvm::StringSet<> trained;
  for (study::TrainOp train : studiesOf<study::TrainOp>(module))
    trained.insert(train.subject());
  for (study::EvaluateOp evaluate : studiesOf<study::EvaluateOp>(module))
    trained.erase(evaluate.subject());
  return trained;
}

static bool runFuse(Module &module, PassContext &context) {
  std::vector<MappedGraph> mapped = mappedGraphs(module, context);
  llvm::StringSet<> kept = graphsToDerive(module);
  std::vector<Operation *> graphs;
  for (Operation &op : module.body())
    if (op.is(op::GraphOp::opName) && !kept.count(op.symbol()))
      graphs.push_back(&op);
  Fusion fusion(module, context);
  static const WorkloadFusions none;
  for (Operation *graph : graphs) {
    auto found = llvm::find_if(mapped, [&](const MappedGraph &one) { return one.graph == graph; });
    bool isMapped = found != mapped.end();
    if (!fusion.run(*graph, isMapped ? found->fusions : none,
                    isMapped ? found->rules : FusionRules()))
      return false;
    if (isMapped)
      for (const std::unique_ptr<WorkloadFusion> &one : found->fusions)
        if (!one->finish(found->evaluate))
          return false;
  }
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
    runFuse};
