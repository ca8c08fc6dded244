// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/TrainingGraph.h"

#include "ir/common/Rational.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Training.h"
#include "passes/analysis/Dependences.h"
#include "passes/analysis/Experts.h"
#include "passes/training/Adapters.h"
#include "passes/training/Derive.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

const Kernel &TrainingGraph::modelOf(const Operation &apply) {
  Operation *kernel = resolve(apply, as<op::ApplyOp>(apply).kernel());
  return models.try_emplace(kernel, op::KernelOp(kernel)).first->second;
}

/// Replaces the result of an update of a whole cache by what is written; false after a report.
bool TrainingGraph::dropCache(Operation &apply) {
  const Kernel &kernel = modelOf(apply);
  std::vector<op::OperandOp> inputs = kernel.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto tensor = as<op::TensorOp>(apply.operand(i).definingOp());
    if (!inputs[i].isInPlace() || !tensor || tensor.kind() != "cache")
      continue;
    for (Value *written : apply.operands())
      if (written != &apply.operand(i) && written->type() == apply.result().type()) {
        graph->body().replaceUses(apply.result(), *written);
        apply.erase();
        return true;
      }
    diagnostics.report(apply.range(), diag::CacheInTraining)
        .help("train on a whole sequence, without earlier tokens (S = T)");
    return false;
  }
  return true;
}

bool TrainingGraph::hasWeightProduct(const Operation &apply) {
  const Kernel &kernel = modelOf(apply);
  std::vector<op::OperandOp> inputs = kernel.inputs();
  for (const Statement &statement : kernel.statements)
    for (const Access &read : statement.reads)
      for (size_t i = 0; i < inputs.size() && i < apply.operandCount(); ++i)
        if (statement.op.isMac() && inputs[i].symbol() == read.tensor && isWeight(apply.operand(i)))
          return true;
  return false;
}

/// A recurrence is no step of its own: it goes on with what statements before it have set.
bool TrainingGraph::isRecurrent(const Operation &apply) {
  return llvm::any_of(modelOf(apply).statements,
                      [](const Statement &one) { return readsWhatItSets(one.op); });
}

/// The kernel of one statement.
std::string TrainingGraph::partOf(const Kernel &kernel, const Statement &statement,
                                  const llvm::StringMap<Value *> &values) {
  std::string &known = parts[{kernel.op.symbol().str(), statement.number}];
  if (!known.empty())
    return known;
  Operation *part = builder.createBefore(*graph, op::KernelOp::opName, statement.op->location());
  part->setSymbol(module.uniqueName(kernel.op.symbol().str() + "_" + statement.write.tensor.str()));
  part->setAttr("op", kernel.op.declaration().str() + "." + statement.write.tensor.str());
  part->setAttr("parameters", kernel.op.parameters());
  ValueMap ignored;
  auto declare = [&](const Access &access, llvm::StringRef role) {
    if (part->body().find(access.tensor))
      return;
    Operation &copy = access.operand->clone(part->body(), ignored);
    copy.setAttr("role", role);
  };
  for (const Access &read : statement.reads)
    declare(read, isWeight(*values.lookup(read.tensor)) ? "weight" : "input");
  declare(statement.write, "output");
  statement.op->clone(part->body(), ignored);
  known = part->symbol().str();
  return known;
}

