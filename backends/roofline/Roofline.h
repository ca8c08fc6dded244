// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roofline: what a kernel takes at least, whatever its mapping (Williams et al., "Roofline", CACM
// 52(4), 2009). Every MAC lane is busy, every byte moves to or from the outermost memory once:
//     latency = max(sum over formats macs / peak + sum over functions count / rate, bytes /
//     bandwidth)
//               + launch
//     energy  = macs * MAC energy + functions * their energy + read * read energy + written * write
//     energy
#ifndef PERFC_BACKENDS_ROOFLINE_ROOFLINE_H
#define PERFC_BACKENDS_ROOFLINE_ROOFLINE_H

#include "backends/core/CostProvider.h"
#include "backends/core/KernelWork.h"

namespace perfc {
namespace roofline {

/// Serves op.kernel on a target.chip.
class RooflineProvider : public CostProvider {
public:
  RooflineProvider() : CostProvider("roofline") {}
  bool serves(const ir::Operation &op) const override;
  std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                             DiagnosticEngine &diagnostics) override;

private:
  WorkMemo works;
};

} // namespace roofline
} // namespace perfc

#endif // PERFC_BACKENDS_ROOFLINE_ROOFLINE_H
