// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MAESTRO's figures as a cost: what `using maestro` and `--mode maestro` ask for. Reads and writes
// of L2 and L1 are the tool's own counts, the latency its run time; docs/maestro.md lists where
// they differ from the exact ones.
#ifndef PERFC_BACKENDS_LOOPNEST_MAESTRO_PROVIDER_H
#define PERFC_BACKENDS_LOOPNEST_MAESTRO_PROVIDER_H

#include "backends/core/CostProvider.h"

namespace perfc::maestro {

/// Serves loopnest.dataflow.
class MaestroProvider : public CostProvider {
public:
  MaestroProvider() : CostProvider("maestro") {}
  bool serves(const ir::Operation &op) const override;
  std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                             DiagnosticEngine &diagnostics) override;
};

} // namespace perfc::maestro

#endif // PERFC_BACKENDS_LOOPNEST_MAESTRO_PROVIDER_H
