// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc compare: what makes the results of two programs, of two settings of one, or two results of
// one differ, with the cause of each difference.
#include "api/Comparison.h"
#include "api/Evaluation.h"
#include "api/Providers.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "tools/driver/ComparisonText.h"
#include "tools/driver/ProgramFile.h"
#include "tools/driver/ToolOption.h"
#include <fmt/format.h>
#include <set>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

using Pairs = std::vector<std::pair<const emit::Result *, const emit::Result *>>;

using ResultList = std::vector<const emit::Result *>;

/// All of them, or those of the statement that begins there.
static ResultList listOf(const Evaluation &evaluation,
                         llvm::Optional<uint32_t> begin = llvm::None) {
  ResultList list;
  for (const emit::Result &result : evaluation.results())
    if (!begin || result.place.begin == *begin)
      list.push_back(&result);
  return list;
}

/// Adds those of `after` for which `areSame` holds to the first of `before`, each once.
static void addMatches(const ResultList &before, ResultList after, Pairs &pairs,
                       bool (*areSame)(const emit::Result &, const emit::Result &)) {
  for (const emit::Result *one : before) {
    auto found = llvm::find_if(
        after, [&](const emit::Result *each) { return each && areSame(*one, *each); });
    if (found == after.end())
      continue;
    pairs.emplace_back(one, *found);
    *found = nullptr;
  }
}

static bool haveOneName(const emit::Result &a, const emit::Result &b) {
  return a.name == b.name && emit::pointText(a) == emit::pointText(b);
}

/// The same row and point of a statement in two runs of a program with the same parameters.
static bool areOneQuestion(const emit::Result &a, const emit::Result &b) {
  return a.place.begin == b.place.begin && a.label == b.label &&
         emit::pointText(a) == emit::pointText(b);
}

/// In their order, or by name and point where one has more.
static void addPairs(const ResultList &before, const ResultList &after, Pairs &pairs) {
  if (before.size() != after.size())
    return addMatches(before, after, pairs, haveOneName);
  for (size_t i = 0; i < before.size(); ++i)
    pairs.emplace_back(before[i], after[i]);
}

/// The results that are compared; of one program, statement by statement.
static Pairs pairsOf(const Evaluation &first, const Evaluation &second, bool isOneProgram) {
  Pairs pairs;
  if (!isOneProgram) {
    addPairs(listOf(first), listOf(second), pairs);
    return pairs;
  }
  std::set<uint32_t> statements; // by where they begin: a number counts those with results
  for (const emit::Result &result : first.results())
    statements.insert(result.place.begin);
  for (uint32_t begin : statements)
    addPairs(listOf(first, begin), listOf(second, begin), pairs);
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
          .help(name.find('=') == std::string::npos
                    ? "`evaluate … as name` gives a result a name"
                    : fmt::format("`-D NAME=VALUE --second {}` compares two settings", name));
    if (!named.empty())
      found.push_back(named.front());
  }
  if (found.size() != 2)
    return {};
  return {{found[0], found[1]}};
}

static void printAll(Session &session, const Arguments &arguments, const Pairs &pairs) {
  emit::Json list = emit::Json::array();
  for (const auto &[before, after] : pairs) {
    Comparison comparison = compare(*before, *after);
    if (arguments.has("json"))
      list.push(comparisonJson(comparison, session.sources));
    else
      printComparison(session, session.out, comparison);
  }
  if (!arguments.has("json"))
    return;
  emit::Json::object().set("schema", 1).set("comparisons", std::move(list)).print(session.out);
  session.out << '\n';
}

static void printUnpaired(Session &session, const Arguments &arguments, const Evaluation &before,
                          const Evaluation &after, const Pairs &pairs) {
  size_t left = before.results().size() + after.results().size() - 2 * pairs.size();
  if (!arguments.has("json") && left > 0)
    session.out << counted(static_cast<int64_t>(left), "result")
                << (left == 1 ? " stands" : " stand") << " in one of the two alone\n";
}

/// The results of a file beside those that a tool has of the same.
static void compareWithTool(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgramFile(session, arguments.files().front());
  auto tool = chosenTool(session, arguments);
  if (!file || !tool || !readDefines(arguments, session.diagnostics, defines))
    return;
  RunOptions options;
  if (tool->info->provider() == "loopnest") // of all kernels, as the tool's
    options.provider = "loopnest";
  ProviderSet providers = defaultProviders();
  auto ignore = [](const Evaluated &) {};
  Evaluation before(session.context(), providers, options);
  before.run(file, defines, ignore);
  askTool(*tool, options);
  options.asksModel = true;
  Evaluation after(session.context(), providers, options);
  after.run(file, defines, ignore);
  checkToolAsked(session, *tool, after);
  if (after.results().empty())
    return;
  Pairs pairs;
  addMatches(listOf(before), listOf(after), pairs, areOneQuestion);
  printAll(session, arguments, pairs);
  printUnpaired(session, arguments, before, after, pairs);
}

bool driver::compareFiles(Session &session, const Arguments &arguments) {
  llvm::ArrayRef<std::string> files = arguments.files();
  if (!checkToolOptions(session, arguments, {"second"}))
    return true;
  if (arguments.has("tool") && files.size() == 1) {
    compareWithTool(session, arguments);
    return true;
  }
  if (arguments.has("tool") ||
      (files.size() == 2 ? arguments.has("second")
                         : arguments.has("second") == (files.size() == 3))) {
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
  Pairs pairs = pairsOf(before, after, /*isOneProgram=*/first == second);
  printAll(session, arguments, pairs);
  printUnpaired(session, arguments, before, after, pairs);
  return true;
}
