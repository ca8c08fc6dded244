// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Sharder.h"

#include "ir/common/diagnostics/Training.h"
#include "passes/training/Derive.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <numeric>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

Sharder::Sharder(Module &module, PassContext &context, const Strategy &strategy,
                 const RankLabels &labels)
    : module(module), diagnostics(context.diagnostics), builder(context.registry),
      strategy(strategy), graphLabels(labels), kernels(module, context.registry) {
  batchFactor = std::max<int64_t>(1, labels.batch()) / strategy.microbatch;
}

const KernelClasses &Sharder::classesOf(const Operation &apply) {
  llvm::StringRef name = as<op::ApplyOp>(apply).kernel();
  return classes.try_emplace(name.str(), op::KernelOp(resolve(apply, name))).first->second;
}

ShardState &Sharder::stateOf(const Value &value) {
  return states.try_emplace(&value, ShardState(value.type().shape().size())).first->second;
}

/// The type of `value` on one rank.
Type Sharder::typeOf(const Value &value, const ShardState &state) {
  const Type &type = whole.try_emplace(&value, value.type()).first->second;
  if (!type.isTensor())
    return type;
  llvm::SmallVector<int64_t, 6> shape(type.shape().begin(), type.shape().end());
  for (size_t rank = 0; rank < shape.size(); ++rank) {
    int64_t factor = state.feature[rank];
    if (state.labels[rank] == RankLabel::Batch)
      factor *= batchFactor;
    if (state.split[rank])
      factor *= strategy.context * (state.isSequenceParallel ? strategy.tensor : 1);
    shape[rank] = (shape[rank] + factor - 1) / factor;
  }
  return Type::tensor(shape, type.dtype());
}

//===-- Collectives
//------------------------------------------------------------------------------===//

Value &Sharder::collective(Operation &before, Value &value, llvm::StringRef kind,
                           llvm::StringRef axis, int64_t ranks, ShardState state) {
  auto key = std::make_tuple(static_cast<const Value *>(&value),
                             static_cast<const Region *>(before.parentRegion()),
                             (llvm::Twine(kind) + " " + axis).str());
  Value *&known = made[key];
  if (known)
    return *known;
  Operation *op = builder.createBefore(before, op::CollectiveOp::opName, before.location());
  op->setAttr("kind", kind);
  op->setAttr("axis", axis);
  op->setAttr("ranks", ranks);
  op->addOperand(value);
  Type original = whole.try_emplace(&value, value.type()).first->second;
  known = &op->addResult(original, value.hint());
  whole[known] = original;
  known->setType(typeOf(*known, state));
  states[known] = std::move(state);
  return *known;
}

/// `value` without its partial sums.
Value &Sharder::reduced(Operation &before, Value &value) {
  ShardState state = stateOf(value);
  if (state.partial == 1)
    return value;
  int64_t ranks = state.partial;
  state.partial = 1;
  bool scatters = strategy.sequence && ranks == strategy.tensor && state.hasSplit();
  state.isSequenceParallel = scatters;
  return collective(before, value, scatters ? "reduce_scatter" : "all_reduce", "tensor", ranks,
                    state);
}

/// `value` as layers hand it on: whole sums, divided along the sequence where the strategy does.
Value &Sharder::normal(Operation &before, Value &value) {
  Value &sum = reduced(before, value);
  ShardState state = stateOf(sum);
  if (!strategy.sequence || state.isSequenceParallel || !state.hasSplit())
    return sum;
  state.isSequenceParallel = true;
  return collective(before, sum, "slice", "tensor", strategy.tensor, state);
}

//===-- Classes
//----------------------------------------------------------------------------------===//

void Sharder::readLabels(Use &use) {
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    const ShardState &state = stateOf(use.op.operand(i));
    for (unsigned rank = 0; rank < state.labels.size(); ++rank)
      if (state.labels[rank] != RankLabel::Feature)
        use.labels[use.classes.ofRank(use.inputs[i].symbol(), rank)] = state.labels[rank];
  }
}

