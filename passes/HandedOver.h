// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that run as the end of what stands before them, where no kernel can be made of both: the
// last addition of a layer, whose sum the norm at the start of the next layer reads (`additions` of
// a runtime), and what adds up or normalises a sum over ranks inside the exchange that makes it
// (`sums`). The tensor that is handed over is marked in a copy of the kernel: it is not read from
// memory, and the kernel has no start of its own. Where a layer reads what the layer before has
// made, the first one is taken as the others are.
#ifndef PERFC_PASSES_HANDEDOVER_H
#define PERFC_PASSES_HANDEDOVER_H

#include "passes/FusionRules.h"
#include "passes/Pass.h"
#include <map>
#include <utility>

namespace perfc {
namespace passes {

/// Whether a tensor of `kernel` is handed over.
bool isJoined(const ir::Operation &kernel);

class HandedOver {
public:
  explicit HandedOver(ir::Module &module) : module(module) {}

  /// Marks what `rules` hand over in `region`, whose kernels are in groups already.
  void run(ir::Region &region, const FusionRules &rules);

private:
  bool isHanded(const ir::Value &value, const ir::Operation &reader,
                const FusionRules &rules) const;
  void mark(ir::Operation &reader, size_t operand);

  ir::Module &module;
  std::map<std::pair<const ir::Operation *, size_t>, ir::Operation *> copies; ///< by operand
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_HANDEDOVER_H
