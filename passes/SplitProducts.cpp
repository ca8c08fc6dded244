// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// split-products: an op that multiplies by weights more than once, such as a gated feed-forward
// layer, becomes its equations one by one, for statements that run kernels of libraries: each of
// these has one product. `fuse` then puts together what runs as one.
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include "passes/OwnGraph.h"
#include "passes/Pass.h"
#include "passes/analysis/Experts.h"
#include "passes/analysis/Products.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class ProductSplitting {
public:
  ProductSplitting(Module &module, PassContext &context)
      : module(module), builder(context.registry) {}

  /// Whether a kernel in `region` has several products.
  bool isNeeded(const Region &region);
  void run(Region &region);

private:
  const std::vector<Operation *> &partsOf(op::KernelOp kernel);
  Operation *part(const Kernel &kernel, const Statement &statement);
  void replace(Operation &apply, llvm::ArrayRef<Operation *> parts);

  Module &module;
  Builder builder;
  std::map<const Operation *, std::vector<Operation *>> known; ///< empty where it stays whole
};

} // namespace

/// Most kernels have not, and need no model to say so.
static bool hasSeveralProducts(op::KernelOp kernel) {
  return llvm::count_if(kernel->body(), [](Operation &part) {
           auto statement = as<op::StatementOp>(part);
           return statement && statement.isMac();
         }) > 1;
}

/// Several products with weights, and elementwise equations of what these make, once each. A layer
/// of experts is one kernel of a library.
static bool isSplit(const Kernel &kernel) {
  if (expertsOf(kernel))
    return false;
  llvm::StringMap<unsigned> writes;
  unsigned products = 0;
  for (const Statement &statement : kernel.statements) {
    products += statement.op.isMac();
    bool isWeighted = llvm::any_of(
        statement.reads, [](const Access &read) { return read.operand.role() == "weight"; });
    bool isPart =
        statement.op.isMac() ? isProduct(statement) && isWeighted : statement.isElementwise();
    if (!isPart || ++writes[statement.write.tensor] > 1 || statement.write.operand.isInPlace())
      return false;
  }
  return products > 1;
}

/// The kernel of one equation: what others make comes in, what it makes goes out.
Operation *ProductSplitting::part(const Kernel &kernel, const Statement &statement) {
  Operation *made =
      builder.createBefore(*kernel.op.op, op::KernelOp::opName, kernel.op->location());
  const Access *named = &statement.write;
  for (const Access &read : statement.reads)
    if (statement.op.isMac() && read.operand.role() == "weight")
      named = &read;
  std::string name = kernel.op.declaration().str() + "_" + named->tensor.str();
  made->setSymbol(module.uniqueName(name));
  made->setAttr("op", name);
  made->setAttr("parameters", kernel.op.parameters());
  ValueMap ignored;
  for (const op::OperandOp &operand : kernel.operands) {
    bool isWritten = statement.write.tensor == operand.symbol();
    bool isRead = llvm::any_of(statement.reads,
                               [&](const Access &read) { return read.tensor == operand.symbol(); });
    if (!isWritten && !isRead)
      continue;
    Operation &copy = operand->clone(made->body(), ignored);
    if (isWritten || operand.role() == "intermediate" || operand.role() == "output")
      copy.setAttr("role", isWritten ? "output" : "input");
  }
  statement.op->clone(made->body(), ignored);
  return made;
}

const std::vector<Operation *> &ProductSplitting::partsOf(op::KernelOp kernel) {
  auto [entry, isNew] = known.try_emplace(kernel.op);
  if (!isNew)
    return entry->second;
  if (!hasSeveralProducts(kernel))
    return entry->second;
  Kernel model(kernel);
  if (isSplit(model))
    for (const Statement &statement : model.statements)
      entry->second.push_back(part(model, statement));
  return entry->second;
}