/// Of the sequence classes that meet in a statement the first one is divided, as the queries of
/// attention are; the others are whole.
void Sharder::chooseSequence(Use &use) {
  const KernelClasses &classes = use.classes;
  for (const Statement &statement : classes.kernel().statements) {
    llvm::Optional<unsigned> chosen;
    for (unsigned i = 0; i < statement.extents.size(); ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.labels[cls] == RankLabel::Sequence && use.split[cls])
        chosen = cls;
    }
    for (unsigned i = 0; i < statement.extents.size() && !chosen; ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.labels[cls] == RankLabel::Sequence && !classes.isRigid(cls))
        chosen = cls;
    }
    if (chosen)
      use.split[*chosen] = true;
  }
  // Two that meet cannot both be divided: the later one gives way.
  for (const Statement &statement : classes.kernel().statements) {
    llvm::Optional<unsigned> first;
    for (unsigned i = 0; i < statement.extents.size(); ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.labels[cls] != RankLabel::Sequence || !use.split[cls])
        continue;
      if (!first)
        first = cls;
      else if (*first != cls)
        use.split[std::max(*first, cls) == cls ? cls : *first] = false;
    }
  }
  // What came in whole on purpose stays whole (the keys' rank of scores).
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    const ShardState &state = stateOf(use.op.operand(i));
    if (!state.hasSplit())
      continue;
    for (unsigned rank = 0; rank < state.labels.size(); ++rank)
      if (state.labels[rank] == RankLabel::Sequence && !state.split[rank])
        use.split[use.classes.ofRank(use.inputs[i].symbol(), rank)] = false;
  }
}

void Sharder::readFeatures(Use &use) {
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    const ShardState &state = stateOf(use.op.operand(i));
    for (unsigned rank = 0; rank < state.feature.size(); ++rank) {
      int64_t &factor = use.feature[use.classes.ofRank(use.inputs[i].symbol(), rank)];
      factor = std::max(factor, state.feature[rank]);
    }
  }
}

/// True when the kernels behind keep rank `rank` of `value` until a product with a weight sums over
/// it, or to the end.
bool Sharder::isKept(const Value &value, unsigned rank, unsigned depth) {
  if (depth == 0)
    return false;
  for (auto [user, index] : users.lookup(&value)) {
    if (user->is(op::ReturnOp::opName) || user->is(op::SaveOp::opName))
      continue;
    if (!user->is(op::ApplyOp::opName))
      return false;
    const KernelClasses &classes = classesOf(*user);
    std::vector<op::OperandOp> inputs = classes.kernel().inputs();
    unsigned cls = classes.ofRank(inputs[index].symbol(), rank);
    if (classes.isRigid(cls))
      return false;
    for (const Statement &statement : classes.kernel().statements) {
      if (!classes.isReduced(statement, cls))
        continue;
      bool meetsWeight = llvm::any_of(statement.reads, [&](const Access &read) {
        for (size_t i = 0; i < user->operandCount(); ++i)
          if (inputs[i].symbol() == read.tensor && isWeight(user->operand(i)))
            return classes.has(read.tensor, cls);
        return false;
      });
      if (!statement.op.isMac() || !meetsWeight)
        return false;
    }
    std::vector<op::OperandOp> outputs = classes.kernel().outputs();
    for (size_t i = 0; i < user->resultCount(); ++i)
      for (unsigned out = 0; out < user->result(i).type().shape().size(); ++out)
        if (classes.ofRank(outputs[i].symbol(), out) == cls &&
            !isKept(user->result(i), out, depth - 1))
          return false;
  }
  return true;
}

/// A class of weights that the activations do not have and the kernels behind keep.
bool Sharder::isColumn(const Use &use, unsigned cls) {
  if (use.classes.isRigid(cls) || use.labels[cls] != RankLabel::Feature)
    return false;
  bool inWeight = false;
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    bool has = use.classes.has(use.inputs[i].symbol(), cls);
    if (has && !isWeight(use.op.operand(i)))
      return false;
    inWeight |= has;
  }
  if (!inWeight)
    return false;
  for (size_t i = 0; i < use.op.resultCount(); ++i)
    for (unsigned rank = 0; rank < use.op.result(i).type().shape().size(); ++rank)
      if (use.classes.ofRank(use.outputs[i].symbol(), rank) == cls)
        return isKept(use.op.result(i), rank, 16);
  return false;
}

