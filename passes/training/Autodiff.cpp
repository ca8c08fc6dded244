// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// autodiff: the backward pass of each `train` statement, by reverse-mode differentiation of the op
// level. Applications are visited from the last to the first; each gives the gradients of its
// results to those of its operands through the derivatives of its kernel (Derive.h), and gradients
// of a value that several use are added. A forward value that a derivative reads is kept (op.save
// in the forward graph, a tensor of the same symbol in the backward graph) or computed again, as
// the strategy says.
#include "ir/common/diagnostics/Training.h"
#include "passes/training/Derive.h"
#include "passes/training/RankLabels.h"
#include "passes/training/Strategy.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static bool isFloating(const Type &type) { return type.isTensor() && type.dtype() <= DType::FP8; }

namespace {

/// Differentiates one graph.
class Differentiator {
public:
  Differentiator(Module &module, PassContext &context, const Strategy &strategy, Operation &forward)
      : module(module), diagnostics(context.diagnostics), builder(context.registry),
        strategy(strategy), forward(forward), labels(forward), adjoints(module, context.registry) {}

  /// Makes the backward graph `symbol`; false after a report.
  bool run(llvm::StringRef symbol, Operation &statement);

private:
  /// A forward region, the backward region that undoes it, and where in that region values may
  /// still be put: before `next`, or at its end.
  struct Frame {
    Frame(Region &from, Region &into) : from(&from), into(&into) {}
    Region *from;
    Region *into;
    Operation *next = nullptr;
    llvm::DenseMap<const Value *, Value *> weightGradients;
    std::vector<const Value *> weightOrder;
  };

  void findActive(Region &region);
  bool seed();
  bool region(Region &from, Region &into);
  bool apply(Operation &op);
  bool repeat(Operation &op);
  Value *stored(const Value &value);
  Value *restored(const Value &value, Frame &frame);
  bool isRecomputed(const Value &value) const;
  Value *recompute(const Operation &apply, const Value &value, Frame &frame);
  void recomputeAll(Region &from);
  void addGradient(const Value &of, Value &gradient);
  Value &sum(Value &a, Value &b, Frame &frame, const Location &location);
  std::string sumKernel(const Type &type, const Location &location);
  std::string lossKernel(const Type &type, const Location &location);
  Operation *create(Frame &frame, llvm::StringRef name, const Location &location);
  Frame &frameOf(const Value &value);

  Module &module;
  DiagnosticEngine &diagnostics;
  Builder builder;
  const Strategy &strategy;
  Operation &forward;
  RankLabels labels;
  Adjoints adjoints;
  Operation *backward = nullptr;
  std::deque<Frame> frames;
  llvm::DenseSet<const Value *> active;                ///< values that depend on weights
  llvm::DenseMap<const Value *, Value *> gradients;    ///< of forward values
  llvm::DenseMap<const Value *, Value *> counterparts; ///< forward values in the backward graph
  llvm::StringMap<std::string> helpers;                ///< kernels of sums and losses, by type
  unsigned saves = 0;
};

} // namespace

//===-- What has a gradient
//----------------------------------------------------------------------===//

