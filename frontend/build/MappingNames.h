// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that a mapping or dataflow of an op may use: the op's extents and parameters, its own
// parameters, and those of the chip.
#ifndef PERFC_FRONTEND_BUILD_MAPPINGNAMES_H
#define PERFC_FRONTEND_BUILD_MAPPINGNAMES_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Binds them in `scope`. The chip's parameters are those of the mapping where it has one of that
/// name: `eyeriss(pes = 336)` sets the `pes` of its mapping. False after a report.
bool bindMappingNames(BuildContext &context, const Instance &mapping, const BuiltTarget &chip,
                      const OpModel &model, Scope &scope);

/// Position of the equation that is mapped: the first sum of products, else the first one.
size_t mappedStatement(const OpModel &model);

/// Calls `build` for each kernel of `graph` that `mapping`, or a mapspace or dataflow, serves.
/// False after a report: `build` failed, or nothing is served.
bool forEachServedKernel(BuildContext &context, const Instance &mapping, const BuiltGraph &graph,
                         llvm::function_ref<bool(const std::string &kernel)> build);

/// Builds the loopnest.dataflow of `dataflow` for one kernel; sets `symbol`.
bool buildDataflow(BuildContext &context, const Instance &dataflow, const BuiltTarget &chip,
                   const std::string &kernel, std::string &symbol);

/// False, after a report, when `mapping`, or a mapspace, says that it is on another chip than
/// `chip`. One that is made from that chip and has the same arrays will do, for a mapspace any
/// arrays.
bool checkMappingTarget(BuildContext &context, const Instance &mapping, const BuiltTarget &chip);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_MAPPINGNAMES_H
