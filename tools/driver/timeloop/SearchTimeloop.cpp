// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/OutputFile.h"
#include "backends/emit/Timeloop.h"
#include "backends/loopnest/timeloop/search/Search.h"
#include "frontend/import/timeloop/ReadConstraints.h"
#include "frontend/import/timeloop/ReadInput.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/NumberOption.h"
#include "tools/driver/timeloop/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

namespace {
struct GoalText {
  timeloop::Goal goal;
  llvm::StringLiteral word, unit;
};
} // namespace

static constexpr GoalText goals[] = {{timeloop::Goal::Edp, "edp", "pJ * cycles"},
                                     {timeloop::Goal::Energy, "energy", "pJ"},
                                     {timeloop::Goal::Latency, "latency", "cycles"}};

static const GoalText &goalText(timeloop::Goal goal) {
  return *llvm::find_if(goals, [&](const GoalText &each) { return each.goal == goal; });
}

/// False after a report. A search here is one thread, whatever number is asked for.
static bool readOptions(Session &session, const Arguments &arguments,
                        timeloop::SearchOptions &options) {
  llvm::StringRef asked = arguments.value("minimize", goalText(options.goal).word);
  const auto *goal = llvm::find_if(goals, [&](const GoalText &each) { return each.word == asked; });
  if (goal == std::end(goals)) {
    session.diagnostics.report({}, diag::BadOptionValue, "--minimize", asked.str())
        .help("it is one of edp, energy, latency");
    return false;
  }
  options.goal = goal->goal;
  wholeOption(session, arguments, "threads", 1);
  if (auto evaluations = wholeOption(session, arguments, "evaluations", 1))
    options.evaluations = static_cast<int64_t>(*evaluations);
  if (auto seed = wholeOption(session, arguments, "seed", 0))
    options.seed = static_cast<uint64_t>(*seed);
  options.within = numberOption(session, arguments, "within", 0);
  return !session.diagnostics.hasErrors();
}

/// Without energies the goal is cycles, unless `isGiven`.
static llvm::Optional<timeloop::SearchResult> searchDocument(Session &session,
                                                             const yaml::Document &document,
                                                             bool isGiven,
                                                             timeloop::SearchOptions &options) {
  timeloop::ReadOptions reading;
  reading.needsMapping = false;
  llvm::Optional<timeloop::Input> input =
      timeloop::readInput(document, session.diagnostics, reading);
  if (!input)
    return llvm::None;
  llvm::Optional<timeloop::Constraints> constraints =
      timeloop::readConstraints(document, *input, session.diagnostics);
  if (!constraints)
    return llvm::None;
  if (!isGiven && input->compute.energies.empty())
    options.goal = timeloop::Goal::Latency;
  return timeloop::search(*input, *constraints, options, session.diagnostics);
}

bool driver::searchTimeloop(Session &session, const Arguments &arguments) {
  std::unique_ptr<yaml::Document> document = loadTimeloop(session, arguments.files());
  return !document || searchTimeloop(session, arguments, *document);
}

bool driver::searchTimeloop(Session &session, const Arguments &arguments,
                            const yaml::Document &document) {
  timeloop::SearchOptions options;
  if (!readOptions(session, arguments, options))
    return true;
  llvm::Optional<timeloop::SearchResult> found =
      searchDocument(session, document, arguments.has("minimize"), options);
  if (!found)
    return true;
  if (arguments.has("mapping")) {
    std::string text;
    llvm::raw_string_ostream os(text);
    emit::writeTimeloopInput(found->best, os);
    if (!writeOutput(arguments.value("mapping"), os.str(), {}, session.diagnostics))
      return true;
  }
  if (arguments.has("json")) {
    emit::Json json = timeloopJson(found->best, found->result);
    json.set("file", session.sources.path(document.file()))
        .set("search", emit::Json::object()
                           .set("minimize", goalText(options.goal).word)
                           .set("value", found->value)
                           .set("evaluated", found->evaluated)
                           .set("estimated", found->estimated));
    json.print(session.out);
    session.out << '\n';
  } else if (!session.isQuiet()) {
    session.out << fmt::format("best found of {} mappings evaluated, {} estimated, among "
                               "perfect factors: {:.6g} {}\n",
                               found->evaluated, found->estimated, found->value,
                               goalText(options.goal).unit.data());
    printTimeloop(session, found->best, found->result);
  }
  return true;
}
