// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/systolic/Folds.h"

#include "backends/loopnest/analysis/Checked.h"
#include "ir/common/Rational.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

llvm::Optional<Stationary> loopnest::parseStationary(llvm::StringRef word) {
  return llvm::StringSwitch<llvm::Optional<Stationary>>(word)
      .Cases("output", "os", Stationary::Output)
      .Cases("weight", "ws", Stationary::Weight)
      .Cases("input", "is", Stationary::Input)
      .Default(llvm::None);
}

/// Rows and columns of the folds take two sizes each, a full and a last one, so the mean over all
/// folds is the product of the mean extents.
static double occupied(int64_t extent, int64_t folds, int64_t size) {
  return static_cast<double>(extent) / (static_cast<double>(folds) * static_cast<double>(size));
}

llvm::Optional<FoldPlan> loopnest::planFolds(const Gemm &gemm, const SystolicArray &array) {
  FoldPlan plan;
  bool isOutput = array.stationary == Stationary::Output;
  plan.rowExtent = isOutput ? gemm.m : gemm.k;
  plan.columnExtent = array.stationary == Stationary::Input ? gemm.m : gemm.n;
  plan.stream = isOutput ? gemm.k : array.stationary == Stationary::Weight ? gemm.m : gemm.n;
  plan.rowFolds = ceilDivide(plan.rowExtent, array.rows);
  plan.columnFolds = ceilDivide(plan.columnExtent, array.columns);

  Checked rows(array.rows), columns(array.columns), stream(plan.stream);
  Checked folds = Checked(plan.rowFolds) * plan.columnFolds;
  Checked fold = stream + rows + columns - 2 + (isOutput ? Checked(0) : rows);
  Checked interval = std::max(plan.stream, array.rows);
  Checked cycles = array.overlapFolds ? (folds - 1) * interval + fold : folds * fold;
  // What stays is read once per fold that it belongs to; what streams passes every fold of the
  // other direction. Partial sums leave after each fold of the reduction.
  Checked input = Checked(gemm.m) * gemm.k, weight = Checked(gemm.k) * gemm.n;
  Checked output = Checked(gemm.m) * gemm.n;
  switch (array.stationary) {
  case Stationary::Output:
    input *= plan.columnFolds;
    weight *= plan.rowFolds;
    break;
  case Stationary::Weight:
    input *= plan.columnFolds;
    output *= plan.rowFolds;
    break;
  case Stationary::Input:
    weight *= plan.columnFolds;
    output *= plan.rowFolds;
    break;
  }
  if ((cycles + input + weight + output + rows * columns).overflowed())
    return llvm::None;
  plan.foldCycles = fold.value();
  plan.cycles = cycles.value();
  plan.inputReads = input.value();
  plan.weightReads = weight.value();
  plan.outputWrites = output.value();
  plan.mappingEfficiency = occupied(plan.rowExtent, plan.rowFolds, array.rows) *
                           occupied(plan.columnExtent, plan.columnFolds, array.columns);
  plan.computeUtilization = plan.mappingEfficiency * static_cast<double>(plan.stream) /
                            (static_cast<double>(plan.cycles) / static_cast<double>(folds.value()));
  return plan;
}

int64_t loopnest::cyclesOf(const FoldPlan &plan, const SystolicArray &array, int64_t products) {
  if (!array.overlapFolds)
    return products * plan.cycles;
  int64_t interval = std::max(plan.stream, array.rows);
  return (products * plan.rowFolds * plan.columnFolds - 1) * interval + plan.foldCycles;
}
