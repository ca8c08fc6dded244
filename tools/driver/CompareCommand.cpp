// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc compare: what makes the results of two programs, of two settings of one, or two results of
// one differ, with the cause of each difference.
#include "api/Comparison.h"
#include "api/Evaluation.h"
#include "api/Providers.h"
#include "api/tools/ToolProvider.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"
#include "tools/driver/Report.h"
#include "tools/driver/ToolOption.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// Lines of a table that are shown without -v.
static constexpr size_t shownChanges = 10;

using Pairs = std::vector<std::pair<const emit::Result *, const emit::Result *>>;

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

static void printChanges(Session &session, llvm::StringRef title, llvm::ArrayRef<Change> changes,
                         size_t most = shownChanges) {
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
  table.print(session.out, session.tableWidth(), session.colorOut);
  if (shown < changes.size())
    session.out << "  and " << changes.size() - shown << " that differ less (-v shows them)\n";
}

static void printComparison(Session &session, const Comparison &comparison) {
  const emit::Result &before = *comparison.before, &after = *comparison.after;
  auto label = [](const emit::Result &result) {
    return result.point.empty() ? result.label : result.label + "; " + emit::pointText(result);
  };
  printTitle(session.out, label(before), "first", session.colorOut);
  printTitle(session.out, label(after), "second", session.colorOut);
  if (comparison.metrics.empty() && comparison.words.empty() && comparison.parts.empty() &&
      comparison.memories.empty()) {
    session.out << "  no difference\n\n";
    return;
  }
  printChanges(session, "metric", comparison.metrics, /*most=*/comparison.metrics.size());
  for (const auto &[what, then, now] : comparison.words)
    session.out << "  " << what << ": " << (then.empty() ? "none" : then) << " -> "
                << (now.empty() ? "none" : now) << '\n';
  printChanges(session, "time of", comparison.parts);
  printChanges(session, "limited by", comparison.bounds);
  printChanges(session, "memory", comparison.memories);
  std::string same = llvm::join(comparison.same, ", ");
  if (comparison.sameParts > 0)
    same += (same.empty() ? "" : ", and ") +
            counted(static_cast<int64_t>(comparison.sameParts), "part") + " by time";
  if (!same.empty())
    for (const std::string &line :
         wrapped("the same: " + same,
                 session.tableWidth() == anyWidth ? anyWidth : session.tableWidth() - 2))
      session.out << "  " << line << '\n';
  session.out << '\n';
}

/// The results that are compared: in their order, or by name and point where one has more.
static Pairs pairsOf(const Evaluation &first, const Evaluation &second) {
  Pairs pairs;
  const auto &before = first.results(), &after = second.results();
  if (before.size() == after.size()) {
    for (size_t i = 0; i < before.size(); ++i)
      pairs.emplace_back(&before[i], &after[i]);
    return pairs;
  }
  std::vector<bool> isTaken(after.size());
  for (const emit::Result &one : before)
    for (size_t i = 0; i < after.size(); ++i)
      if (!isTaken[i] && after[i].name == one.name &&
          emit::pointText(after[i]) == emit::pointText(one)) {
        isTaken[i] = true;
        pairs.emplace_back(&one, &after[i]);
        break;
      }
  return pairs;
}

/// The two results of that name; none after a report.
static Pairs namedPair(Session &session, const Evaluation &evaluation,
                       llvm::ArrayRef<std::string> names) {
  std::vector<const emit::Result *> found;
  for (const std::string &name : names) {
    std::vector<const emit::Result *> named = evaluation.named(name);
    if (named.empty() && !session.diagnostics.hasErrors())
      session.diagnostics.report({}, diag::UnknownResult, name)
          .help("`evaluate … as name` gives a result a name");
    if (!named.empty())
      found.push_back(named.front());
  }
  if (found.size() != 2)
    return {};
  return {{found[0], found[1]}};
}

