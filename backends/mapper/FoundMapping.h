// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search has found, as .perf text: mappings that a program can take over.
#ifndef PERFC_BACKENDS_MAPPER_FOUNDMAPPING_H
#define PERFC_BACKENDS_MAPPER_FOUNDMAPPING_H

#include "backends/mapper/NestSpace.h"
#include "llvm/ADT/StringSet.h"

namespace perfc::mapper {

/// The best loops of one op.
struct FoundMapping {
  std::string op;
  std::string chip;
  std::string cases; ///< by the sizes of the op
};

/// What a search with `pareto` has found that nothing else of it beats.
struct FoundFront {
  struct Point {
    std::vector<Quantity> values; ///< by metric
    std::vector<FoundMapping> mappings;
    bool isChosen = false; ///< the result of the search
  };
  std::vector<std::string> metrics; ///< as written; none without `pareto`
  std::vector<Point> points;        ///< by ascending energy
  bool isProven = false;            ///< no other mapping of the space belongs to it
};

/// The lines of a mapping, for the sizes of its op alone.
std::string mappingCase(op::KernelOp kernel, const NestSpace &space,
                        const loopnest::Mapping &mapping);

/// What `on` says of the chip itself, with its arguments: "npu(pe = 4)" of "2 * l.npu(pe = 4) over
/// ring". The name of the chip, `symbol`, where that is another, such as a system's.
std::string chipText(llvm::StringRef on, llvm::StringRef symbol);

/// `mappings` as declarations named best_OP, or best_OP_2 and so on where `taken` has that name;
/// their names are added to it.
std::string printMappings(llvm::ArrayRef<FoundMapping> mappings, llvm::StringSet<> &taken);
/// Those of the points that are not chosen, each below its values.
std::string printMappings(const FoundFront &front, llvm::StringSet<> &taken);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_FOUNDMAPPING_H
