// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Differentiator.h"

#include "ir/common/diagnostics/Training.h"
#include "passes/training/TrainingGraph.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static bool isFloatingTensor(const Type &type) {
  return type.isTensor() && isFloating(type.dtype());
}

//===-- What has a gradient
//----------------------------------------------------------------------===//

void Differentiator::findActive(Region &region) {
  for (Operation &op : region) {
    auto tensor = as<op::TensorOp>(op);
    if (tensor && isWeight(op.result()) && isFloatingTensor(op.result().type()) &&
        !tensor.isFrozen())
      active.insert(&op.result());
    bool depends = llvm::any_of(op.operands(), [&](const Value *v) { return active.count(v); });
    if (op.is(op::RepeatOp::opName)) {
      // What goes round depends on the weights inside from the second round on.
      for (size_t i = 0; i < op.operandCount(); ++i)
        if (isFloatingTensor(op.operand(i).type())) {
          active.insert(&op.body().argument(i));
          active.insert(&op.result(i));
        }
      findActive(op.body());
      continue;
    }
    for (size_t i = 0; depends && i < op.resultCount(); ++i)
      if (isFloatingTensor(op.result(i).type()))
        active.insert(&op.result(i));
  }
}

//===-- Values
//-----------------------------------------------------------------------------------===//

Operation *Differentiator::create(Frame &frame, llvm::StringRef name, const Location &location) {
  return frame.next ? builder.createBefore(*frame.next, name, location)
                    : builder.create(*frame.into, name, location);
}

/// The frame of the region in which `value` is defined.
Differentiator::Frame &Differentiator::frameOf(const Value &value) {
  const Region *home =
      value.definingOp() ? value.definingOp()->parentRegion() : value.owningRegion();
  for (Frame &frame : frames)
    if (frame.from == home)
      return frame;
  return frames.front();
}

/// The gradient of a value, a sum when there are several.
void Differentiator::addGradient(const Value &of, Value &gradient, bool isOfAdapter) {
  Frame &frame = frames.back();
  if (isWeight(of)) {
    auto [entry, isNew] = frame.weightGradients.try_emplace(&of, &gradient);
    if (isNew)
      frame.weightOrder.push_back(&of);
    else
      entry->second = &sum(*entry->second, gradient, frame, forward.location());
    return;
  }
  auto &known = isOfAdapter ? ofAdapters : gradients;
  auto [entry, isNew] = known.try_emplace(&of, &gradient);
  if (!isNew)
    entry->second = &sum(*entry->second, gradient, frame, forward.location());
}

/// Completes the gradient of `of`, which no operation adds to any more.
void Differentiator::settle(const Value &of) {
  Value *late = ofAdapters.lookup(&of);
  if (!late)
    return;
  ofAdapters.erase(&of);
  addGradient(of, *late);
}

Value &Differentiator::sum(Value &a, Value &b, Frame &frame, const Location &location) {
  Operation *op = create(frame, op::ApplyOp::opName, location);
  op->setAttr("kernel", Attribute::symbol(helpers.sum(a.type(), location)));
  op->addOperand(a);
  op->addOperand(b);
  return op->addResult(a.type(), a.hint());
}

//===-- Forward values in the backward graph
//-----------------------------------------------------===//

/// What is computed again of a region of the forward graph.
Recompute Differentiator::modeOf(const Region &region) const {
  const Operation *layers = region.parentOp();
  bool isKept = layers && layers->is(op::RepeatOp::opName) && as<op::RepeatOp>(*layers).isKept();
  return isKept ? Recompute::None : strategy.recompute;
}

