// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/OpChecks.h"

#include "ir/common/Rational.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/op/Positions.h"

using namespace perfc;

static bool namesIndex(const OpAccess &access, llvm::StringRef index) {
  return llvm::any_of(access.map,
                      [&](const auto &map) { return map && map->coefficient(index) != 0; });
}

static bool namesIndex(const OpStatement &statement, llvm::StringRef index) {
  return namesIndex(statement.write, index) ||
         llvm::any_of(statement.reads,
                      [&](const OpAccess &read) { return namesIndex(read, index); });
}

bool perfc::conditionsApply(llvm::ArrayRef<OpStatement> statements,
                            llvm::ArrayRef<AffineExpr> conditions,
                            llvm::ArrayRef<SourceRange> ranges, DiagnosticEngine &diagnostics) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    llvm::ArrayRef<AffineExpr::Term> terms = conditions[i].terms();
    auto namesAll = [&](const OpStatement &statement) {
      return llvm::all_of(
          terms, [&](const AffineExpr::Term &term) { return namesIndex(statement, term.name); });
    };
    if (llvm::any_of(statements, namesAll))
      continue;
    std::vector<std::string> names;
    for (const AffineExpr::Term &term : terms)
      names.push_back("`" + term.name + "`");
    diagnostics.report(
        ranges[i], diag::ConditionWithoutEquation,
        fmt::format("{}{}", fmt::join(names, " and "), names.size() > 1 ? " together" : ""));
    return false;
  }
  return true;
}

/// True where several points surely write one element: of a rank whose indices are in no other, the
/// positions are fewer than the settings of its indices.
static bool collides(const OpStatement &statement) {
  // An index alone has as many positions as settings.
  if (llvm::all_of(statement.write.map,
                   [](const auto &map) { return !map || map->terms().size() <= 1; }))
    return false;
  ir::AttrDict domain;
  llvm::StringMap<unsigned> uses;
  for (const auto &[index, extent] : statement.domain)
    domain.set(index, extent);
  for (const auto &map : statement.write.map)
    for (const AffineExpr::Term &term : map ? map->terms() : llvm::None)
      ++uses[term.name];
  for (const auto &map : statement.write.map) {
    if (!map || llvm::any_of(map->terms(), [&](auto &term) { return uses[term.name] > 1; }))
      continue;
    auto extent = [&](llvm::StringRef index) { return domain.find(index)->asInt(); };
    llvm::Optional<int64_t> points = 1;
    for (const AffineExpr::Term &term : map->terms())
      if (points)
        points = checkedMultiply(*points, extent(term.name));
    auto range = bounds(*map, extent);
    llvm::Optional<AffineExpr> fromZero = range ? add(*map, -range->low) : llvm::None;
    llvm::Optional<int64_t> size = range ? checkedAdd(range->high, 1 - range->low) : llvm::None;
    if (points && fromZero && size && op::touchedPositions(*fromZero, domain, *size) < *points)
      return true;
  }
  return false;
}

/// True where `later` sets the elements that `earlier` has set, without a look at them.
static bool overwrites(const OpStatement &later, const OpStatement &earlier) {
  auto readsIt = [&](const OpAccess &read) { return read.tensor == later.write.tensor; };
  return later.reduce.empty() && later.write.tensor == earlier.write.tensor &&
         later.write.map == earlier.write.map && later.constraints == earlier.constraints &&
         llvm::none_of(later.reads, readsIt);
}

bool perfc::writesOnce(llvm::ArrayRef<OpStatement> statements, DiagnosticEngine &diagnostics) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const OpStatement &statement = statements[i];
    bool isSum = !statement.reduce.empty();
    if (!isSum && statement.constraints.empty() && collides(statement)) {
      diagnostics.report(statement.range, diag::WrittenTwice, statement.write.tensor)
          .help("`+=` adds up what comes to one element");
      return false;
    }
    for (const OpStatement &earlier : statements.take_front(i))
      if (overwrites(statement, earlier)) {
        diagnostics.report(statement.range, diag::WrittenTwice, statement.write.tensor)
            .note(earlier.range, "they are written here already")
            .help("`+=` adds to what is there");
        return false;
      }
  }
  return true;
}
