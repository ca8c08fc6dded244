// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/ComparisonText.h"

#include "tools/driver/Report.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// Lines of a table that are shown without -v.
static constexpr size_t shownChanges = 10;

static std::string figureText(const Change &change, llvm::Optional<double> value) {
  if (!value)
    return "-";
  return change.isShare ? percent(*value) : formatEngineering(*value, change.dimension);
}

static std::string differenceText(const Change &change) {
  if (!change.before || !change.after || *change.before == 0)
    return "";
  return fmt::format("{:+.1f} %", (*change.after / *change.before - 1) * 100);
}

static void printChanges(Session &session, llvm::raw_ostream &out, llvm::StringRef title,
                         llvm::ArrayRef<Change> changes, size_t most = shownChanges) {
  if (changes.empty())
    return;
  Table table({{title.str(), Align::Left, 0, false, /*stays=*/true},
               {"first"},
               {"second"},
               {"change"},
               {"why", Align::Left, 0, /*wraps=*/true}});
  size_t shown = session.isVerbose() ? changes.size() : std::min(most, changes.size());
  for (const Change &change : changes.take_front(shown))
    table.addRow({change.what, figureText(change, change.before), figureText(change, change.after),
                  differenceText(change), llvm::join(change.causes, "; ")});
  table.print(out, session.tableWidth(), session.colorOut);
  if (shown < changes.size())
    out << "  and " << changes.size() - shown << " that differ less (-v shows them)\n";
}

void driver::printComparison(Session &session, llvm::raw_ostream &out,
                             const Comparison &comparison) {
  const emit::Result &before = *comparison.before, &after = *comparison.after;
  auto label = [](const emit::Result &result) {
    return result.point.empty() ? result.label : result.label + "; " + emit::pointText(result);
  };
  printTitle(out, label(before), "first", session.colorOut);
  printTitle(out, label(after), "second", session.colorOut);
  if (comparison.metrics.empty() && comparison.words.empty() && comparison.parts.empty() &&
      comparison.memories.empty()) {
    out << "  no difference\n\n";
    return;
  }
  printChanges(session, out, "metric", comparison.metrics, /*most=*/comparison.metrics.size());
  for (const auto &[what, then, now] : comparison.words)
    out << "  " << what << ": " << (then.empty() ? "none" : then) << " -> "
        << (now.empty() ? "none" : now) << '\n';
  printChanges(session, out, "time of", comparison.parts);
  printChanges(session, out, "limited by", comparison.bounds);
  printChanges(session, out, "memory", comparison.memories);
  std::string same = llvm::join(comparison.same, ", ");
  if (comparison.sameParts > 0)
    same += (same.empty() ? "" : ", and ") +
            counted(static_cast<int64_t>(comparison.sameParts), "part") + " by time";
  if (!same.empty())
    for (const std::string &line :
         wrapped("the same: " + same,
                 session.tableWidth() == anyWidth ? anyWidth : session.tableWidth() - 2))
      out << "  " << line << '\n';
  out << '\n';
}