bool Differentiator::isRecomputed(const Value &value) const {
  const Operation *maker = value.definingOp();
  if (!maker || !maker->is(op::ApplyOp::opName))
    return false;
  Recompute mode = modeOf(*maker->parentRegion());
  if (mode == Recompute::Selective)
    return labels.sequenceRanks(value) >= 2;
  if (mode != Recompute::Cheap)
    return false;
  // Tokens that were sent to their experts are kept: making them again would send them again.
  auto isChoice = [](const Value *operand) {
    return operand->type().isTensor() && !isFloating(operand->type().dtype());
  };
  if (llvm::any_of(maker->operands(), isChoice))
    return false;
  Kernel kernel(op::KernelOp(resolve(*maker, as<op::ApplyOp>(*maker).kernel())));
  // Sums over a rank (of a token's experts) are kept: they take less memory than what they add up.
  bool isSum = kernel.statements.size() == 1 && isLinear(kernel.statements[0]) &&
               !kernel.statements[0].op.reduce().empty();
  return kernel.macs() == 0 && !isSum;
}

Value *Differentiator::recompute(const Operation &apply, const Value &value, Frame &frame) {
  std::vector<Value *> operands;
  for (const Value *operand : apply.operands())
    operands.push_back(stored(*operand));
  Operation *copy = create(frame, op::ApplyOp::opName, apply.location());
  copy->setAttr("kernel", *apply.attr("kernel"));
  copy->setOperands(operands);
  for (size_t i = 0; i < apply.resultCount(); ++i)
    counterparts[&apply.result(i)] =
        &copy->addResult(apply.result(i).type(), apply.result(i).hint());
  copies.insert(copy);
  return counterparts.lookup(&value);
}

/// What stands for a forward value in the backward graph.
Value *Differentiator::stored(const Value &value) {
  if (Value *known = counterparts.lookup(&value))
    return known;
  Frame &frame = frameOf(value);
  if (isRecomputed(value))
    return recompute(*value.definingOp(), value, frame);
  return counterparts[&value] = restored(value, frame);
}

/// A tensor that comes from outside, or one that the forward pass keeps.
Value *Differentiator::restored(const Value &value, Frame &frame) {
  const Operation *maker = value.definingOp();
  // What a layer gets from outside for itself (the mask of a dropout) is kept like what it makes.
  bool isOwn = maker && maker->is(op::TensorOp::opName) && frame.from != &forward.body() &&
               as<op::TensorOp>(*maker).kind() == "input";
  // What is computed again gets it again.
  Recompute mode = modeOf(*frame.from);
  if (mode == Recompute::Full || (mode == Recompute::Selective && labels.sequenceRanks(value) >= 2))
    isOwn = false;
  if (maker && maker->is(op::TensorOp::opName) && !isOwn) {
    Operation *copy = create(frame, op::TensorOp::opName, maker->location());
    copy->setSymbol(maker->symbol());
    copy->setAttr("kind", *maker->attr("kind"));
    copy->setAttr("label", *maker->attr("label"));
    for (const char *flag : {"frozen", "adapter"})
      if (maker->hasAttr(flag))
        copy->setAttr(flag, Attribute::unit());
    return &copy->addResult(value.type(), value.hint());
  }
  Location location = maker ? maker->location() : forward.location();
  Operation *save = builder.createBefore(frame.from->back(), op::SaveOp::opName, location);
  save->setSymbol("s" + std::to_string(saves++));
  save->addOperand(const_cast<Value &>(value));
  Operation *tensor = create(frame, op::TensorOp::opName, location);
  tensor->setSymbol(save->symbol());
  tensor->setAttr("kind", "saved");
  tensor->setAttr("label", value.hint());
  return &tensor->addResult(value.type(), value.hint());
}

/// All of a layer again, from what goes into it.
void Differentiator::recomputeAll(Region &from) {
  for (Operation &op : from)
    if (op.is(op::ApplyOp::opName))
      recompute(op, op.result(), frames.back());
}

/// Marks what is computed again of a whole layer, although no gradient reads it.
void Differentiator::markDiscarded(Region &into) const {
  llvm::DenseSet<const Value *> read;
  std::vector<Operation *> order;
  for (Operation &op : into)
    order.push_back(&op);
  for (Operation *op : llvm::reverse(order)) {
    bool isRead = false;
    for (size_t i = 0; i < op->resultCount(); ++i)
      isRead |= read.contains(&op->result(i));
    if (copies.contains(op) && !isRead) {
      op->setAttr("discarded", Attribute::unit());
      continue;
    }
    op->walk([&](const Operation &inner) {
      for (const Value *operand : inner.operands())
        read.insert(operand);
    });
  }
}

