// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// infer-shapes: types of values follow from the kernels that make them. Where a type is given, it
// has to be that one.
#include "ir/common/diagnostics/Mappings.h"
#include "passes/Pass.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/DenseSet.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class ShapeInference {
public:
  explicit ShapeInference(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}

  bool run(Operation &graph) { return !done.insert(&graph).second || inferRegion(graph.body()); }

private:
  bool inferRegion(Region &region);
  bool inferOperation(Operation &op);
  bool inferApply(Operation &op);
  bool inferCall(Operation &op);
  bool inferBody(Operation &op);
  bool setType(const Operation &op, Value &value, const Type &type, llvm::StringRef result,
               llvm::StringRef owner);

  DiagnosticEngine &diagnostics;
  llvm::DenseSet<const Operation *> done;
};

bool ShapeInference::setType(const Operation &op, Value &value, const Type &type,
                             llvm::StringRef result, llvm::StringRef owner) {
  if (value.type().isTensor() && value.type() != type) {
    diagnostics.report(op.range(), diag::ResultType, result, owner, type.text(),
                       value.type().text());
    return false;
  }
  value.setType(type);
  return true;
}

bool ShapeInference::inferApply(Operation &op) {
  op::KernelOp kernel(resolve(op, as<op::ApplyOp>(op).kernel()));
  std::vector<op::OperandOp> inputs = inputsOf(kernel), outputs = outputsOf(kernel);
  if (op.operandCount() > inputs.size()) {
    diagnostics.report(op.range(), diag::ArgumentCount, kernel.symbol(),
                       counted(inputs.size(), "tensor"), op.operandCount());
    return false;
  }
  bool valid = true;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    Type wanted = typeOf(inputs[i]);
    if (op.operand(i).type() == wanted)
      continue;
    valid = false;
    diagnostics
        .report(op.range(), diag::ArgumentType, inputs[i].symbol(), kernel.symbol(), wanted.text(),
                op.operand(i).type().text())
        .note(inputs[i]->range(), "the tensor is declared here");
  }
  for (size_t i = 0; i < std::min(op.resultCount(), outputs.size()); ++i)
    valid &= setType(op, op.result(i), typeOf(outputs[i]), outputs[i].symbol(), kernel.symbol());
  return valid;
}

bool ShapeInference::inferCall(Operation &op) {
  Operation *graph = resolve(op, as<op::CallOp>(op).graph());
  if (!run(*graph))
    return false;
  const Operation &end = graph->body().back();
  bool valid = true;
  for (size_t i = 0; i < op.resultCount(); ++i)
    valid &= setType(op, op.result(i), end.operand(i).type(), std::to_string(i), graph->symbol());
  return valid;
}

/// op.repeat and op.fused: types go from the operands through the region to the results.
bool ShapeInference::inferBody(Operation &op) {
  Region &body = op.body();
  for (size_t i = 0; i < op.operandCount(); ++i)
    body.argument(i).setType(op.operand(i).type());
  if (!inferRegion(body))
    return false;
  const Operation &end = body.back();
  bool valid = true;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    const Type &type = end.operand(i).type();
    if (op.is(op::RepeatOp::opName) && type != op.operand(i).type()) {
      diagnostics.report(op.range(), diag::RepeatType, op.operand(i).type().text(), type.text());
      valid = false;
      continue;
    }
    valid &= setType(op, op.result(i), type, std::to_string(i), op.name());
  }
  return valid;
}

bool ShapeInference::inferOperation(Operation &op) {
  if (op.is(op::ApplyOp::opName))
    return inferApply(op);
  if (op.is(op::CallOp::opName))
    return inferCall(op);
  if (op.is(op::RepeatOp::opName) || op.is(op::FusedOp::opName))
    return inferBody(op);
  // The result of a collective is of another size than its operand only where its type says so.
  if (op.is(op::CollectiveOp::opName) && !op.result().type().isTensor())
    op.result().setType(op.operand(0).type());
  return true;
}

bool ShapeInference::inferRegion(Region &region) {
  bool valid = true;
  for (Operation &op : region)
    valid &= inferOperation(op);
  return valid;
}

} // namespace

static bool runInferShapes(Module &module, PassContext &context) {
  ShapeInference inference(context.diagnostics);
  bool valid = true;
  for (Operation &op : module.body())
    if (op.is(op::GraphOp::opName))
      valid &= inference.run(op);
  return valid;
}

const PassInfo passes::inferShapesPass = {
    "infer-shapes", "derive the types of values from kernels, and check those that are given",
    "Precondition: verified IR. Before:\n"
    "    %y = op.apply %x (kernel = @relu) : none\n"
    "After:\n"
    "    %y = op.apply %x (kernel = @relu) : tensor<1x64xfp16>",
    runInferShapes};
