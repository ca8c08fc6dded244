// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a stretch of the model takes on one rank: what stands before the layers, one layer of a
// kind, or what follows. A provider of such costs answers for any composition of a batch: how many
// tokens run, how many requests make a token at which context, which pieces of prompts come behind
// how many earlier tokens.
#ifndef PERFC_BACKENDS_SERVING_PARTCOST_H
#define PERFC_BACKENDS_SERVING_PARTCOST_H

#include "backends/core/StackTime.h"
#include "backends/serving/Curve.h"
#include "backends/serving/Simulation.h"

namespace perfc::serving {

/// What a kernel or an exchange has taken in a whole run, on one rank.
struct ItemTotal {
  std::string name, kind; ///< `kind` of a collective, "" for a kernel
  double runs = 0;
  Point sum;
  std::vector<double> energyMoves = {}; ///< J, by source of uncertainty
  /// Of runs that each of them bounds.
  double computeSeconds = 0, memorySeconds = 0, launchSeconds = 0;
  double seconds = 0;
  bool isTimed = true;                 ///< false where another line has its time
  bool isMeasured = false;             ///< what bounds it is not known
  std::vector<std::string> alike = {}; ///< axes along which ranks run the same kernel

  /// Adds `times` runs that take `one` each.
  void note(const Point &one, double times);
};

class PartCost {
public:
  virtual ~PartCost() = default;

  /// What one run takes for `tokens`, which are those of `shape` but behind the layers; a batch has
  /// `runs` of them, which go to the totals.
  virtual StackWork run(int64_t tokens, const BatchShape &shape, double runs) = 0;
  /// Of all batches since the last `forget`.
  virtual std::vector<ItemTotal> totals() const = 0;
  virtual void forget() = 0;
  /// What one run runs, in order, kernels without communication between them as one; those before
  /// it stand in `nodes`.
  virtual void addNodes(int64_t tokens, const BatchShape &shape,
                        std::vector<ServedNode> &nodes) const = 0;

protected:
  /// Adds `times` runs of a kernel, or of an exchange of `kind`, to `nodes`.
  static void addNode(llvm::StringRef kind, const Point &one, double times,
                      std::vector<ServedNode> &nodes);
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_PARTCOST_H
