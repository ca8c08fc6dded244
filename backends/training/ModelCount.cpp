// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/ModelCount.h"

#include "ir/op/OpOps.h"
#include "passes/KernelUses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::training;

void ModelCount::weight(const ir::Operation &op, double times) {
  const ir::Type &type = op.result().type();
  double elements = times * static_cast<double>(type.elements().getValueOr(0));
  parameters += elements;
  parameterBytes += times * static_cast<double>(type.bytes().getValueOr(0));
  if (!isFloating(type.dtype()))
    return;
  trainedParameters += elements;
  trained.insert(&op.result());
}

void ModelCount::kernel(const ir::Operation &op, const passes::Kernel &kernel, double times) {
  llvm::StringSet<> withGradient;
  std::vector<op::OperandOp> inputs = kernel.inputs();
  for (size_t i = 0; i < inputs.size() && i < op.operandCount(); ++i)
    if (trained.count(&op.operand(i)))
      withGradient.insert(inputs[i].symbol());
  bool depends = !withGradient.empty();
  for (const passes::Statement &statement : kernel.statements) {
    auto gradients = llvm::count_if(statement.reads, [&](const passes::Access &read) {
      return withGradient.contains(read.tensor);
    });
    if (gradients > 0)
      withGradient.insert(statement.write.tensor);
    if (!statement.op.isMac())
      continue;
    double points = times * static_cast<double>(statement.points().getValueOr(0));
    macs += points;
    stepMacs += points * (1 + std::min<double>(2, static_cast<double>(gradients)));
  }
  for (size_t i = 0; depends && i < op.resultCount(); ++i)
    trained.insert(&op.result(i));
}

/// What goes round a repeat depends on the weights inside from the second round on.
void ModelCount::visit(const ir::Region &region, double times) {
  for (const ir::Operation &op : region) {
    if (auto repeat = ir::as<op::RepeatOp>(op)) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        trained.insert(&op.body().argument(i));
        trained.insert(&op.result(i));
      }
      visit(op.body(), times * static_cast<double>(repeat.count()));
    }
    if (auto tensor = ir::as<op::TensorOp>(op); tensor && tensor.kind() == "weight")
      weight(op, times);
    if (passes::KernelUse use = passes::kernelUse(op); use.kernel)
      kernel(op, passes::Kernel(use.kernel), times);
  }
}