/// Divides a product with a weight by columns, or a gathered table by rows. False after a report.
bool Sharder::chooseFeatures(Use &use) {
  if (strategy.tensor == 1 || llvm::any_of(use.feature, [](int64_t factor) { return factor > 1; }))
    return true;
  const KernelClasses &classes = use.classes;
  for (size_t i = 0; i < use.op.operandCount(); ++i)
    if (auto rank = classes.dataRank(use.inputs[i].symbol());
        rank && isWeight(use.op.operand(i)) && classes.kernel().macs() == 0 &&
        classes.extent(classes.ofRank(use.inputs[i].symbol(), *rank)) >= 100 * strategy.tensor)
      use.feature[classes.ofRank(use.inputs[i].symbol(), *rank)] = strategy.tensor;
  if (classes.kernel().macs() == 0)
    return true;
  int64_t rest = strategy.tensor, refused = 0;
  for (const Statement &statement : classes.kernel().statements)
    for (unsigned i = 0; i < statement.extents.size() && rest > 1; ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.feature[cls] > 1 || classes.extent(cls) == 1 || !isColumn(use, cls))
        continue;
      int64_t extent = classes.extent(cls);
      // A long rank is padded: less than 1 % of it is lost.
      int64_t factor = extent >= 100 * rest ? rest : std::gcd(extent, rest);
      if (factor == 1)
        refused = extent;
      use.feature[cls] = factor;
      rest /= factor;
    }
  if (rest < strategy.tensor || refused == 0)
    return true;
  diagnostics.report(use.op.range(), diag::DoesNotDivide,
                     fmt::format("tensor = {}", strategy.tensor),
                     fmt::format("the {} columns of this product", refused));
  return false;
}

/// Weights that the data choose are divided among the expert-parallel ranks.
void Sharder::placeExperts(Use &use) {
  if (strategy.expert == 1)
    return;
  for (size_t i = 0; i < use.inputs.size() && i < use.op.operandCount(); ++i)
    if (auto rank = use.classes.dataRank(use.inputs[i].symbol());
        rank && use.classes.kernel().macs() > 0)
      use.feature[use.classes.ofRank(use.inputs[i].symbol(), *rank)] = strategy.expert;
}

//===-- Applications
//-----------------------------------------------------------------------------===//

/// A sum of parts of sums is a part of a sum.
bool Sharder::isLinearSum(const Use &use) const {
  for (const Statement &statement : use.classes.kernel().statements)
    if (!isLinear(statement) || !statement.op.reduce().empty() || statement.reads.size() < 2)
      return false;
  return true;
}

/// Brings the operands to the form that the kernel needs.
void Sharder::gatherInputs(Use &use) {
  bool hasFeature = llvm::any_of(use.feature, [](int64_t factor) { return factor > 1; });
  use.isSequenceParallel = strategy.sequence && !hasFeature && llvm::is_contained(use.split, true);
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    ShardState state = stateOf(use.op.operand(i));
    if (state.isSequenceParallel && !use.isSequenceParallel) {
      state.isSequenceParallel = false;
      use.op.setOperand(
          i, collective(use.op, use.op.operand(i), "all_gather", "tensor", strategy.tensor, state));
    }
    for (unsigned rank = 0; rank < state.split.size(); ++rank) {
      unsigned cls = use.classes.ofRank(use.inputs[i].symbol(), rank);
      if (!state.split[rank] || use.split[cls])
        continue;
      state.split[rank] = false;
      if (strategy.context > 1)
        use.op.setOperand(i, collective(use.op, use.op.operand(i), "all_gather", "context",
                                        strategy.context, state));
    }
  }
}

/// A tensor that a layer gets for itself.
static bool isOwnInput(const Value &value) {
  auto tensor = as<op::TensorOp>(value.definingOp());
  return tensor && tensor.kind() == "input" && tensor->parentOp() &&
         tensor->parentOp()->is(op::RepeatOp::opName);
}

