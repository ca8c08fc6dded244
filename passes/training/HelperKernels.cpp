// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/HelperKernels.h"

#include "ir/op/OpOps.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

std::string HelperKernels::sum(const Type &type, const Location &location) {
  std::string &symbol = known["add " + type.text()];
  if (!symbol.empty())
    return symbol;
  Operation *kernel = builder.createBefore(before, op::KernelOp::opName, location);
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
  symbol = kernel->symbol().str();
  return symbol;
}

std::string HelperKernels::loss(const Type &type, const Location &location) {
  std::string &symbol = known["loss " + type.text()];
  if (!symbol.empty())
    return symbol;
  Operation *kernel = builder.createBefore(before, op::KernelOp::opName, location);
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
  symbol = kernel->symbol().str();
  return symbol;
}
