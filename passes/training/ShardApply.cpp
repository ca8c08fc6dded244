// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One application on one rank: its operands are brought to the form that it needs, its kernel is
// divided, and its results get their state.
#include "passes/training/Derive.h"
#include "passes/training/Sharder.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static double elementsOf(const Type &type) {
  return static_cast<double>(type.elements().getValueOr(0));
}

/// Whether parts of sums that meet tokens which these ranks have of their own are added up to their
/// tokens before: where that moves no more than all of these tokens and the results behind it.
bool Sharder::addsUpBefore(const Use &use) {
  double parts = 0, wholeParts = 0, own = 0, results = 0;
  for (const Value *value : use.op.operands()) {
    const ShardState &state = stateOf(*value);
    double elements = elementsOf(value->type());
    own += state.isSequenceParallel ? elements * static_cast<double>(strategy.tensor) : 0;
    if (state.partial == 1)
      continue;
    parts += elements;
    auto all = whole.find(value);
    wholeParts += all == whole.end() ? elements : elementsOf(all->second);
  }
  for (size_t i = 0; i < use.op.resultCount(); ++i) // not divided yet
    results += elementsOf(use.op.result(i).type());
  return own > 0 && wholeParts > 0 && parts <= own + results * parts / wholeParts;
}

/// Whether the results are parts of sums, as operands are: so are sums of parts alone, also along a
/// rank, and sums of products of one with what each rank has as a whole.
bool Sharder::staysPartial(const Use &use) {
  if (addsUpBefore(use))
    return false;
  llvm::StringMap<bool> isPart;
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    if (isWeight(use.op.operand(i)))
      return false;
    isPart[use.inputs[i].symbol()] = stateOf(use.op.operand(i)).partial > 1;
  }
  for (const Statement &statement : use.classes.kernel().statements) {
    auto parts = static_cast<size_t>(llvm::count_if(
        statement.reads, [&](const Access &read) { return isPart.lookup(read.tensor); }));
    if (parts == 0)
      continue;
    bool isAll = parts == statement.reads.size(), isReduced = !statement.op.reduce().empty();
    bool isOnce = parts == 1 && statement.op.reads().size() == statement.reads.size(); // no square
    bool isSum = isReduced
                     ? statement.op.reduce() == "+" && isOnce && (isAll || statement.op.isMac())
                     : isAll && parts > 1 && isLinear(statement);
    if (!isSum)
      return false;
    isPart[statement.write.tensor] = true;
  }
  return llvm::all_of(use.outputs,
                      [&](op::OperandOp output) { return isPart.lookup(output.symbol()); });
}

/// Those of `tokens`, an input of which each rank has all, that a rank has to itself where
/// tensor-parallel ranks divide the sequence: what each token has chosen, say.
Value &Sharder::ownTokens(Operation &before, Value &tokens) {
  Value *&known = made[{&tokens, before.parentRegion(), "own"}];
  if (known)
    return *known;
  const Operation &all = *tokens.definingOp();
  Operation *own = builder.createBefore(before, op::TensorOp::opName, all.location());
  own->setAttr("kind", all.stringAttr("kind"));
  own->setAttr("label", all.stringAttr("label"));
  ShardState state = stateOf(tokens);
  state.isSequenceParallel = true;
  known = &own->addResult(typeOf(tokens, state));
  states[known] = state;
  if (choices.count(&tokens))
    choices.insert(known);
  return *known;
}

static bool isToken(const Value &value) {
  auto tensor = as<op::TensorOp>(value.definingOp());
  return tensor && tensor.kind() == "token";
}

/// Brings the operands to the form that the kernel needs.
void Sharder::gatherInputs(Use &use) {
  bool hasFeature = false;
  for (unsigned cls = 0; cls < use.feature.size(); ++cls)
    hasFeature |= use.feature[cls] > 1 && cls != use.expert;
  use.isSequenceParallel =
      strategy.sequence && !use.isPartial && !hasFeature && llvm::is_contained(use.split, true);
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    ShardState state = stateOf(use.op.operand(i));
    bool isDivided = false;
    for (unsigned rank = 0; rank < state.split.size(); ++rank)
      isDivided |= state.split[rank] && use.split[use.classes.ofRank(use.inputs[i].symbol(), rank)];
    bool isWhole = isDivided && !state.isSequenceParallel;
    if (use.isSequenceParallel && isWhole && isToken(use.op.operand(i))) {
      use.op.setOperand(i, ownTokens(use.op, use.op.operand(i)));
      continue;
    }
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
  return tensor && (tensor.kind() == "input" || tensor.kind() == "cache") && tensor->parentOp() &&
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
    int64_t whole = value.type().elements().getValueOr(0);
    value.setType(typeOf(value, state));
    if (as<op::TensorOp>(*value.definingOp()).isAdapter() && value.type().elements() != whole)
      value.definingOp()->setAttr("whole", whole);
    if (use.expert && use.classes.dataRank(use.inputs[i].symbol()))
      value.definingOp()->setAttr("expert", Attribute::unit());
  }
}

