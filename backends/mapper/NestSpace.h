// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One nest of a program as a search sees it: its mapspace, weights and rules, and the way back from
// a mapping to IR and to text.
#ifndef PERFC_BACKENDS_MAPPER_NESTSPACE_H
#define PERFC_BACKENDS_MAPPER_NESTSPACE_H

#include "backends/loopnest/search/Search.h"
#include "ir/loopnest/MapspaceOps.h"

namespace perfc::mapper {

struct NestSpace {
  ir::Operation *nest = nullptr; ///< loopnest.nest
  loopnest::AdaptedNest adapted;
  loopnest::MapSpace space;
  loopnest::CostWeights weights;
  loopnest::SlotRules rules;
  bool hasRules = false;
  int64_t count = 1; ///< how often it runs in the program
};

/// The space of `nest` on `chip` (a target.chip), bounded by `mapspace` (or null). Nothing, with
/// the reason, when it has no flat form.
llvm::Optional<NestSpace> makeNestSpace(ir::Operation &nest, const ir::Operation &chip,
                                        int64_t extraBytes, loopnest::MapspaceOp mapspace,
                                        std::string &reason);

/// A text that is equal for nests whose searches have the same answer.
std::string searchKey(const NestSpace &nest);

/// Replaces the loops of the nest by those of `mapping`.
void writeNest(const NestSpace &nest, const loopnest::Mapping &mapping);

/// The lines of a `mapping` block, each indented by `indent`.
std::string mappingLines(const NestSpace &nest, const loopnest::Mapping &mapping,
                         llvm::StringRef indent);

/// Why no mapping is valid: how many of a sample of mappings each constraint excludes, most first,
/// and the lines of the mapping that is nearest to a legal one.
struct Refusals {
  int64_t sampled = 0;
  std::vector<std::pair<std::string, int64_t>> constraints;
  std::string nearest;      ///< lines of a mapping
  std::string nearestLacks; ///< what it violates
};
Refusals explainRefusals(const NestSpace &nest);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_NESTSPACE_H
