// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report that a nest has no valid mapping: which constraints exclude how much of a sample, and
// the mapping that is nearest to a legal one.
#ifndef PERFC_BACKENDS_MAPPER_REFUSALREPORT_H
#define PERFC_BACKENDS_MAPPER_REFUSALREPORT_H

#include "backends/mapper/NestSpace.h"
#include "ir/study/SearchOps.h"

namespace perfc::mapper {

/// An error, or for a point of a sweep a warning.
void reportRefusals(const NestSpace &nest, study::SearchStatement search, const ir::Operation &chip,
                    DiagnosticEngine &diagnostics);

/// The same for a search that ended before it had seen all mappings.
void reportNothingFound(const NestSpace &nest, study::SearchStatement search,
                        const ir::Operation &chip, DiagnosticEngine &diagnostics);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_REFUSALREPORT_H
