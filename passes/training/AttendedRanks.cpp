// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/AttendedRanks.h"

#include "ir/op/OpOps.h"
#include "passes/KernelUses.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// The classes of the graph that those of an application's kernel stand for.
static llvm::DenseMap<unsigned, unsigned> inGraph(const Operation &op, const KernelClasses &kernel,
                                                  RankClasses &ranks) {
  llvm::DenseMap<unsigned, unsigned> classes;
  std::vector<op::OperandOp> inputs = kernel.kernel().inputs(), outputs = kernel.kernel().outputs();
  auto note = [&](const Value &value, llvm::StringRef tensor) {
    for (unsigned rank = 0; rank < value.type().shape().size(); ++rank)
      if (unsigned cls = kernel.ofRank(tensor, rank); !kernel.isRigid(cls))
        classes[cls] = ranks.of(value, rank);
  };
  for (size_t i = 0; i < std::min(op.operandCount(), inputs.size()); ++i)
    if (!isWeight(op.operand(i)))
      note(op.operand(i), inputs[i].symbol());
  for (size_t i = 0; i < std::min(op.resultCount(), outputs.size()); ++i)
    note(op.result(i), outputs[i].symbol());
  return classes;
}

/// Ranks of the weights that `statement` multiplies with or looks up.
static std::set<unsigned> featuresOf(const Operation &op, const KernelClasses &kernel,
                                     const Statement &statement) {
  std::set<unsigned> features;
  std::vector<op::OperandOp> inputs = kernel.kernel().inputs();
  for (const Access &read : statement.reads)
    for (size_t i = 0; i < std::min(op.operandCount(), inputs.size()); ++i)
      if (inputs[i].symbol() == read.tensor && isWeight(op.operand(i)) &&
          (statement.op.isMac() || kernel.dataRank(read.tensor)))
        for (unsigned rank = 0; rank < read.shape.size(); ++rank)
          features.insert(kernel.ofRank(read.tensor, rank));
  return features;
}

std::set<unsigned> passes::attendedRanks(const Operation &graph, KnownClasses &kernels,
                                         RankClasses &ranks) {
  std::set<unsigned> attended, features;
  graph.walk([&](const Operation &op) {
    if (!as<op::ApplyOp>(op))
      return;
    const KernelClasses &kernel = kernels.of(op);
    llvm::DenseMap<unsigned, unsigned> classes = inGraph(op, kernel, ranks);
    for (const Statement &statement : kernel.kernel().statements) {
      for (unsigned cls : featuresOf(op, kernel, statement))
        if (auto known = classes.find(cls); known != classes.end())
          features.insert(known->second);
      std::set<unsigned> kept, summed;
      for (unsigned i = 0; i < statement.extents.size(); ++i)
        if (auto known = classes.find(kernel.ofIndex(statement, i)); known != classes.end())
          (kernel.isReduced(statement, known->first) ? summed : kept).insert(known->second);
      for (unsigned cls : summed)
        if (kept.count(cls))
          attended.insert(cls);
    }
  });
  for (unsigned cls : features)
    attended.erase(cls);
  return attended;
}
