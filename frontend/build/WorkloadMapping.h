// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mapping for a workload, which fuses values that its operators pass on:
//     mapping tiles for block on chip {
//       fuse y at GLB
//       at GLB for p = 4          // of the operator that ends the chain
//       at RF for y.m = 8         // of the operator that makes y
//     }
// It becomes a loopnest.mapping of the graph; which kernels it runs together is known when the
// graph is lowered.
#ifndef PERFC_FRONTEND_BUILD_WORKLOADMAPPING_H
#define PERFC_FRONTEND_BUILD_WORKLOADMAPPING_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// The workload that `mapping` is for; null when it is for anything else.
const Decl *servedWorkload(BuildContext &context, const Instance &mapping);

/// A mapping on its way to the graph of a subject.
struct WorkloadMapping {
  const Instance &mapping;
  const Instance &subject;
  const BuiltGraph &graph;
  const BuiltTarget &chip;
};

/// Builds the loopnest.mapping; false after a report.
bool buildWorkloadMapping(BuildContext &context, const WorkloadMapping &from, std::string &symbol);

/// Checks the lines of `block`, the body of `mapping`, which is for a workload.
void checkWorkloadLines(Evaluator &evaluator, const Decl &mapping, const Node &block);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_WORKLOADMAPPING_H