/// Whether `output` is made from statements that run over the class, or from a tensor of `touched`.
static bool comesFrom(const KernelClasses &classes, unsigned cls, llvm::StringMap<bool> touched,
                      llvm::StringRef output) {
  for (const Statement &statement : classes.kernel().statements) {
    bool touches = classes.runsOver(statement, cls);
    for (const Access &read : statement.reads)
      touches |= touched.lookup(read.tensor);
    if (touches)
      touched[statement.write.tensor] = true;
  }
  return touched.lookup(output);
}

/// Whether each context-parallel rank has a sum, or a maximum, over its own positions as `output`.
bool Sharder::sumsPositions(const Use &use, llvm::StringRef output) {
  for (unsigned cls = 0; cls < use.classes.count(); ++cls)
    if (use.split[cls] && !use.classes.has(output, cls) && comesFrom(use.classes, cls, {}, output))
      return true;
  return false;
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
    if (isData && (kernel.macs() > 0 || use.expert == cls))
      continue; // experts: each token meets its own on one rank
    if (comesFrom(use.classes, cls, touched, output))
      ranks *= use.feature[cls];
  }
  return ranks;
}

/// Puts exchanges, those of one rank left out, between `value` and all that use it.
void Sharder::addUp(Operation &before, Value &value, llvm::ArrayRef<AxisExchange> exchanges,
                    const ShardState &state) {
  Value *last = &value;
  Operation *first = nullptr;
  for (const AxisExchange &one : exchanges) {
    if (one.ranks == 1)
      continue;
    last = &collective(before, *last, one.kind, one.axis, one.ranks, state);
    first = first ? first : last->definingOp();
  }
  if (!first)
    return;
  graph->body().replaceUses(value, *last);
  first->setOperand(0, value);
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
      if (state.labels[rank] == RankLabel::Feature)
        state.labels[rank] = labelOf(value, rank); // positions that begin here
    }
    state.isSequenceParallel = use.isSequenceParallel && state.hasSplit();
    state.partial = partialRanks(use, name);
    state.isAtExperts = use.isAtExperts && !(use.expert && use.classes.has(name, *use.expert));
    if (state.isAtExperts) {
      state.copies = copiesOf(use, name);
      state.choiceRank = choiceRankOf(use, use.outputs[i]);
      state.load = use.load;
    }
    value.setType(typeOf(value, state));
    states[&value] = state;
    bool isWhole = hasBatch && !state.hasSplit() && llvm::is_contained(use.split, true);
    if (isWhole && hasWholeSequence && strategy.context > 1) {
      // Gradients of gathered keys and values: each rank has a part of their sum.
      for (unsigned rank = 0; rank < state.labels.size(); ++rank)
        state.split[rank] = state.labels[rank] == RankLabel::Sequence;
      addUp(*next, value, {{"reduce_scatter", "context", strategy.context}}, state);
    } else if (isWhole && !hasWholeSequence && sumsPositions(use, name)) {
      // Sums and maxima over positions; those of gradients of weights come with the step's.
      addUp(*next, value,
            {{"all_reduce", "context", strategy.context},
             {"all_reduce", "tensor", use.isSequenceParallel ? strategy.tensor : 1}},
            state);
    }
  }
}

/// Says along which axes ranks run the same, or fewer parts than there are ranks.
void Sharder::noteAlike(const Use &use) {
  int64_t parts = use.isSequenceParallel ? strategy.tensor : 1;
  for (unsigned cls = 0; cls < use.feature.size(); ++cls)
    parts *= cls == use.expert ? 1 : use.feature[cls];
  bool ownTokens = use.isAtExperts || use.expert; // of the ranks that share out the experts
  std::vector<std::string> axes;
  if (parts < strategy.tensor && !(ownTokens && strategy.wholeExperts()))
    axes.push_back("tensor");
  if (strategy.context > 1 && !ownTokens && !llvm::is_contained(use.split, true))
    axes.push_back("context");
  bool ownSamples = ownTokens || graphLabels.batch() == 0;
  if (strategy.data > 1 && !ownSamples && !llvm::is_contained(use.labels, RankLabel::Batch))
    axes.push_back("data");
  if (!axes.empty())
    use.op.setAttr("alike", Attribute::strings(axes));
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
  use.isPartial = staysPartial(use);
  for (size_t i = 0; i < op.operandCount(); ++i) {
    partial = std::max(partial, stateOf(op.operand(i)).partial);
    if (!use.isPartial)
      op.setOperand(i, reduced(op, op.operand(i)));
  }
  readLabels(use);
  chooseSequence(use);
  readFeatures(use);
  readTables(use);
  findExperts(use);
  if (!chooseFeatures(use) || !placeExperts(use))
    return false;
  gatherInputs(use);
  meetExperts(use);
  decideWeights(use);
  for (unsigned cls = 0; cls < known.count(); ++cls) {
    use.total[cls] = use.feature[cls];
    if (use.labels[cls] == RankLabel::Batch)
      use.total[cls] *= batchFactor;
    if (use.split[cls])
      use.total[cls] *= strategy.context * (use.isSequenceParallel ? strategy.tensor : 1);
  }
  op.setAttr("kernel", Attribute::symbol(kernels.of(known, use.total, *graph)));
  noteAlike(use);
  writeResults(use);
  if (use.isPartial)
    for (size_t i = 0; i < op.resultCount(); ++i)
      stateOf(op.result(i)).partial = partial;
  return true;
}
