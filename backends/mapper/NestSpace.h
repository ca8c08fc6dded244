// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One nest of a program as a search sees it: its mapspace, weights and rules, and the way back from
// a mapping to IR and to text. Where a mapspace leaves open what memories keep, each choice of it
// is a space of its own (`withKeeps`).
#ifndef PERFC_BACKENDS_MAPPER_NESTSPACE_H
#define PERFC_BACKENDS_MAPPER_NESTSPACE_H

#include "backends/loopnest/search/Search.h"
#include "backends/loopnest/search/TrueCost.h"
#include "backends/mapper/NestOrder.h"
#include "ir/loopnest/MapspaceOps.h"

namespace perfc::mapper {

/// The tensors that each place keeps, ascending.
using Keeps = std::vector<llvm::SmallVector<unsigned, 4>>;

struct NestSpace {
  ir::Operation *nest = nullptr; ///< loopnest.nest
  loopnest::AdaptedNest adapted;
  loopnest::MapSpace space;
  loopnest::CostWeights weights;      ///< with zeros, of lower bounds
  loopnest::CostWeights denseWeights; ///< as if there were no zeros
  loopnest::SlotRules rules;
  bool hasRules = false;
  int64_t count = 1;        ///< how often it runs in the program
  bool isImperfect = false; ///< factors may leave a rest
  /// Why the closed form does not weigh its mappings, so that the full model does; "" when it does.
  std::string beyondClosedForm;
  std::string zerosText; ///< what is said of zeros
  bool hasClosedForm() const { return !isImperfect && beyondClosedForm.empty(); }
  /// Whether orders cost differently that bring the same words: what the last round of a tile's
  /// reuse frees, the stretches that a fold lasts, which sums lanes that fell idle keep from being
  /// finished, and which points come before others that need them.
  bool ordersMatter() const;
  const llvm::Optional<loopnest::Sparsity> &zeros() const { return cost->sparsity(); }
  std::shared_ptr<const loopnest::TrueCost> cost; ///< the full model
  std::shared_ptr<const NestOrder> order;         ///< null where any order will do
  Keeps chipKeeps;                                ///< what the chip says
  std::vector<Keeps> keeps; ///< the choices; only the chip's without a mapspace
  /// The cost as it was lowered, where that is no mapping of the space: folds of a systolic array.
  llvm::Optional<loopnest::Score> asLowered;
};

/// Most pairs of a tensor and a memory that a mapspace may leave open.
constexpr unsigned mostOpenKeeps = 12;

/// The space of `nest` on `chip` (a target.chip), as `placement` (a phase.kernel) runs it, bounded
/// by `mapspace` (or null). Nothing, with the reason, when its mappings cannot be counted.
llvm::Optional<NestSpace> makeNestSpace(ir::Operation &nest, const ir::Operation &chip,
                                        const ir::Operation *placement,
                                        loopnest::MapspaceOp mapspace, std::string &reason);

/// What `placement` (a phase.kernel, or null) says of zeros, as text; "" for nothing.
std::string zerosOf(const ir::Operation *placement);

/// What the memories keep by `mapspace` (or null): each choice that it leaves, that of the chip
/// first if it is one. None when more than `mostOpenKeeps` are open; sets `open` to how many are.
std::vector<Keeps> keepChoices(const loopnest::AdaptedNest &nest, loopnest::MapspaceOp mapspace,
                               unsigned &open);
/// The space with one of its choices of what memories keep.
NestSpace withKeeps(const NestSpace &nest, const Keeps &keeps);

/// "GLB keeps A, Z; RF keeps nothing": all memories but the outermost.
std::string keepText(const NestSpace &nest);

/// The loops of `nest` as a mapping of `space`; nothing when they are none.
llvm::Optional<loopnest::Mapping> mappingOf(const loopnest::MapSpace &space,
                                            const loopnest::Nest &nest);

/// A text that is equal for nests whose searches have the same answer.
std::string searchKey(const NestSpace &nest);

/// Replaces the loops of the nest by those of `mapping`.
void writeNest(const NestSpace &nest, const loopnest::Mapping &mapping);

/// The lines of a `mapping` block, each indented by `indent`; `keep` and `bypass` where they differ
/// from the chip.
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
