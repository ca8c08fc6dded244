// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/RefusalReport.h"

#include "backends/mapper/SweepRows.h"
#include "ir/common/diagnostics/Search.h"

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

static std::string refusalText(const Refusals &refusals, size_t i) {
  const auto &[constraint, count] = refusals.constraints[i];
  return fmt::format("{} exclude{} {} of {} mappings", constraint,
                     llvm::StringRef(constraint).startswith("the capacity") ? "s" : "", count,
                     refusals.sampled);
}

/// The constraints by what they exclude, and the mapping that is nearest to a legal one.
/// Of a sweep, a point without a mapping is one result among others.
void mapper::reportRefusals(const NestSpace &nest, study::SearchStatement search,
                            const ir::Operation &chip, DiagnosticEngine &diagnostics) {
  Refusals refusals = explainRefusals(nest);
  if (auto point = ir::as<study::PointOp>(search->parentOp())) {
    Diagnostic &warning =
        diagnostics.report(search->range(), diag::PointWithoutMapping,
                           bindingsText(point.bindings()), NestOp(nest.nest).kernel());
    if (!refusals.constraints.empty())
      warning.note(refusalText(refusals, 0));
    return;
  }
  Diagnostic &error = diagnostics.report(search->range(), diag::NoValidMapping,
                                         NestOp(nest.nest).kernel(), chip.symbol());
  for (size_t i = 0; i < refusals.constraints.size(); ++i)
    error.note(refusalText(refusals, i));
  for (const SlotRule &rule : nest.rules)
    if (rule.range.file)
      error.note(rule.range, "the mapspace says so of " + rule.name);
  if (!refusals.nearestLacks.empty())
    error.help(fmt::format("nearest is, but for {}:\n{}", refusals.nearestLacks, refusals.nearest));
}

void mapper::reportNothingFound(const NestSpace &nest, study::SearchStatement search,
                                const ir::Operation &chip, DiagnosticEngine &diagnostics) {
  llvm::StringRef kernel = NestOp(nest.nest).kernel();
  auto point = ir::as<study::PointOp>(search->parentOp());
  Diagnostic &report =
      point ? diagnostics.report(search->range(), diag::PointNotSearched,
                                 bindingsText(point.bindings()), kernel)
            : diagnostics.report(search->range(), diag::SearchTooShort, kernel, chip.symbol());
  report.help("a longer `within` may find one, or a mapspace that leaves less to search");
}
