// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/Arithmetic.h"

#include "ir/common/diagnostics/Timeloop.h"

#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

/// Probabilities of the states of one operand.
struct Operand {
  unsigned space = 0;
  bool hasMetadata = false;
  double density = 1;
  double value = 1, zero = 0, absent = 0;

  void set(double nonzero) {
    value = nonzero;
    zero = hasMetadata ? 0 : 1 - nonzero;
    absent = hasMetadata ? 1 - nonzero : 0;
  }
};

} // namespace

static bool clamp(double &probability) {
  if (!(probability >= -0.00001 && probability <= 1.00001))
    return false;
  probability = std::min(std::max(probability, 0.0), 1.0);
  return true;
}

static std::vector<Operand> operands(const SparseState &state) {
  std::vector<Operand> result;
  for (unsigned space = 0; space < state.input.spaceCount(); ++space) {
    if (state.input.problem.spaces[space].readWrite)
      continue;
    Operand operand;
    operand.space = space;
    for (const SparseTile &tile : state.tiles[space])
      if (tile.shape) {
        operand.hasMetadata = tile.hasMetadata;
        break;
      }
    operand.density = state.densities[space].elementDensity();
    operand.set(operand.density);
    result.push_back(operand);
  }
  return result;
}

/// An operand whose leader was not empty is not zero more often.
static void condition(Operand &operand, double emptyShare) {
  operand.set(operand.density / (1 - emptyShare));
}

llvm::Optional<ComputeActions> timeloop::sparseCompute(const SparseState &state,
                                                       const OperandSavings &savings,
                                                       DiagnosticEngine &diagnostics) {
  auto fail = [&](const char *reason) {
    diagnostics.report(state.input.sparse.place, diag::TimeloopNotModelled, reason);
    return llvm::None;
  };
  std::vector<Operand> pair = operands(state);
  if (pair.size() != 2)
    return fail("a sparse problem without exactly two tensors that are read");
  Operand &a = pair[0], &b = pair[1];
  if (savings.isSaved[b.space])
    condition(a, savings.emptyShare[b.space]);
  if (savings.isSaved[a.space])
    condition(b, savings.emptyShare[a.space]);
  for (Operand *one : {&a, &b})
    if (!clamp(one->value) || !clamp(one->zero) || !clamp(one->absent))
      return fail("savings that contradict the densities");
  const llvm::Optional<SavingKind> &kind = state.input.sparse.compute;
  double total = savings.computes, random = total * a.value * b.value, gated = 0, skipped = 0;
  double hasZero = a.value * b.zero + a.zero * b.value + a.zero * b.zero;
  double lacksOne = a.value * b.absent + a.absent * b.value + a.zero * b.absent + a.absent * b.zero;
  double none = a.absent * b.absent;
  (kind == SavingKind::Gating ? gated : random) += total * hasZero;
  if (kind == SavingKind::Skipping)
    skipped += total * lacksOne;
  else
    (kind == SavingKind::Gating ? gated : random) += total * lacksOne;
  ComputeActions result;
  result.gated = std::floor(gated);
  result.skipped = std::floor(skipped);
  result.random = total - result.gated - result.skipped - std::floor(total * none);
  return result;
}