/// Why a tool's figures differ: by what perfc's own model of it says, and by what that leaves.
static void addToolCauses(Comparison &comparison, const emit::Result &modelled,
                          llvm::StringRef tool) {
  auto say = [](Change &change, double from, double to, const std::string &why) {
    if (from > 0 && std::fabs(to / from - 1) > 1e-9)
      change.causes.push_back(fmt::format("{:+.2g} % by {}", (to / from - 1) * 100, why));
  };
  for (Change &change : comparison.metrics) {
    llvm::Optional<MetricValue> value = metric(modelled, change.what);
    if (!value || !value->hasNumber() || !change.before || !change.after)
      continue;
    double model = value->value.central();
    say(change, *change.before, model, fmt::format("how {} counts", tool.str()));
    say(change, model, *change.after, fmt::format("what the {} here does otherwise", tool.str()));
  }
}

static void printAll(Session &session, const Arguments &arguments, const Pairs &pairs,
                     const Evaluation *modelled = nullptr) {
  emit::Json list = emit::Json::array();
  size_t at = 0;
  for (const auto &[before, after] : pairs) {
    Comparison comparison = compare(*before, *after);
    if (size_t number = at++; modelled && number < modelled->results().size())
      addToolCauses(comparison, modelled->results()[number], arguments.value("tool"));
    if (arguments.has("json"))
      list.push(comparisonJson(comparison, session.sources));
    else
      printComparison(session, comparison);
  }
  if (!arguments.has("json"))
    return;
  emit::Json::object().set("schema", 1).set("comparisons", std::move(list)).print(session.out);
  session.out << '\n';
}

/// The results of a file beside those that a tool has of the same.
static void compareWithTool(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgramFile(session, arguments.files().front());
  auto tool = chosenTool(session, arguments);
  if (!file || !tool || !readDefines(arguments, session.diagnostics, defines))
    return;
  RunOptions options;
  if (tool->info->provider == "loopnest") // of all kernels, as the tool's
    options.provider = "loopnest";
  ProviderSet own = defaultProviders(),
              asModelled = withTool(defaultProviders(), *tool, ToolAnswer::Model),
              asked = withTool(defaultProviders(), *tool);
  auto ignore = [](const Evaluated &) {};
  Evaluation before(session.context(), own, options);
  before.run(file, defines, ignore);
  options.provider = tool->info->provider.str();
  Evaluation modelled(session.context(), asModelled, options),
      after(session.context(), asked, options);
  after.run(file, defines, ignore);
  if (after.results().empty())
    return;
  size_t reported = session.diagnostics.all().size();
  modelled.run(file, defines, ignore);
  session.diagnostics.truncate(reported); // what it says has been said of the tool
  printAll(session, arguments, pairsOf(before, after), &modelled);
}

bool driver::compareFiles(Session &session, const Arguments &arguments) {
  llvm::ArrayRef<std::string> files = arguments.files();
  if (arguments.has("tool") && files.size() == 1 && !arguments.has("second")) {
    compareWithTool(session, arguments);
    return true;
  }
  if (files.size() == 2 ? arguments.has("second")
                        : arguments.has("second") == (files.size() == 3)) {
    session.diagnostics.report({}, diag::WrongArgumentCount, "compare",
                               findCommand("compare")->usage.str());
    return true;
  }
  std::vector<std::pair<std::string, std::string>> defines, others;
  FileId first = loadProgramFile(session, files.front());
  FileId second = files.size() == 2 ? loadProgramFile(session, files[1]) : first;
  if (!first || !second || !readDefines(arguments, session.diagnostics, defines))
    return true;
  others = defines;
  if (!readDefines(arguments, session.diagnostics, others, "second"))
    return true;
  ProviderSet providers = defaultProviders();
  Evaluation before(session.context(), providers), after(session.context(), providers);
  before.run(first, defines, [](const Evaluated &) {});
  if (files.size() == 3) {
    printAll(session, arguments, namedPair(session, before, files.drop_front()));
    return true;
  }
  after.run(second, others, [](const Evaluated &) {});
  Pairs pairs = pairsOf(before, after);
  printAll(session, arguments, pairs);
  size_t most = std::max(before.results().size(), after.results().size());
  if (!arguments.has("json") && pairs.size() < most)
    session.out << most - pairs.size() << " results stand in one of the two alone\n";
  return true;
}
