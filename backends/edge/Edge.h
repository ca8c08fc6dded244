// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of a network on a device of which a runtime's figures are known by the kind of work
// (`layers` of a chip): their sum, since the kernels of such a runtime neither overlap nor hide
// their memory,
//     latency = sum over kinds amount / rate + kernels * op
// The kinds follow what predictors of single kernels tell apart (Zhang et al., "nn-Meter", MobiSys
// 2021); sums of them are linear in the figures, which is what fits of a device use.
#ifndef PERFC_BACKENDS_EDGE_EDGE_H
#define PERFC_BACKENDS_EDGE_EDGE_H

#include "backends/core/CostProvider.h"

namespace perfc::edge {

/// Serves op.kernel on a target.chip that has `layers`.
class EdgeProvider : public CostProvider {
public:
  EdgeProvider() : CostProvider("edge") {}
  bool serves(const ir::Operation &op) const override;
  bool servesOn(const ir::Operation &target) const override;
  std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                             DiagnosticEngine &diagnostics) override;
};

} // namespace perfc::edge

#endif // PERFC_BACKENDS_EDGE_EDGE_H
