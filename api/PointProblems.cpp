// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/PointProblems.h"

#include "api/ReportAgain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;

/// Points that one warning names.
static constexpr size_t namedPoints = 8;

void PointProblems::begin(SourceRange place) {
  if (place == sweep)
    return;
  report();
  sweep = place;
}

void PointProblems::take(size_t first, llvm::StringRef point) {
  std::vector<Diagnostic> found = diagnostics.all().drop_front(first).vec();
  diagnostics.truncate(first);
  for (Diagnostic &problem : found) {
    auto same = llvm::find_if(held, [&](const Held &entry) {
      return problem.kind->severity == Severity::Warning && entry.problem.kind == problem.kind &&
             entry.problem.range == problem.range;
    });
    if (same == held.end())
      held.push_back({std::move(problem), {point.str()}});
    else if (same->points.back() != point)
      same->points.push_back(point.str());
  }
}

/// "at n = 64", "also at n = 128; n = 256; and 3 more".
static std::string pointsText(llvm::StringRef first, llvm::ArrayRef<std::string> points) {
  size_t named = std::min(points.size(), namedPoints);
  std::string text = (first + llvm::join(points.take_front(named), "; ")).str();
  return named == points.size() ? text
                                : fmt::format("{}; and {} more", text, points.size() - named);
}

void PointProblems::report() {
  for (const Held &entry : held) {
    Diagnostic &problem = reportAgain(diagnostics, entry.problem);
    llvm::ArrayRef<std::string> points = entry.points;
    auto names = [&](llvm::StringRef text) { return text.contains(points.front()); };
    bool isNamed =
        names(problem.message) ||
        llvm::any_of(problem.remarks, [&](const Remark &remark) { return names(remark.message); });
    if (!isNamed)
      problem.note(pointsText("at ", points));
    else if (points.size() > 1)
      problem.note(pointsText("also at ", points.drop_front()));
  }
  held.clear();
}
