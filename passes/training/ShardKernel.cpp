// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/ShardKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static int64_t divided(int64_t extent, int64_t factor) { return (extent + factor - 1) / factor; }

/// The conditions with each divided index i as f i + f / 2.
static std::vector<AffineExpr> striped(const KernelClasses &kernel, const Statement &statement,
                                       llvm::ArrayRef<int64_t> factors) {
  std::vector<AffineExpr> result;
  for (const AffineExpr &condition : statement.op.constraints()) {
    AffineExpr sum(condition.constant());
    for (const AffineExpr::Term &term : condition.terms()) {
      int64_t factor = factors[kernel.ofIndex(statement, *statement.find(term.name))];
      AffineExpr part = AffineExpr::variable(term.name, term.coefficient * factor);
      sum = *add(sum, part);
      sum = *add(sum, AffineExpr(term.coefficient * (factor / 2)));
    }
    result.push_back(std::move(sum));
  }
  return result;
}

/// Among how many ranks what the data choose is divided: their keys come together here.
static int64_t expertRanks(const KernelClasses &kernel, llvm::ArrayRef<int64_t> factors) {
  int64_t ranks = 1;
  for (op::OperandOp operand : kernel.kernel().operands)
    if (llvm::Optional<unsigned> rank = kernel.dataRank(operand.symbol()))
      ranks = std::max(ranks, factors[kernel.ofRank(operand.symbol(), *rank)]);
  return ranks;
}

void ShardedKernels::divide(const KernelClasses &kernel, llvm::ArrayRef<int64_t> factors,
                            Operation &copy) {
  unsigned number = 0;
  for (Operation &part : copy.body()) {
    if (auto operand = as<op::OperandOp>(part)) {
      std::vector<int64_t> shape = operand.shape();
      for (unsigned rank = 0; rank < shape.size(); ++rank)
        shape[rank] = divided(shape[rank], factors[kernel.ofRank(operand.symbol(), rank)]);
      part.setAttr("shape", Attribute::ints(shape));
      if (int64_t ranks = expertRanks(kernel, factors); ranks > 1 && !operand.draw().empty())
        part.setAttr("among", ranks);
      continue;
    }
    const Statement &statement = kernel.kernel().statements[number++];
    AttrDict domain;
    for (unsigned i = 0; i < statement.extents.size(); ++i)
      domain.set(statement.names[i],
                 divided(statement.extents[i], factors[kernel.ofIndex(statement, i)]));
    part.setAttr("domain", std::move(domain));
    if (!statement.op.constraints().empty())
      part.setAttr("constraints", Attribute::affines(striped(kernel, statement, factors)));
  }
}

std::string ShardedKernels::of(const KernelClasses &kernel, llvm::ArrayRef<int64_t> factors,
                               Operation &before) {
  op::KernelOp original = kernel.kernel().op;
  if (llvm::all_of(factors, [](int64_t factor) { return factor == 1; }))
    return original.symbol().str();
  std::string &symbol = known[{original.symbol().str(), factors.vec()}];
  if (!symbol.empty())
    return symbol;
  ValueMap ignored;
  Operation &copy = original->clone(module.body(), ignored, &before);
  symbol = module.uniqueName((llvm::Twine(original.symbol()) + shardSuffix).str());
  copy.setSymbol(symbol);
  divide(kernel, factors, copy);
  return symbol;
}