/// Weights that were not used before take the form that this use needs.
void Sharder::decideWeights(Use &use) {
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    Value &value = use.op.operand(i);
    if (isOwnInput(value) && decided.insert(&value).second) {
      ShardState &state = stateOf(value);
      for (unsigned rank = 0; rank < state.feature.size(); ++rank) {
        unsigned cls = use.classes.ofRank(use.inputs[i].symbol(), rank);
        state.labels[rank] = use.labels[cls];
        state.feature[rank] = use.feature[cls];
        state.split[rank] = use.split[cls];
      }
      state.isSequenceParallel = use.isSequenceParallel && state.hasSplit();
      value.setType(typeOf(value, state));
    }
    if (!isWeight(value) || kept.count(value.definingOp()->symbol()))
      continue;
    ShardState &state = stateOf(value);
    for (unsigned rank = 0; rank < state.feature.size(); ++rank)
      state.feature[rank] = use.feature[use.classes.ofRank(use.inputs[i].symbol(), rank)];
    kept[value.definingOp()->symbol()] = state;
    value.setType(typeOf(value, state));
  }
}

/// The number of parts that add up to `output`, where a divided class is summed over.
int64_t Sharder::partialRanks(const Use &use, llvm::StringRef output) const {
  int64_t ranks = 1;
  const Kernel &kernel = use.classes.kernel();
  for (unsigned cls = 0; cls < use.classes.count(); ++cls) {
    if (use.feature[cls] == 1 || use.classes.has(output, cls))
      continue;
    llvm::StringMap<bool> touched; // tensors made from what is divided
    bool isData = false;
    for (op::OperandOp input : use.inputs)
      if (auto rank = use.classes.dataRank(input.symbol());
          rank && use.classes.ofRank(input.symbol(), *rank) == cls) {
        touched[input.symbol()] = true;
        isData = true;
      }
    if (isData && kernel.macs() > 0)
      continue; // experts: each token meets its own on one rank
    for (const Statement &statement : kernel.statements) {
      bool touches = use.classes.runsOver(statement, cls);
      for (const Access &read : statement.reads)
        touches |= touched.lookup(read.tensor);
      if (touches)
        touched[statement.write.tensor] = true;
    }
    if (touched.lookup(output))
      ranks *= use.feature[cls];
  }
  return ranks;
}

void Sharder::writeResults(Use &use) {
  Operation *next = nullptr;
  for (auto it = use.op.parentRegion()->begin(); it != use.op.parentRegion()->end(); ++it)
    if (&*it == &use.op)
      next = &*std::next(it);
  for (size_t i = 0; i < use.op.resultCount(); ++i) {
    Value &value = use.op.result(i);
    llvm::StringRef name = use.outputs[i].symbol();
    ShardState state(value.type().shape().size());
    bool hasBatch = false, hasWholeSequence = false;
    for (unsigned rank = 0; rank < state.labels.size(); ++rank) {
      unsigned cls = use.classes.ofRank(name, rank);
      state.labels[rank] = use.labels[cls];
      state.feature[rank] = use.feature[cls];
      state.split[rank] = use.split[cls];
      hasBatch |= use.labels[cls] == RankLabel::Batch;
      hasWholeSequence |= use.labels[cls] == RankLabel::Sequence && !use.split[cls];
    }
    state.isSequenceParallel = use.isSequenceParallel && state.hasSplit();
    state.partial = partialRanks(use, name);
    value.setType(typeOf(value, state));
    // Gradients of gathered keys and values: each rank has a part of their sum.
    bool isContextSum = strategy.context > 1 && hasBatch && hasWholeSequence && !state.hasSplit() &&
                        llvm::is_contained(use.split, true);
    states[&value] = state;
    if (!isContextSum)
      continue;
    for (unsigned rank = 0; rank < state.labels.size(); ++rank)
      state.split[rank] = state.labels[rank] == RankLabel::Sequence;
    Value &sum = collective(*next, value, "reduce_scatter", "context", strategy.context, state);
    graph->body().replaceUses(value, sum);
    sum.definingOp()->setOperand(0, value);
  }
}

