// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expert parallelism. Weights that the data choose are divided along that rank; tokens go to the
// ranks of their experts (dispatch) and what the experts make goes back (combine), both by
// all_to_all among the expert-parallel ranks. Kernels between the two run where the experts are, on
// as many tokens as the busiest rank gets (Routing.h). What the forward pass keeps of dispatched
// tokens is kept there, so that the backward pass does not send it again.
#include "ir/common/diagnostics/Training.h"
#include "passes/training/Derive.h"
#include "passes/training/Sharder.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// True for what tokens carry: neither weights nor the choices themselves.
static bool isActivation(const Value &value) {
  return !isWeight(value) && value.type().isTensor() && isFloating(value.type().dtype());
}

/// Finds what chooses the weights of products: the experts of tokens.
void Sharder::findChoices(Operation &graph) {
  choices.clear();
  graph.body().walk([&](Operation &op) {
    if (!op.is(op::ApplyOp::opName) || classesOf(op).kernel().macs() == 0)
      return;
    const KernelClasses &known = classesOf(op);
    bool isChosen = llvm::any_of(known.kernel().operands, [&](op::OperandOp operand) {
      return known.dataRank(operand.symbol()).hasValue();
    });
    for (const Value *operand : op.operands())
      if (isChosen && !isWeight(*operand) && !isActivation(*operand))
        choices.insert(operand);
  });
}

/// Finds the class of the kernel that the data choose: experts of weights or of their gradients.
void Sharder::findExperts(Use &use) {
  bool isOfChoices =
      llvm::any_of(use.op.operands(), [&](const Value *value) { return choices.count(value); });
  if (use.classes.kernel().macs() == 0 && !isOfChoices)
    return;
  auto isFeatures = [&](op::OperandOp operand) {
    for (unsigned rank = 0; rank < operand.shape().size(); ++rank)
      if (use.labels[use.classes.ofRank(operand.symbol(), rank)] != RankLabel::Feature)
        return false;
    return true;
  };
  for (const std::vector<op::OperandOp> *operands : {&use.inputs, &use.outputs})
    for (op::OperandOp operand : *operands)
      if (auto rank = use.classes.dataRank(operand.symbol()); rank && isFeatures(operand))
        use.expert = use.classes.ofRank(operand.symbol(), *rank);
}

/// Choices of a token that `tensor` has no rank for.
int64_t Sharder::copiesOf(const Use &use, llvm::StringRef tensor) const {
  int64_t copies = use.copies;
  for (size_t i = 0; use.expert && i < use.op.operandCount(); ++i) {
    if (isWeight(use.op.operand(i)) || isActivation(use.op.operand(i)))
      continue;
    for (unsigned rank = 0; rank < use.inputs[i].shape().size(); ++rank) {
      unsigned cls = use.classes.ofRank(use.inputs[i].symbol(), rank);
      if (use.labels[cls] == RankLabel::Feature && !use.classes.has(tensor, cls))
        copies *= use.classes.extent(cls);
    }
  }
  return copies;
}

/// Divides weights that the data choose among the expert-parallel ranks; false after a report.
bool Sharder::placeExperts(Use &use) {
  if (!use.expert)
    return true;
  int64_t experts = use.classes.extent(*use.expert);
  int64_t redundant = std::min(strategy.routing.redundant, experts);
  if ((experts + redundant) % strategy.expert) {
    std::string all = counted(static_cast<uint64_t>(experts), "expert");
    diagnostics.report(use.op.range(), diag::DoesNotDivide,
                       fmt::format("expert = {}", strategy.expert),
                       redundant > 0 ? fmt::format("the {} + {} of this layer", all, redundant)
                                     : fmt::format("the {} of this layer", all));
    return false;
  }
  use.feature[*use.expert] = strategy.expert;
  double choices = static_cast<double>(strategy.expert);
  int64_t chosen = 1; // by a token
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    if (isWeight(use.op.operand(i)) || isActivation(use.op.operand(i)))
      continue;
    choices *= static_cast<double>(use.op.operand(i).type().elements().getValueOr(1));
    for (unsigned rank = 0; rank < use.inputs[i].shape().size(); ++rank)
      if (unsigned cls = use.classes.ofRank(use.inputs[i].symbol(), rank);
          use.labels[cls] == RankLabel::Feature)
        chosen = std::max(chosen, use.classes.extent(cls));
  }
  use.load = expertLoad(strategy.routing, experts, strategy.expert, choices, chosen);
  return true;
}

static Attribute shareAttribute(double value) {
  return Quantity(*Rational::make(std::llround(value * 1e4), 10000));
}