void ProductSplitting::replace(Operation &apply, llvm::ArrayRef<Operation *> parts) {
  op::KernelOp kernel = kernelUse(apply).kernel;
  llvm::StringMap<Value *> values;
  std::vector<op::OperandOp> inputs = inputsOf(kernel), outputs = outputsOf(kernel);
  for (size_t i = 0; i < inputs.size(); ++i)
    values[inputs[i].symbol()] = &apply.operand(i);
  for (Operation *part : parts) {
    Operation *made = builder.createBefore(apply, op::ApplyOp::opName, apply.location());
    made->setAttr("kernel", Attribute::symbol(part->symbol()));
    for (op::OperandOp input : inputsOf(part))
      made->addOperand(*values.lookup(input.symbol()));
    for (op::OperandOp output : outputsOf(part))
      values[output.symbol()] = &made->addResult(typeOf(output), output.symbol());
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    apply.parentRegion()->replaceUses(apply.result(i), *values.lookup(outputs[i].symbol()));
  apply.erase();
}

bool ProductSplitting::isNeeded(const Region &region) {
  return llvm::any_of(region, [&](const Operation &op) {
    if (op.is(op::RepeatOp::opName))
      return isNeeded(op.body());
    return op.is(op::ApplyOp::opName) && !partsOf(kernelUse(op).kernel).empty();
  });
}

void ProductSplitting::run(Region &region) {
  std::vector<Operation *> found;
  for (Operation &op : region) {
    if (op.is(op::RepeatOp::opName))
      run(op.body());
    else if (op.is(op::ApplyOp::opName))
      found.push_back(&op);
  }
  for (Operation *apply : found)
    if (llvm::ArrayRef<Operation *> parts = partsOf(kernelUse(*apply).kernel); !parts.empty())
      replace(*apply, parts);
}

/// At the tile level on a chip that libraries have kernels for, and nothing says how an op runs.
static bool runsLibraryKernels(const GraphUse &use) {
  const Operation &statement = *use.statement;
  // Of a served model, that of its pool.
  bool isSample = use.holder->is(study::SampleOp::opName);
  const Operation &placed = isSample ? *use.holder->parentOp() : statement;
  target::ChipOp chip = chipOf(*statement.module(), placed.symbolAttr("on"));
  if (!chip || !chip->hasAttr("generation") || !dispatchesBlocks(chip))
    return false;
  if (auto serve = as<study::ServeOp>(statement))
    return levelFor(serve, chip) == Level::Tile;
  auto evaluate = as<study::EvaluateOp>(statement);
  return levelFor(evaluate, chip) == Level::Tile && evaluate.with().empty() &&
         !study::findPart(statement, "study.place");
}

/// Memory is that of ops as they are written: what one is made of holds its operands until the op
/// is through, as a function of a framework does. So the sample that tells it keeps its graph.
static void keepWhole(Module &module, study::SampleOp sample) {
  if (sample->hasAttr("whole") || study::PoolOp(sample->parentOp()).largestPrompt().op != sample.op)
    return;
  Operation *graph = module.lookup(sample.graph());
  ValueMap ignored;
  std::string symbol = module.uniqueName(sample.graph());
  graph->clone(module.body(), ignored, graph).setSymbol(symbol);
  sample->setAttr("whole", Attribute::symbol(symbol));
}

static bool runSplitProducts(Module &module, PassContext &context) {
  ProductSplitting splitting(module, context);
  GraphUses uses(module);
  for (const GraphUse &use : uses.all()) {
    if (!runsLibraryKernels(use))
      continue;
    if (auto sample = as<study::SampleOp>(use.holder))
      keepWhole(module, sample);
    if (splitting.isNeeded(module.lookup(use.symbol())->body()))
      splitting.run(uses.own(use)->body());
  }
  return true;
}

const PassInfo passes::splitProductsPass = {
    "split-products", "make kernels of one product each for libraries",
    "Precondition: graphs without calls, values with types. For statements at the tile level on a\n"
    "chip with a generation. Before:\n"
    "    %y = op.apply %x, %gate, %up, %down (kernel = @swiglu) : t\n"
    "After, with a kernel for each equation of @swiglu:\n"
    "    %g = op.apply %x, %gate (kernel = @swiglu_gate) : u\n"
    "    %u = op.apply %x, %up (kernel = @swiglu_up) : u\n"
    "    %h = op.apply %g, %u (kernel = @swiglu_h) : u\n"
    "    %y = op.apply %h, %down (kernel = @swiglu_down) : t",
    runSplitProducts};
