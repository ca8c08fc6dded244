// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Sharder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

Sharder::Sharder(Module &module, PassContext &context, const Strategy &strategy,
                 const RankLabels &labels)
    : diagnostics(context.diagnostics), builder(context.registry), strategy(strategy),
      graphLabels(labels), kernels(module, context.registry) {
  batchFactor = std::max<int64_t>(1, labels.batch()) / strategy.microbatch;
}

const KernelClasses &Sharder::classesOf(const Operation &apply) {
  return graphLabels.kernels().of(apply);
}

ShardState &Sharder::stateOf(const Value &value) {
  return states.try_emplace(&value, ShardState(value.type().shape().size())).first->second;
}

/// What a rank of `value` is to be divided as: positions without tokens that the ranks of the
/// sequence cannot share out with a loss of less than 1 % are run alike.
RankLabel Sharder::labelOf(const Value &value, unsigned rank) const {
  llvm::ArrayRef<RankLabel> labels = graphLabels.of(value);
  RankLabel label = rank < labels.size() ? labels[rank] : RankLabel::Feature;
  if (label != RankLabel::Sequence)
    return label;
  int64_t extent = value.type().shape()[rank];
  bool isToken = llvm::is_contained(graphLabels.sequences(), extent);
  return isToken || Strategy::sharesOut(extent, strategy.sequenceRanks()) ? label
                                                                          : RankLabel::Feature;
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

/// A rank's part of the positions of `value`, where each has all of them.
Value &Sharder::ownPositions(Operation &before, Value &value) {
  ShardState state = stateOf(value);
  auto *first = llvm::find(state.labels, RankLabel::Sequence);
  if (strategy.context == 1 || first == state.labels.end() || state.hasSplit())
    return value;
  state.split[static_cast<size_t>(first - state.labels.begin())] = true;
  return collective(before, value, "slice", "context", strategy.context, state);
}

/// `value` as layers hand it on: whole sums, divided along the sequence where the strategy does.
Value &Sharder::normal(Operation &before, Value &value) {
  Value &sum = ownPositions(before, reduced(before, atHome(before, value)));
  ShardState state = stateOf(sum);
  if (!strategy.sequence || state.isSequenceParallel || !state.hasSplit())
    return sum;
  state.isSequenceParallel = true;
  return collective(before, sum, "slice", "tensor", strategy.tensor, state);
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
        state.labels[rank] = labelOf(value, rank);
        // Of two, as of distances between positions, the queries' are divided.
        state.split[rank] = state.labels[rank] == RankLabel::Sequence && !state.hasSplit();
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

/// A layer that is computed again runs as in the forward pass, up to the exchange of what it hands
/// on, although nothing reads that any more (the checkpoints of Megatron-LM run all of it again).
void Sharder::finishRecomputed(Operation &op, Operation &before) {
  if (strategy.recompute == Recompute::Full && op.resultCount() == 1 && !users.count(&op.result()))
    normal(before, op.result());
}

bool Sharder::region(Region &region) {
  for (auto next = region.begin(); next != region.end();) {
    Operation &op = *next++;
    if (op.is(op::TensorOp::opName)) {
      tensor(op);
    } else if (op.is(op::ApplyOp::opName)) {
      if (!apply(op))
        return false;
      finishRecomputed(op, *next);
    } else if (op.is(op::RepeatOp::opName)) {
      repeat(op);
      if (!this->region(op.body()))
        return false;
    } else if (op.is(op::SaveOp::opName)) {
      op.setOperand(0, reduced(op, op.operand(0)));
      kept[op.symbol()] = stateOf(op.operand(0));
      writeLoad(op, stateOf(op.operand(0)));
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
  findChoices(into);
  bool good = region(into.body());
  dropMovedCasts();
  return good;
}