/// What the forward pass kept behind an exchange, in the place of another one.
Value &Sharder::keptBehind(Operation &before, Value &value, const ShardState &state) {
  const Operation &maker = *value.definingOp();
  Operation *tensor = builder.createBefore(before, op::TensorOp::opName, before.location());
  tensor->setSymbol(keptExchanged.lookup(maker.symbol()));
  tensor->setAttr("kind", "saved");
  tensor->setAttr("label", as<op::TensorOp>(maker).label());
  Type original = whole.try_emplace(&value, value.type()).first->second;
  Value &result = tensor->addResult(original, value.hint());
  whole[&result] = original;
  result.setType(typeOf(result, state));
  states[&result] = state;
  return result;
}

/// The tensor of which `value` is another format, in the same region; null where it is none.
Value *Sharder::castSource(const Value &value) {
  const Operation *maker = value.definingOp();
  if (!maker || !maker->is(op::ApplyOp::opName) || maker->operandCount() != 1)
    return nullptr;
  Value &source = maker->operand(0);
  const Kernel &kernel = classesOf(*maker).kernel();
  bool isCast = source.type().shape() == value.type().shape() &&
                source.type().dtype() != value.type().dtype() && kernel.statements.size() == 1 &&
                isLinear(kernel.statements[0]) && kernel.statements[0].reads.size() == 1;
  return isCast && source.definingOp() &&
                 source.definingOp()->parentRegion() == maker->parentRegion()
             ? &source
             : nullptr;
}

/// Where `value` is a tensor in another format that is not shorter: that one behind an exchange,
/// and the format changed there.
Value *Sharder::castBehind(Operation &before, Value &value, const ShardState &state) {
  const Value *root = &value;
  while (const Value *earlier = castSource(*root))
    root = earlier;
  if (root == &value || bitsOf(root->type().dtype()) > bitsOf(value.type().dtype()))
    return nullptr;
  Operation *maker = value.definingOp();
  Value &source = *castSource(value);
  ShardState there = stateOf(source);
  there.isAtExperts = state.isAtExperts;
  there.copies = state.copies;
  there.choiceRank = state.choiceRank;
  there.load = state.load;
  Value &moved = exchange(before, source, there);
  Operation *cast = builder.createBefore(before, op::ApplyOp::opName, maker->location());
  cast->setAttr("kernel", *maker->attr("kernel"));
  cast->addOperand(moved);
  Type original = whole.try_emplace(&value, value.type()).first->second;
  Value &result = cast->addResult(value.type(), value.hint());
  whole[&result] = original;
  states[&result] = there;
  if (!llvm::is_contained(movedCasts, maker))
    movedCasts.push_back(maker);
  return &result;
}

/// Drops casts of which nothing is used but what stands behind an exchange.
void Sharder::dropMovedCasts() {
  llvm::DenseSet<const Value *> used;
  graph->body().walk([&](Operation &op) {
    for (const Value *operand : op.operands())
      used.insert(operand);
  });
  for (Operation *op : llvm::reverse(movedCasts)) {
    if (used.count(&op->result()))
      continue;
    op->erase();
  }
  movedCasts.clear();
}

/// Sends `value` to its experts, or back, as `state` says.
Value &Sharder::exchange(Operation &before, Value &value, const ShardState &state) {
  auto key =
      std::make_tuple(static_cast<const Value *>(&value),
                      static_cast<const Region *>(before.parentRegion()), std::string("experts"));
  if (auto known = made.find(key); known != made.end())
    return *known->second;
  const Operation *maker = value.definingOp();
  if (maker && maker->is(op::TensorOp::opName) && keptExchanged.count(maker->symbol()))
    return *(made[key] = &keptBehind(before, value, state));
  if (Value *cast = castBehind(before, value, state))
    return *(made[key] = cast);
  ShardState there = state.isAtExperts ? state : stateOf(value);
  Value &result = collective(before, value, "all_to_all", "expert", strategy.expert, state);
  writeLoad(*result.definingOp(), there);
  if (there.load.dropped > 0)
    result.definingOp()->setAttr("dropped", shareAttribute(there.load.dropped));
  auto rank = state.isAtExperts ? state.choiceRank : stateOf(value).choiceRank;
  if (rank && value.type().shape()[*rank] > 1)
    result.definingOp()->setAttr("choices", value.type().shape()[*rank]);
  made[key] = &result;
  for (auto [user, index] : users.lookup(&value))
    if (user->is(op::SaveOp::opName)) {
      Operation *save = builder.createBefore(*user, op::SaveOp::opName, user->location());
      save->setSymbol(user->symbol().str() + (state.isAtExperts ? "_experts" : "_home"));
      save->addOperand(result);
      keptExchanged[user->symbol()] = save->symbol().str();
    }
  return result;
}