/// One application per statement.
void TrainingGraph::split(Operation &apply) {
  const Kernel &kernel = modelOf(apply);
  llvm::StringMap<Value *> values;
  std::vector<op::OperandOp> inputs = kernel.inputs(), outputs = kernel.outputs();
  for (size_t i = 0; i < inputs.size(); ++i)
    values[inputs[i].symbol()] = &apply.operand(i);
  for (const Statement &statement : kernel.statements) {
    std::string part = partOf(kernel, statement, values);
    Operation *step = builder.createBefore(apply, op::ApplyOp::opName, apply.location());
    step->setAttr("kernel", Attribute::symbol(part));
    for (op::OperandOp input : inputsOf(op::KernelOp(module.lookup(part))))
      step->addOperand(*values.lookup(input.symbol()));
    values[statement.write.tensor] =
        &step->addResult(typeOf(statement.write.operand), statement.write.tensor);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    graph->body().replaceUses(apply.result(i), *values.lookup(outputs[i].symbol()));
  apply.erase();
}

/// For inference a layer of experts runs as one kernel, but sums that others are added to are on
/// their own: what ranks exchange may stand between.
bool TrainingGraph::isSplit(const Operation &apply) {
  const Kernel &kernel = modelOf(apply);
  if (keepsCaches && expertsOf(kernel))
    return false;
  if (hasWeightProduct(apply) && !isRecurrent(apply))
    return true;
  return keepsCaches && kernel.statements.front().op.reduce() == "+" &&
         llvm::all_of(llvm::drop_begin(kernel.statements), isLinear);
}

bool TrainingGraph::region(Region &region) {
  for (auto next = region.begin(); next != region.end();) {
    Operation &op = *next++;
    if (auto tensor = as<op::TensorOp>(op); tensor && tensor.kind() == "weight") {
      op.setSymbol("w" + std::to_string(weights++));
      if (!isFloating(op.result().type().dtype())) // whole numbers have no gradients
        op.setAttr("frozen", Attribute::unit());
    }
    if (op.is(op::RepeatOp::opName) && !this->region(op.body()))
      return false;
    if (!op.is(op::ApplyOp::opName))
      continue;
    bool isUpdate = llvm::any_of(modelOf(op).operands,
                                 [](op::OperandOp operand) { return operand.isInPlace(); });
    if (isUpdate) {
      if (!keepsCaches && !dropCache(op))
        return false;
    } else if (modelOf(op).statements.size() > 1 && isSplit(op)) {
      split(op);
    }
  }
  return true;
}

/// With `recompute MODE(layers = n)` n layers of each stage recompute: a repeat of L layers becomes
/// one of those and one of the rest. Which stand where is settled when layers are given to stages.
void TrainingGraph::separateKept() {
  if (strategy.recomputeLayers < 0 || strategy.recompute == Recompute::None)
    return;
  std::vector<Operation *> repeats;
  int64_t layers = 0;
  for (Operation &op : graph->body())
    if (auto repeat = as<op::RepeatOp>(op)) {
      repeats.push_back(&op);
      layers += repeat.count();
    }
  for (Operation *op : repeats) {
    int64_t count = as<op::RepeatOp>(*op).count();
    int64_t recomputed = count * std::min(layers, strategy.recomputedLayers(layers)) / layers;
    if (recomputed >= count)
      continue;
    if (recomputed == 0) {
      op->setAttr("kept", Attribute::unit());
      continue;
    }
    ValueMap map;
    Operation &first = op->clone(graph->body(), map, op);
    first.setAttr("count", recomputed);
    op->setAttr("count", count - recomputed);
    op->setAttr("kept", Attribute::unit());
    for (size_t i = 0; i < op->operandCount(); ++i)
      op->setOperand(i, first.result(i));
  }
}

/// Removes caches, which are read by nothing now; false after a report.
bool TrainingGraph::removeCaches() {
  std::vector<Operation *> unused;
  graph->body().walk([&](Operation &op) {
    auto tensor = as<op::TensorOp>(op);
    if (tensor && tensor.kind() == "cache")
      unused.push_back(&op);
  });
  for (Operation *op : unused) {
    bool isUsed = false;
    graph->body().walk(
        [&](Operation &user) { isUsed |= llvm::is_contained(user.operands(), &op->result()); });
    if (isUsed) {
      diagnostics.report(op->range(), diag::CacheInTraining)
          .help("train on a whole sequence, without earlier tokens (S = T)");
      return false;
    }
    op->erase();
  }
  return true;
}

bool passes::checkLayers(const Operation &graph, int64_t layers, DiagnosticEngine &diagnostics) {
  constexpr int64_t mostLayers = 1'000'000;
  if (layers <= mostLayers)
    return true;
  diagnostics.report(graph.range(), diag::ProgramTooLong, graph.symbol(), mostLayers,
                     "layers to be divided among stages");
  return false;
}

Operation *TrainingGraph::copy(Operation &source, llvm::StringRef symbol, bool keeps) {
  int64_t layers = 0;
  for (Operation &op : source.body())
    if (auto repeat = as<op::RepeatOp>(op))
      layers = checkedAdd(layers, repeat.count()).getValueOr(INT64_MAX);
  if (!checkLayers(source, layers, diagnostics))
    return nullptr;
  ValueMap map;
  keepsCaches = keeps;
  graph = &source.clone(module.body(), map);
  graph->setSymbol(symbol);
  separateKept();
  if (!region(graph->body()))
    return nullptr;
  if (strategy.adapterRank > 0)
    Adapters(module, registry, strategy.adapterRank, strategy.adaptersOfAttention, *graph)
        .run(weights);
  return keepsCaches || removeCaches() ? graph : nullptr;
}