void Differentiator::findActive(Region &region) {
  for (Operation &op : region) {
    if (op.is(op::TensorOp::opName) && isWeight(op.result()) && isFloating(op.result().type()))
      active.insert(&op.result());
    bool depends = llvm::any_of(op.operands(), [&](const Value *v) { return active.count(v); });
    if (op.is(op::RepeatOp::opName)) {
      // What goes round depends on the weights inside from the second round on.
      for (size_t i = 0; i < op.operandCount(); ++i)
        if (isFloating(op.operand(i).type())) {
          active.insert(&op.body().argument(i));
          active.insert(&op.result(i));
        }
      findActive(op.body());
      continue;
    }
    for (size_t i = 0; depends && i < op.resultCount(); ++i)
      if (isFloating(op.result(i).type()))
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
void Differentiator::addGradient(const Value &of, Value &gradient) {
  Frame &frame = frames.back();
  if (isWeight(of)) {
    auto [entry, isNew] = frame.weightGradients.try_emplace(&of, &gradient);
    if (isNew)
      frame.weightOrder.push_back(&of);
    else
      entry->second = &sum(*entry->second, gradient, frame, forward.location());
    return;
  }
  auto [entry, isNew] = gradients.try_emplace(&of, &gradient);
  if (!isNew)
    entry->second = &sum(*entry->second, gradient, frame, forward.location());
}

std::string Differentiator::sumKernel(const Type &type, const Location &location) {
  std::string &known = helpers["add " + type.text()];
  if (!known.empty())
    return known;
  Operation *kernel = builder.createBefore(forward, op::KernelOp::opName, location);
  kernel->setSymbol(module.uniqueName("add"));
  kernel->setAttr("op", "add");
  kernel->setAttr("parameters", AttrDict());
  AttrList map;
  AttrDict domain;
  for (size_t rank = 0; rank < type.shape().size(); ++rank) {
    std::string index = "i" + std::to_string(rank);
    map.push_back(AffineExpr::variable(index));
    domain.set(index, type.shape()[rank]);
  }
  for (const char *name : {"a", "b", "y"}) {
    Operation *operand = builder.create(kernel->body(), op::OperandOp::opName, location);
    operand->setSymbol(name);
    operand->setAttr("role", *name == 'y' ? "output" : "input");
    operand->setAttr("shape", Attribute::ints(type.shape()));
    operand->setAttr("dtype", dtypeName(type.dtype()));
  }
  Operation *statement = builder.create(kernel->body(), op::StatementOp::opName, location);
  statement->setAttr("write", AttrDict{{"tensor", "y"}, {"map", map}});
  statement->setAttr("reads", AttrList{AttrDict{{"tensor", "a"}, {"map", map}},
                                       AttrDict{{"tensor", "b"}, {"map", map}}});
  statement->setAttr("domain", domain);
  statement->setAttr("flops", 1);
  statement->setAttr("text", "y = a + b");
  known = kernel->symbol().str();
  return known;
}

Value &Differentiator::sum(Value &a, Value &b, Frame &frame, const Location &location) {
  Operation *op = create(frame, op::ApplyOp::opName, location);
  op->setAttr("kernel", Attribute::symbol(sumKernel(a.type(), location)));
  op->addOperand(a);
  op->addOperand(b);
  return op->addResult(a.type(), a.hint());
}

/// Softmax and cross entropy over the last rank with their derivative, p - onehot, in one kernel.
std::string Differentiator::lossKernel(const Type &type, const Location &location) {
  std::string &known = helpers["loss " + type.text()];
  if (!known.empty())
    return known;
  Operation *kernel = builder.createBefore(forward, op::KernelOp::opName, location);
  kernel->setSymbol(module.uniqueName("cross_entropy"));
  kernel->setAttr("op", "cross_entropy");
  kernel->setAttr("parameters", AttrDict());
  AttrList full, outer;
  AttrDict domain;
  llvm::SmallVector<int64_t, 6> outerShape;
  for (size_t rank = 0; rank < type.shape().size(); ++rank) {
    std::string index = "i" + std::to_string(rank);
    full.push_back(AffineExpr::variable(index));
    domain.set(index, type.shape()[rank]);
    if (rank + 1 < type.shape().size()) {
      outer.push_back(AffineExpr::variable(index));
      outerShape.push_back(type.shape()[rank]);
    }
  }
  auto operand = [&](const char *name, const char *role, bool isFull) {
    Operation *op = builder.create(kernel->body(), op::OperandOp::opName, location);
    op->setSymbol(name);
    op->setAttr("role", role);
    op->setAttr("shape", isFull ? Attribute::ints(type.shape()) : Attribute::ints(outerShape));
    op->setAttr("dtype", dtypeName(type.dtype()));
  };
  operand("y", "input", true);
  operand("d_y", "output", true);
  operand("m", "intermediate", false);
  operand("p", "intermediate", true);
  operand("z", "intermediate", false);
  auto access = [&](llvm::StringRef tensor) {
    bool isOuter = tensor == "m" || tensor == "z";
    return AttrDict{{"tensor", tensor}, {"map", isOuter ? outer : full}};
  };
  auto statement = [&](llvm::StringRef write, std::vector<llvm::StringRef> reads,
                       llvm::StringRef reduce, int64_t flops, llvm::StringRef text, bool isExp) {
    Operation *op = builder.create(kernel->body(), op::StatementOp::opName, location);
    op->setAttr("write", access(write));
    AttrList list;
    for (llvm::StringRef read : reads)
      list.push_back(access(read));
    op->setAttr("reads", std::move(list));
    op->setAttr("domain", domain);
    if (!reduce.empty())
      op->setAttr("reduce", reduce);
    op->setAttr("flops", flops);
    if (isExp)
      op->setAttr("functions", AttrDict{{"exp", 1}});
    op->setAttr("text", text);
  };
  statement("m", {"y"}, "max", 1, "m max= y", false);
  statement("p", {"y", "m"}, "", 2, "p = exp(y - m)", true);
  statement("z", {"p"}, "+", 1, "z += p", false);
  statement("d_y", {"p", "z"}, "", 2, "d_y = p / z - target", false);
  known = kernel->symbol().str();
  return known;
}

//===-- Forward values in the backward graph
//-----------------------------------------------------===//

bool Differentiator::isRecomputed(const Value &value) const {
  const Operation *maker = value.definingOp();
  if (!maker || !maker->is(op::ApplyOp::opName))
    return false;
  if (strategy.recompute == Recompute::Selective)
    return labels.sequenceRanks(value) >= 2;
  if (strategy.recompute != Recompute::Cheap)
    return false;
  Kernel kernel(op::KernelOp(resolve(*maker, as<op::ApplyOp>(*maker).kernel())));
  return kernel.macs() == 0;
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
  if (strategy.recompute == Recompute::Full ||
      (strategy.recompute == Recompute::Selective && labels.sequenceRanks(value) >= 2))
    isOwn = false;
  if (maker && maker->is(op::TensorOp::opName) && !isOwn) {
    Operation *copy = create(frame, op::TensorOp::opName, maker->location());
    copy->setSymbol(maker->symbol());
    copy->setAttr("kind", *maker->attr("kind"));
    copy->setAttr("label", *maker->attr("label"));
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

//===-- Operations
//-------------------------------------------------------------------------------===//

bool Differentiator::apply(Operation &op) {
  bool hasGradient = false;
  for (size_t i = 0; i < op.resultCount(); ++i)
    hasGradient |= gradients.count(&op.result(i));
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
      if (!value) { // of a result that nothing depends on: zero
        const Value &of = op.result(input.index);
        Operation *zero = create(frames.back(), op::TensorOp::opName, op.location());
        zero->setAttr("kind", "gradient");
        zero->setAttr("label", "zero");
        value = &zero->addResult(of.type(), of.hint());
      }
      operands.push_back(value);
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
      addGradient(op.operand(adjoint.results[i]), step->result(i));
  }
  return true;
}

bool Differentiator::repeat(Operation &op) {
  std::vector<unsigned> carried;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (gradients.count(&op.result(i)))
      carried.push_back(i);
  if (carried.empty())
    return true;
  Operation *copy = create(frames.back(), op::RepeatOp::opName, op.location());
  copy->setAttr("count", *op.attr("count"));
  const Operation &yield = op.body().back();
  for (unsigned i : carried) {
    Value &incoming = *gradients.lookup(&op.result(i));
    copy->addOperand(incoming);
    Value &inside = copy->body().addArgument(incoming.type(), incoming.hint());
    gradients[&yield.operand(i)] = &inside;
  }
  // The region's own values go before this repeat while it is being filled.
  Operation *next = frames.back().next;
  frames.back().next = copy;
  bool good = region(op.body(), copy->body());
  frames.back().next = next;
  if (!good)
    return false;
  Operation *end = builder.create(copy->body(), op::YieldOp::opName, op.location());
  for (unsigned i : carried) {
    Value *inner = gradients.lookup(&op.body().argument(i));
    end->addOperand(inner ? *inner : copy->body().argument(end->operandCount()));
    addGradient(op.operand(i), copy->addResult(op.operand(i).type(), "d_x"));
  }
  return true;
}

bool Differentiator::region(Region &from, Region &into) {
  frames.emplace_back(from, into);
  if (strategy.recompute == Recompute::Full && frames.size() > 1)
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
  Frame &frame = frames.back();
  for (const Value *weight : frame.weightOrder) {
    Operation *op = create(frame, op::GradientOp::opName, weight->definingOp()->location());
    op->setSymbol(weight->definingOp()->symbol());
    op->addOperand(*frame.weightGradients.lookup(weight));
  }
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
      op->setAttr("kernel", Attribute::symbol(lossKernel(type, forward.location())));
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

static bool run(Module &module, PassContext &context) {
  std::vector<Operation *> statements;
  module.walk([&](Operation &op) {
    if (op.is(study::TrainOp::opName))
      statements.push_back(&op);
  });
  for (Operation *op : statements) {
    study::TrainOp train(op);
    Strategy strategy = readStrategy(train);
    Operation *subject = module.lookup(train.subject());
    std::string forward = forwardSymbol(op->symbol());
    if (strategy.hasHoles() || !subject->is(op::GraphOp::opName) || module.lookup(forward))
      continue;
    TrainingGraph graphs(module, context);
    Operation *graph = graphs.copy(*subject, forward);
    if (!graph ||
        !Differentiator(module, context, strategy, *graph).run(backwardSymbol(op->symbol()), *op))
      return false;
  }
  return true;
}

const PassInfo passes::autodiffPass = {
    "autodiff", "derive the backward pass of each `train`",
    "Precondition: graphs without calls, values with types. A statement with holes is left alone.\n"
    "Before:\n"
    "    op.graph @g { %w = op.tensor (weight)  %y = op.apply %x, %w (kernel = @matmul)  … }\n"
    "    study.train @t (subject = @g, …)\n"
    "After, in addition:\n"
    "    op.graph @t__forward { %w = op.tensor @w0 …  %y = op.apply …  op.save @s0 %x  … }\n"
    "    op.graph @t__backward { … %x = op.tensor @s0 (saved)\n"
    "      %d_w = op.apply %x, %d_y (kernel = @matmul_grad_B)  op.gradient @w0 %d_w … }",
    run};
