// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/HelperKernels.h"

#include "ir/op/OpOps.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

/// A kernel over the elements of a tensor while it is written: operands that have all of its ranks
/// or all but the last, and statements over all of its points.
class KernelWriter {
public:
  KernelWriter(Builder &builder, Operation &kernel, llvm::StringRef op, const Type &type,
               const Location &location)
      : builder(builder), kernel(kernel), type(type), location(location) {
    kernel.setAttr("op", op);
    kernel.setAttr("parameters", AttrDict());
    for (size_t rank = 0; rank < type.shape().size(); ++rank) {
      std::string index = "i" + std::to_string(rank);
      full.push_back(AffineExpr::variable(index));
      domain.set(index, type.shape()[rank]);
    }
    outer.assign(full.begin(), full.begin() + std::max<size_t>(1, full.size()) - 1);
  }

  void operand(llvm::StringRef name, llvm::StringRef role, bool isOuter = false) {
    Operation *op = builder.create(kernel.body(), op::OperandOp::opName, location);
    op->setSymbol(name);
    op->setAttr("role", role);
    op->setAttr("shape", Attribute::ints(type.shape().drop_back(isOuter ? 1 : 0)));
    op->setAttr("dtype", dtypeName(type.dtype()));
    if (isOuter)
      outerNames.push_back(name);
  }

  /// `exps` is the number of exponentials at a point.
  void statement(llvm::StringRef write, llvm::ArrayRef<llvm::StringRef> reads,
                 llvm::StringRef reduce, int64_t flops, int64_t exps, llvm::StringRef text) {
    Operation *op = builder.create(kernel.body(), op::StatementOp::opName, location);
    op->setAttr("write", access(write));
    AttrList list;
    for (llvm::StringRef read : reads)
      list.push_back(access(read));
    op->setAttr("reads", std::move(list));
    op->setAttr("domain", domain);
    if (!reduce.empty())
      op->setAttr("reduce", reduce);
    op->setAttr("flops", flops);
    if (exps > 0)
      op->setAttr("functions", AttrDict{{"exp", exps}});
    op->setAttr("text", text);
  }

private:
  AttrDict access(llvm::StringRef tensor) const {
    return {{"tensor", tensor}, {"map", llvm::is_contained(outerNames, tensor) ? outer : full}};
  }

  Builder &builder;
  Operation &kernel;
  const Type &type;
  const Location &location;
  AttrList full, outer;
  AttrDict domain;
  llvm::SmallVector<llvm::StringRef, 2> outerNames;
};

} // namespace

Operation &HelperKernels::create(llvm::StringRef name, const Location &location) {
  Operation *kernel = builder.createBefore(before, op::KernelOp::opName, location);
  kernel->setSymbol(module.uniqueName(name));
  return *kernel;
}

std::string HelperKernels::sum(const Type &type, const Location &location) {
  std::string &symbol = known["add " + type.text()];
  if (!symbol.empty())
    return symbol;
  Operation &kernel = create("add", location);
  KernelWriter writer(builder, kernel, "add", type, location);
  writer.operand("a", "input");
  writer.operand("b", "input");
  writer.operand("y", "output");
  writer.statement("y", {"a", "b"}, "", 1, 0, "y = a + b");
  symbol = kernel.symbol().str();
  return symbol;
}

std::string HelperKernels::loss(const Type &type, const Location &location) {
  std::string &symbol = known["loss " + type.text()];
  if (!symbol.empty())
    return symbol;
  Operation &kernel = create("cross_entropy", location);
  KernelWriter writer(builder, kernel, "cross_entropy", type, location);
  writer.operand("y", "input");
  writer.operand("d_y", "output");
  writer.operand("m", "intermediate", /*isOuter=*/true);
  writer.operand("p", "intermediate");
  writer.operand("z", "intermediate", /*isOuter=*/true);
  writer.statement("m", {"y"}, "max", 1, 0, "m max= y");
  writer.statement("p", {"y", "m"}, "", 2, 1, "p = exp(y - m)");
  writer.statement("z", {"p"}, "+", 1, 0, "z += p");
  writer.statement("d_y", {"p", "z"}, "", 2, 0, "d_y = p / z - target");
  symbol = kernel.symbol().str();
  return symbol;
}