//===-- Operations
//-------------------------------------------------------------------------------===//

/// The first product of an adapter.
static bool isWayDown(op::KernelOp kernel) { return kernel.declaration().endswith(".lora_a"); }

bool Differentiator::apply(Operation &op) {
  bool hasGradient = false;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    settle(op.result(i));
    hasGradient |= gradients.count(&op.result(i));
  }
  if (!hasGradient)
    return true;
  op::KernelOp kernel(resolve(op, as<op::ApplyOp>(op).kernel()));
  llvm::SmallBitVector wanted(static_cast<unsigned>(inputsOf(kernel).size()));
  for (unsigned i = 0; i < op.operandCount() && i < wanted.size(); ++i)
    if (active.count(&op.operand(i)))
      wanted.set(i);
  for (const Adjoint &adjoint : adjoints.of(kernel, wanted, forward)) {
    std::vector<Value *> operands;
    for (const AdjointInput &input : adjoint.inputs) {
      Value *value = input.kind == AdjointInput::Gradient
                         ? gradients.lookup(&op.result(input.index))
                     : input.kind == AdjointInput::Output ? stored(op.result(input.index))
                                                          : stored(op.operand(input.index));
      operands.push_back(value ? value : &zero(op.result(input.index), op.location()));
    }
    if (adjoint.isCopy) {
      addGradient(op.operand(adjoint.results[0]), *operands[0]);
      continue;
    }
    Operation *step = create(frames.back(), op::ApplyOp::opName, op.location());
    step->setAttr("kernel", Attribute::symbol(adjoint.kernel));
    step->setOperands(operands);
    for (unsigned input : adjoint.results) {
      const Value &of = op.operand(input);
      step->addResult(of.type(), of.hint().empty() ? "" : "d_" + of.hint().str());
    }
    for (size_t i = 0; i < adjoint.results.size(); ++i)
      addGradient(op.operand(adjoint.results[i]), step->result(i), isWayDown(kernel));
  }
  return true;
}

/// Computed values from outside of `region` that it reads and that have gradients, each once.
std::vector<const Value *> Differentiator::captured(Region &region) const {
  std::vector<const Value *> values;
  for (Operation &op : region) {
    auto add = [&](const Value *value) {
      const Region *home =
          value->definingOp() ? value->definingOp()->parentRegion() : value->owningRegion();
      bool isOutside = llvm::any_of(frames, [&](const Frame &frame) { return frame.from == home; });
      if (isOutside && active.count(value) && !isWeight(*value) &&
          !llvm::is_contained(values, value))
        values.push_back(value);
    };
    llvm::for_each(op.operands(), add);
    for (size_t i = 0; i < op.regionCount(); ++i)
      llvm::for_each(captured(op.region(i)), add);
  }
  return values;
}

/// The gradient of a result that nothing depends on.
Value &Differentiator::zero(const Value &of, const Location &location) {
  Operation *op = create(frames.back(), op::TensorOp::opName, location);
  op->setAttr("kind", "gradient");
  op->setAttr("label", "zero");
  return op->addResult(of.type(), of.hint());
}

