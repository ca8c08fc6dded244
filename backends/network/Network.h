// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The network provider: collectives on a system, as a communication library runs them where the
// network gives its parameters (Library.h), else in closed form (ClosedForms.h).
#ifndef PERFC_BACKENDS_NETWORK_NETWORK_H
#define PERFC_BACKENDS_NETWORK_NETWORK_H

#include "backends/core/CostProvider.h"

namespace perfc {
namespace network {

/// Serves collective.all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, barrier
/// and send on a target.system (or a target.chip, where they take no time).
class NetworkProvider : public CostProvider {
public:
  NetworkProvider() : CostProvider("network") {}
  bool serves(const ir::Operation &op) const override;
  std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                             DiagnosticEngine &diagnostics) override;
};

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_NETWORK_H