bool Sharder::apply(Operation &op) {
  const KernelClasses &known = classesOf(op);
  std::vector<op::OperandOp> inputs = known.kernel().inputs();
  if (inputs.size() < op.operandCount())
    return true;
  Use use{op,
          known,
          std::move(inputs),
          known.kernel().outputs(),
          Factors(known.count(), 1),
          Factors(known.count(), 1),
          std::vector<RankLabel>(known.count(), RankLabel::Feature),
          std::vector<bool>(known.count(), false)};
  int64_t partial = 1;
  bool allPartial = isLinearSum(use);
  for (Value *operand : op.operands())
    allPartial &= stateOf(*operand).partial > 1;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    partial = std::max(partial, stateOf(op.operand(i)).partial);
    if (!allPartial)
      op.setOperand(i, reduced(op, op.operand(i)));
  }
  readLabels(use);
  chooseSequence(use);
  readFeatures(use);
  if (!chooseFeatures(use))
    return false;
  placeExperts(use);
  gatherInputs(use);
  if (allPartial)
    use.isSequenceParallel = false;
  decideWeights(use);
  for (unsigned cls = 0; cls < known.count(); ++cls) {
    use.total[cls] = use.feature[cls];
    if (use.labels[cls] == RankLabel::Batch)
      use.total[cls] *= batchFactor;
    if (use.split[cls])
      use.total[cls] *= strategy.context * (use.isSequenceParallel ? strategy.tensor : 1);
  }
  op.setAttr("kernel", Attribute::symbol(kernels.of(known, use.total, *graph)));
  writeResults(use);
  if (allPartial)
    for (size_t i = 0; i < op.resultCount(); ++i)
      stateOf(op.result(i)).partial = partial;
  return true;
}

//===-- Other operations
//-------------------------------------------------------------------------===//

void Sharder::tensor(Operation &op) {
  Value &value = op.result();
  auto known = kept.find(op.symbol());
  if (!op.symbol().empty() && known != kept.end()) {
    states[&value] = known->second;
  } else {
    ShardState &state = stateOf(value);
    if (as<op::TensorOp>(op).kind() != "weight") {
      RankLabels::Labels labels = graphLabels.of(value);
      for (unsigned rank = 0; rank < labels.size(); ++rank) {
        state.labels[rank] = labels[rank];
        state.split[rank] = labels[rank] == RankLabel::Sequence;
      }
      if (op.symbol().empty() && labels.empty())
        if (auto same = kept.find("label " + op.stringAttr("label").str()); same != kept.end())
          state = same->second;
      kept["label " + op.stringAttr("label").str()] = state;
    }
  }
  value.setType(typeOf(value, stateOf(value)));
}

void Sharder::repeat(Operation &op) {
  for (size_t i = 0; i < op.operandCount(); ++i) {
    op.setOperand(i, normal(op, op.operand(i)));
    ShardState state = stateOf(op.operand(i));
    for (Value *value : {&op.body().argument(i), &op.result(i)}) {
      value->setType(typeOf(*value, state));
      states[value] = state;
    }
  }
}

bool Sharder::region(Region &region) {
  for (auto next = region.begin(); next != region.end();) {
    Operation &op = *next++;
    if (op.is(op::TensorOp::opName)) {
      tensor(op);
    } else if (op.is(op::ApplyOp::opName)) {
      if (!apply(op))
        return false;
    } else if (op.is(op::RepeatOp::opName)) {
      repeat(op);
      if (!this->region(op.body()))
        return false;
    } else if (op.is(op::SaveOp::opName)) {
      op.setOperand(0, reduced(op, op.operand(0)));
      kept[op.symbol()] = stateOf(op.operand(0));
    } else if (op.is(op::YieldOp::opName)) {
      for (size_t i = 0; i < op.operandCount(); ++i)
        op.setOperand(i, normal(op, op.operand(i)));
    } else if (op.is(op::CollectiveOp::opName) && !states.count(&op.result())) {
      ShardState state = stateOf(op.operand(0));
      op.result().setType(typeOf(op.result(), state));
      states[&op.result()] = state;
    }
  }
  return true;
}

bool Sharder::run(Operation &into) {
  graph = &into;
  users.clear();
  into.body().walk([&](Operation &op) {
    for (unsigned i = 0; i < op.operandCount(); ++i)
      users[&op.operand(i)].push_back({&op, i});
  });
  return region(into.body());
}