/// Says of `op`, which moves or keeps `value`, how many tokens that are.
void Sharder::writeLoad(Operation &op, const ShardState &state) {
  if (state.copies > 1)
    op.setAttr("copies", state.copies);
  if (state.load.slowest != 1)
    op.setAttr("load", shareAttribute(state.load.slowest));
}

void Sharder::dropUnusedSaves(Operation &forward, Operation &backward) {
  llvm::StringMap<bool> isExchanged;
  for (const auto &entry : keptExchanged)
    isExchanged[entry.first()] = isExchanged[entry.second] = true;
  llvm::DenseSet<const Value *> used;
  llvm::StringMap<Operation *> tensors;
  backward.body().walk([&](Operation &op) {
    for (const Value *operand : op.operands())
      used.insert(operand);
    if (op.is(op::TensorOp::opName) && isExchanged.count(op.symbol()))
      tensors[op.symbol()] = &op;
  });
  std::vector<Operation *> unused;
  forward.body().walk([&](Operation &op) {
    if (!op.is(op::SaveOp::opName) || !isExchanged.count(op.symbol()))
      return;
    Operation *tensor = tensors.lookup(op.symbol());
    if (tensor && used.count(&tensor->result()))
      return;
    unused.push_back(&op);
    if (tensor)
      unused.push_back(tensor);
  });
  for (Operation *op : unused)
    op->erase();
}

Value &Sharder::atHome(Operation &before, Value &value) {
  ShardState state = stateOf(value);
  if (!state.isAtExperts)
    return value;
  state.isAtExperts = false;
  state.copies = 1;
  state.choiceRank.reset();
  state.load = {};
  return exchange(before, value, state);
}

/// Finds the class that runs over the choices of a token: the one of the choices themselves, or the
/// one by which operands at the experts have it.
void Sharder::findChoiceClass(Use &use) {
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    const Value &value = use.op.operand(i);
    llvm::StringRef name = use.inputs[i].symbol();
    if (auto rank = stateOf(value).choiceRank)
      use.choice = use.classes.ofRank(name, *rank);
    for (unsigned rank = 0; choices.count(&value) && rank < use.inputs[i].shape().size(); ++rank)
      if (unsigned cls = use.classes.ofRank(name, rank); use.labels[cls] == RankLabel::Feature)
        use.choice = cls;
  }
}

llvm::Optional<unsigned> Sharder::choiceRankOf(const Use &use, op::OperandOp tensor) {
  for (unsigned rank = 0; use.choice && rank < tensor.shape().size(); ++rank)
    if (use.classes.ofRank(tensor.symbol(), rank) == *use.choice)
      return rank;
  return llvm::None;
}

/// Where an application with tokens at the experts runs: there with weights of experts, and where
/// its results have a token's choices as well (activations, whatever else they need); else at home,
/// as the sum over a token's experts needs all of them.
bool Sharder::runsAtExperts(const Use &use) {
  if (use.expert)
    return strategy.expert > 1;
  bool any = false, all = true, isChosen = false;
  for (const Value *operand : use.op.operands())
    if (isActivation(*operand)) {
      const ShardState &state = stateOf(*operand);
      any |= state.isAtExperts;
      all &= state.isAtExperts;
      isChosen |= state.choiceRank.hasValue();
    }
  if (!isChosen)
    return any && all;
  return any && llvm::any_of(use.outputs, [&](op::OperandOp output) {
           return choiceRankOf(use, output).hasValue();
         });
}

/// Brings the tokens of an application together, at the experts or at home.
void Sharder::meetExperts(Use &use) {
  for (const Value *operand : use.op.operands())
    if (isActivation(*operand) && stateOf(*operand).isAtExperts && !use.expert) {
      use.load = stateOf(*operand).load;
      use.copies = std::max(use.copies, stateOf(*operand).copies);
    }
  findChoiceClass(use);
  use.isAtExperts = runsAtExperts(use);
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    Value &value = use.op.operand(i);
    if (!isActivation(value) || stateOf(value).isAtExperts == use.isAtExperts)
      continue;
    ShardState state = stateOf(value);
    state.isAtExperts = use.isAtExperts;
    state.copies = use.isAtExperts ? copiesOf(use, use.inputs[i].symbol()) : 1;
    state.choiceRank = use.isAtExperts ? choiceRankOf(use, use.inputs[i]) : llvm::None;
    state.load = use.isAtExperts ? use.load : ExpertLoad();
    use.op.setOperand(i, exchange(use.op, value, state));
  }
  if ((use.expert || use.isAtExperts) && use.load.slowest != 1)
    use.op.setAttr("load", shareAttribute(use.load.slowest));
  if ((use.expert || use.isAtExperts) && use.load.dropped > 0)
    use.op.setAttr("dropped", shareAttribute(use.load.dropped));
}
