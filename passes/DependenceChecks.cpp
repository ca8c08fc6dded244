// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DependenceChecks.h"

#include "llvm/ADT/STLExtras.h"

#include "ir/common/diagnostics/Mappings.h"

using namespace perfc;
using namespace perfc::passes;

llvm::Optional<std::vector<OrderedLoop>> passes::orderedLoops(const NestPlan &plan) {
  if (!plan.windows.empty())
    return llvm::None;
  llvm::SmallVector<int64_t, 8> cover(plan.statement->extents.size(), 1);
  std::vector<OrderedLoop> loops;
  for (const PlannedLoop &loop : llvm::reverse(plan.loops)) {
    if (loop.factor == 1)
      continue;
    OrderedLoop next{{}, loop.factor, loop.axis.hasValue()};
    for (unsigned index : loop.indices) {
      next.drives.push_back({index, cover[index]});
      cover[index] = checkedMultiply(cover[index], loop.factor).getValueOr(INT64_MAX);
    }
    loops.push_back(std::move(next));
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// What would help: where the loops over time have to stand, or that they only run upward.
static std::string advice(const Statement &statement, const Dependences &dependences) {
  for (unsigned index = 0; index < statement.extents.size(); ++index) {
    std::string name = statement.writtenName(index);
    if (dependences.isCarriedBy(index))
      return fmt::format("steps in time over `{}`, outside of other loops, carry it", name);
    if (dependences.isCarriedBy(index, /*backward=*/true))
      return fmt::format("loops run upward; an equation over `{0}` that counts from the last one "
                         "reads at `{0} - 1` what it needs",
                         name);
  }
  return "";
}

void passes::reportBroken(const Statement &statement, const BrokenDependence &broken, bool isBeside,
                          llvm::StringRef what, SourceRange where, DiagnosticEngine &diagnostics) {
  std::string example = "some points read what later ones set";
  if (!broken.second.empty())
    example =
        fmt::format("at {} it reads what is set at {}, {}", pointText(statement, broken.second),
                    pointText(statement, broken.first), isBeside ? "at the same time" : "later");
  auto &error =
      diagnostics.report(where, diag::BrokenDependence, what, statement.write.tensor, example);
  error.note(statement.op->range(), "the equation reads what it sets");
  if (std::string help = advice(statement, Dependences(statement)); !help.empty())
    error.help(help);
}

bool passes::checkSomeOrder(const Statement &statement, SourceRange where,
                            DiagnosticEngine &diagnostics) {
  Dependences dependences(statement);
  if (dependences.empty() || dependences.someOrder())
    return true;
  auto &error = diagnostics.report(where, diag::NoLoopOrder,
                                   as<op::KernelOp>(statement.op->parentOp()).declaration(),
                                   statement.write.tensor);
  error.note(statement.op->range(), "the equation reads what it sets");
  if (std::string help = advice(statement, dependences); !help.empty())
    error.help(help);
  return false;
}

bool passes::checkDependences(const NestPlan &plan, SourceRange written,
                              DiagnosticEngine &diagnostics) {
  const Statement &statement = *plan.statement;
  Dependences dependences(statement);
  if (dependences.empty())
    return true;
  auto loops = orderedLoops(plan);
  llvm::Optional<BrokenDependence> broken =
      loops ? dependences.firstBroken(*loops) : BrokenDependence{llvm::None, {}, {}};
  if (!broken)
    return true;
  if (!loops) {
    reportBroken(statement, *broken, false, "tiles that overlap", written, diagnostics);
    return false;
  }
  if (!broken->loop)
    return checkSomeOrder(statement, written, diagnostics);
  std::vector<const PlannedLoop *> planned;
  for (const PlannedLoop &loop : plan.loops)
    if (loop.factor > 1)
      planned.push_back(&loop);
  const PlannedLoop &loop = *planned[*broken->loop];
  std::vector<std::string> names;
  for (unsigned index : loop.indices)
    names.push_back("`" + statement.writtenName(index) + "`");
  std::string what = fmt::format("the {} over {}", loop.axis ? "parallel loop" : "loop",
                                 fmt::join(names, " and "));
  reportBroken(statement, *broken, loop.axis.hasValue(), what,
               loop.source ? loop.source->range() : written, diagnostics);
  return false;
}
