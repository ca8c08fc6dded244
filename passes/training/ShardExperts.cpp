// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expert parallelism. Weights that the data choose are divided along that rank; tokens go to the
// ranks of their experts (dispatch) and what the experts make goes back (combine), both by
// all_to_all among the expert-parallel ranks. Kernels between the two run where the experts are, on
// as many tokens as the busiest rank gets (Routing.h). What the forward pass keeps of dispatched
// tokens is kept there, so that the backward pass does not send it again.
#include "ir/common/diagnostics/Training.h"
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

/// Finds the class of the kernel that the data choose: experts of weights or of their gradients.
void Sharder::findExperts(Use &use) {
  if (use.classes.kernel().macs() == 0)
    return;
  for (const std::vector<op::OperandOp> *operands : {&use.inputs, &use.outputs})
    for (op::OperandOp operand : *operands)
      if (auto rank = use.classes.dataRank(operand.symbol()))
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
  if (experts % strategy.expert) {
    diagnostics.report(use.op.range(), diag::DoesNotDivide,
                       fmt::format("expert = {}", strategy.expert),
                       fmt::format("the {} of this layer", counted(experts, "expert")));
    return false;
  }
  use.feature[*use.expert] = strategy.expert;
  double choices = static_cast<double>(strategy.expert);
  for (size_t i = 0; i < use.op.operandCount(); ++i)
    if (!isWeight(use.op.operand(i)) && !isActivation(use.op.operand(i)))
      choices *= static_cast<double>(use.op.operand(i).type().elements().getValueOr(1));
  use.load = expertLoad(strategy.routing, experts, strategy.expert, choices);
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
  ShardState there = state.isAtExperts ? state : stateOf(value);
  Value &result = collective(before, value, "all_to_all", "expert", strategy.expert, state);
  writeLoad(*result.definingOp(), there);
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
  state.load = {};
  return exchange(before, value, state);
}

/// Brings the tokens of an application together: to the experts where it uses them, home where it
/// meets what is there. What only has tokens at the experts stays there.
void Sharder::meetExperts(Use &use) {
  bool any = false, all = true;
  for (const Value *operand : use.op.operands())
    if (isActivation(*operand)) {
      any |= stateOf(*operand).isAtExperts;
      all &= stateOf(*operand).isAtExperts;
      if (stateOf(*operand).isAtExperts && !use.expert) {
        use.load = stateOf(*operand).load;
        use.copies = std::max(use.copies, stateOf(*operand).copies);
      }
    }
  use.isAtExperts = (use.expert && strategy.expert > 1) || (any && all);
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    Value &value = use.op.operand(i);
    if (!isActivation(value) || stateOf(value).isAtExperts == use.isAtExperts)
      continue;
    ShardState state = stateOf(value);
    state.isAtExperts = use.isAtExperts;
    state.copies = use.isAtExperts ? copiesOf(use, use.inputs[i].symbol()) : 1;
    state.load = use.isAtExperts ? use.load : ExpertLoad();
    use.op.setOperand(i, exchange(use.op, value, state));
  }
  if ((use.expert || use.isAtExperts) && use.load.slowest != 1)
    use.op.setAttr("load", shareAttribute(use.load.slowest));
  if ((use.expert || use.isAtExperts) && use.load.dropped > 0)
    use.op.setAttr("dropped", shareAttribute(use.load.dropped));
}