bool Differentiator::repeat(Operation &op) {
  std::vector<unsigned> carried;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    settle(op.result(i));
    if (gradients.count(&op.result(i)))
      carried.push_back(i);
  }
  if (carried.empty())
    return true;
  // The gradients of values from outside go round as well, and all rounds add to them.
  std::vector<const Value *> outside = captured(op.body());
  std::vector<Value *> before;
  for (const Value *value : outside) {
    settle(*value);
    Value *known = gradients.lookup(value);
    before.push_back(known ? known : &zero(*value, op.location()));
  }
  Operation *copy = create(frames.back(), op::RepeatOp::opName, op.location());
  copy->setAttr("count", *op.attr("count"));
  const Operation &yield = op.body().back();
  for (unsigned i : carried) {
    Value &incoming = *gradients.lookup(&op.result(i));
    copy->addOperand(incoming);
    Value &inside = copy->body().addArgument(incoming.type(), incoming.hint());
    gradients[&yield.operand(i)] = &inside;
  }
  for (size_t i = 0; i < outside.size(); ++i) {
    copy->addOperand(*before[i]);
    gradients[outside[i]] = &copy->body().addArgument(before[i]->type(), before[i]->hint());
  }
  // The region's own values go before this repeat while it is being filled.
  Operation *next = frames.back().next;
  frames.back().next = copy;
  bool good = region(op.body(), copy->body(), outside);
  frames.back().next = next;
  if (!good)
    return false;
  Operation *end = builder.create(copy->body(), op::YieldOp::opName, op.location());
  for (unsigned i : carried) {
    Value *inner = gradients.lookup(&op.body().argument(i));
    end->addOperand(inner ? *inner : copy->body().argument(end->operandCount()));
    addGradient(op.operand(i), copy->addResult(op.operand(i).type(), "d_x"));
  }
  for (const Value *value : outside) {
    end->addOperand(*gradients.lookup(value));
    gradients[value] = &copy->addResult(value->type(), "d_" + value->hint().str());
  }
  return true;
}

bool Differentiator::region(Region &from, Region &into, llvm::ArrayRef<const Value *> outside) {
  frames.emplace_back(from, into);
  if (frames.size() > 1 && modeOf(from) == Recompute::Full)
    recomputeAll(from);
  std::vector<Operation *> order;
  for (Operation &op : from)
    order.push_back(&op);
  if (frames.size() == 1 && !seed())
    return false;
  for (Operation *op : llvm::reverse(order)) {
    bool good = !op->is(op::ApplyOp::opName) || apply(*op);
    if (op->is(op::RepeatOp::opName))
      good = repeat(*op);
    if (auto collective = as<op::CollectiveOp>(*op))
      if (Value *gradient = gradients.lookup(&op->result()))
        addGradient(op->operand(0), *gradient);
    if (!good)
      return false;
  }
  for (size_t i = 0; i < from.argumentCount(); ++i)
    settle(from.argument(i));
  for (const Value *value : outside)
    settle(*value);
  Frame &frame = frames.back();
  for (const Value *weight : frame.weightOrder) {
    Operation *op = create(frame, op::GradientOp::opName, weight->definingOp()->location());
    op->setAttr("of", weight->definingOp()->symbol());
    op->addOperand(*frame.weightGradients.lookup(weight));
  }
  if (modeOf(from) == Recompute::Full)
    markDiscarded(into);
  frames.pop_back();
  return true;
}

/// The gradients of what the graph returns.
bool Differentiator::seed() {
  bool any = false;
  Frame &frame = frames.back();
  for (Value *value : forward.body().back().operands()) {
    if (!active.count(value) || gradients.count(value))
      continue;
    const Type &type = value->type();
    any = true;
    Operation *op = nullptr;
    if (type.shape().size() >= 2) {
      Value *kept = stored(*value);
      op = create(frame, op::ApplyOp::opName, forward.location());
      op->setAttr("kernel", Attribute::symbol(helpers.loss(type, forward.location())));
      op->addOperand(*kept);
    } else {
      op = create(frame, op::TensorOp::opName, forward.location());
      op->setAttr("kind", "gradient");
      op->setAttr("label", value->hint());
    }
    gradients[value] = &op->addResult(type, "d_" + value->hint().str());
  }
  return any;
}

bool Differentiator::run(llvm::StringRef symbol, Operation &statement) {
  findActive(forward.body());
  backward = builder.create(module.body(), op::GraphOp::opName, forward.location());
  backward->setSymbol(symbol);
  size_t errors = diagnostics.errorCount();
  bool good = region(forward.body(), backward->body());
  if (!good && diagnostics.errorCount() == errors)
    diagnostics.report(statement.range(), diag::NothingToTrain, statement.symbolAttr("subject"));
  builder.create(backward->body(), op::ReturnOp::opName, forward.location());
  return good;
}
