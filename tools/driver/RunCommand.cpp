// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc run: evaluates what a file asks for, and prints or writes it.
#include "api/Emitted.h"
#include "api/LaterUse.h"
#include "api/OutputFile.h"
#include "api/Providers.h"
#include "api/RequestedFiles.h"
#include "api/RunDocument.h"
#include "frontend/import/timeloop/Templates.h"
#include "frontend/sema/ModelFormats.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/NumberOption.h"
#include "tools/driver/ProgramFile.h"
#include "tools/driver/Report.h"
#include "tools/driver/ToolOption.h"
#include "tools/driver/import/Format.h"
#include "tools/driver/import/LocateProblems.h"
#include "tools/driver/import/RunTraces.h"
#include "tools/driver/search/MappingFile.h"
#include "tools/driver/sweep/FrontTable.h"
#include "tools/driver/sweep/PointTable.h"
#include "tools/driver/sweep/SharedPrinting.h"
#include "tools/driver/sweep/SlurmScript.h"
#include "tools/driver/timeloop/Timeloop.h"
#include "tools/driver/validate/AgreementTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using namespace perfc::mapper;
using loopnest::SearchStrategy;

/// The searches of `evaluation` as text and as a file, as the options say.
static void finishSearches(Session &session, const Evaluation &evaluation, FileId file,
                           const Arguments &arguments) {
  if (arguments.has("mapping"))
    writeMappings(session, evaluation, file, arguments.value("mapping"));
  if (!arguments.has("stats") || arguments.has("json"))
    return;
  for (const Searched &entry : evaluation.searches())
    session.out << fmt::format(
        "{}: {} mappings evaluated in {:.3f} CPU seconds, {:.0f} per "
        "CPU second\n",
        entry.result->label, entry.summary.evaluated, entry.summary.cpuSeconds,
        double(entry.summary.evaluated) / std::max(1e-9, entry.summary.cpuSeconds));
}

/// The page that `--html` asks for.
static void writeReport(Session &session, const Evaluation &evaluation,
                        const Arguments &arguments) {
  if (!arguments.has("html"))
    return;
  emit::Input input{{}, nullptr, session.sources, &session.diagnostics, findingsJson(evaluation)};
  for (const emit::Result &result : evaluation.results())
    input.results.push_back(&result);
  if (session.diagnostics.hasErrors() && input.results.empty() && input.findings.isEmpty())
    return;
  writeEmitted(*emit::findEmitter("html"), input, arguments.value("html"), {});
}

using Which = RunOptions::Which;

/// The program: the file, or what files of another tool are as a program.
static FileId loadProgram(Session &session, const Arguments &arguments) {
  llvm::StringRef path = arguments.files().front();
  bool isModel = arguments.has("from") ? modelFormat(arguments.value("from")) != nullptr
                                       : modelFormatOf(path) != nullptr;
  if (arguments.has("on") || isModel)
    return loadModelProgram(session, path, arguments);
  if (arguments.has("with")) {
    session.diagnostics.report({}, diag::OptionNeeds, "with", "on");
    return 0;
  }
  if (!arguments.has("from"))
    return isModuleFile(path) ? session.load(path) : loadProgramFile(session, path);
  const ImportFormat *format = findImportFormat(session, arguments.value("from"));
  std::string text;
  if (!format || !readForeign(session, *format, arguments.files(), arguments, text))
    return 0;
  return session.sources.add((path + " as a program").str(), std::move(text));
}

/// Shows what is wrong with the program of `file` in the files that it was made of.
static void locateProblems(Session &session, const Arguments &arguments, FileId file) {
  std::vector<FileId> inputs;
  for (const std::string &path : arguments.files()) {
    FileId expanded = session.sources.find(timeloop::expandedPath(path));
    if (FileId input = expanded ? expanded : session.sources.find(path))
      inputs.push_back(input);
  }
  if (!inputs.empty())
    locateProblems(session, arguments.value("from"), inputs, file);
}

/// How to search and to sweep; false when an option has no meaning (reported).
static bool applyOptions(Session &session, const Arguments &arguments, RunOptions &options) {
  size_t errors = session.diagnostics.errorCount();
  if (arguments.value("mode") == "maestro")
    options.provider = "maestro";
  options.servesAsVidur = arguments.value("mode") == "vidur";
  options.sweep.database = arguments.value("db").str();
  if (arguments.has("shard") && !readShard(arguments.value("shard"), options.sweep)) {
    session.diagnostics.report({}, diag::BadOptionValue, "--shard", arguments.value("shard"));
    return false;
  }
  if (auto threads = wholeOption(session, arguments, "threads", 1))
    options.search.threads = static_cast<unsigned>(std::min(*threads, 1024.0));
  if (auto seed = wholeOption(session, arguments, "seed", 0))
    options.search.seed = static_cast<uint64_t>(*seed);
  options.search.within = numberOption(session, arguments, "within", 0);
  if (auto evaluations = wholeOption(session, arguments, "evaluations", 1))
    options.search.mostEvaluations = static_cast<int64_t>(*evaluations);
  llvm::StringRef strategy = arguments.value("strategy");
  options.search.strategy = strategy == "exhaustive" ? SearchStrategy::Exhaustive
                            : strategy == "random"   ? SearchStrategy::Random
                                                     : SearchStrategy::Bound;
  return session.diagnostics.errorCount() == errors;
}

/// Options that say what a `replay` runs on.
static constexpr llvm::StringLiteral clusterOptions[] = {
    "network", "system", "groups", "memory", "backend", "num-queues-per-dim", "injection-scale"};

static bool runStatements(Session &session, const Arguments &arguments, Which which) {
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgram(session, arguments);
  if (!readDefines(arguments, session.diagnostics, defines) || !file)
    return true;
  loopnest::CountVerifier verifier;
  RunOptions options;
  options.which = which;
  options.verifier = arguments.has("verify") ? &verifier : nullptr;
  if (!applyOptions(session, arguments, options))
    return true;
  astra::Cluster cluster;
  bool isOnCluster =
      llvm::any_of(clusterOptions, [&](llvm::StringRef option) { return arguments.has(option); });
  if (isOnCluster) {
    if (!readCluster(session, arguments, "run", cluster))
      return true;
    options.replayOn = &cluster;
  }
  llvm::Optional<PointSharing> sharing;
  if (Ranks *ranks = which == Which::Sweeps ? Ranks::world() : nullptr) {
    sharing.emplace(*ranks, session.diagnostics);
    options.sharing = &*sharing;
    session.printAsToFile(arguments);
  }
  bool asJson = arguments.has("json");
  bool readsAll = llvm::any_of(
      std::initializer_list<llvm::StringRef>{"json", "html", "mapping", "stats", "tool"},
      [&](llvm::StringRef option) { return arguments.has(option); });
  if (!readsAll && !sharing)
    options.isNeededLater = laterUse(session.sources.text(file), /*writesFiles=*/true);
  if (!asJson && !session.isQuiet())
    options.onKept = [&](llvm::ArrayRef<StoredRow> rows) {
      printKept(session.out, rows, session.tableWidth(), session.colorOut);
    };
  options.keepWith = [&](const Evaluation &run, const Evaluated &evaluated,
                         llvm::ArrayRef<StoredRow *> rows) {
    keepLines(rows, pointTable(evaluated, run, session.sources));
  };
  ProviderSet providers = defaultProviders(options.verifier);
  llvm::Optional<Tool> tool;
  if (arguments.has("tool")) {
    tool = chosenTool(session, arguments);
    if (!tool)
      return true;
    askTool(*tool, options);
  }
  Evaluation evaluation(session.context(), providers, options);
  Report report(session, evaluation);
  RunDocument document(evaluation, arguments.has("stats"));
  RequestedFiles files(session.context(), evaluation, asJson);
  llvm::Optional<SharedPrinting> shared;
  if (sharing)
    shared.emplace(session, evaluation, *sharing, asJson ? &document : nullptr);
  auto listener = [&](const Evaluated &evaluated) {
    Progress::Pause pause(session.progress);
    if (shared)
      shared->print(evaluated);
    else if (!asJson)
      report.print(evaluated);
    files.write(evaluated);
  };
  if (arguments.has("from") || !isModuleFile(arguments.files().front()))
    evaluation.run(file, defines, listener);
  else if (defines.empty())
    evaluation.runModules(file, listener);
  else
    session.diagnostics.report({file, 0, 0}, diag::UnknownDefine, defines.front().first)
        .note("the values of parameters are in the module");
  files.finish();
  if (sharing)
    sharing->leave();
  if (sharing && !sharing->handsOut()) {
    session.diagnostics.truncate(0); // the first process reports them
    return true;
  }
  if (arguments.has("from"))
    locateProblems(session, arguments, file);
  llvm::StringRef path = session.sources.path(file);
  evaluation.checkAsked(file);
  if (tool)
    checkToolAsked(session, *tool, evaluation);
  if (asJson)
    document.print(session.out, path);
  else if (!session.isQuiet()) {
    SweepFindings findings = evaluation.sweepFindings();
    printLeftOut(session.out, findings.leftOut());
    printFronts(session.out, findings.fronts(), session.tableWidth(), session.colorOut);
    for (const PredictedTable &table : evaluation.tables())
      printAgreement(session, table.path, table.rows);
  }
  finishSearches(session, evaluation, file, arguments);
  writeReport(session, evaluation, arguments);
  return true;
}

/// The value of an option that only some words can have; false when it is another one (reported).
static bool checkChoice(Session &session, const Arguments &arguments, llvm::StringRef option,
                        llvm::ArrayRef<llvm::StringRef> words) {
  if (!arguments.has(option) || llvm::is_contained(words, arguments.value(option)))
    return true;
  session.diagnostics
      .report({}, diag::BadOptionValue, "--" + option.str(), arguments.value(option).str())
      .help("it is one of " + llvm::join(words, ", "));
  return false;
}

/// Writes the job array that `--slurm` asks for.
static void writeSlurmScript(Session &session, const Arguments &arguments) {
  auto tasks = wholeOption(session, arguments, "tasks", 1);
  if (!tasks || *tasks > 1e6 || arguments.value("db").empty()) {
    session.diagnostics.report({}, diag::BadOptionValue, "--slurm", arguments.value("slurm"))
        .help("a job array needs --db FILE and --tasks N");
    return;
  }
  std::vector<std::string> options;
  for (llvm::StringRef define : arguments.values("D"))
    options.push_back("-D" + define.str());
  size_t errors = session.diagnostics.errorCount();
  wholeOption(session, arguments, "threads", 1);
  if (session.diagnostics.errorCount() != errors)
    return;
  if (arguments.has("threads"))
    options.push_back("--threads=" + arguments.value("threads").str());
  writeOutput(arguments.value("slurm"),
              slurmScript(arguments.files().front(), arguments.value("db"),
                          static_cast<unsigned>(*tasks), options),
              {}, session.diagnostics);
}

/// Only what other tools read may be in several files; false after a report.
static bool checkFileCount(Session &session, const Arguments &arguments, llvm::StringRef command) {
  if (arguments.files().size() == 1 ||
      (arguments.has("from") && arguments.value("from") != "chakra"))
    return true;
  session.diagnostics.report({}, diag::WrongArgumentCount, command.str(), "one FILE")
      .note("inputs of other tools may be in several: --from timeloop");
  return false;
}

/// Only native counts are counted again; false after a report.
static bool checkVerify(Session &session, const Arguments &arguments) {
  bool isNative = !arguments.has("mode") || arguments.value("mode") == "native";
  if (!arguments.has("verify") || (isNative && arguments.value("from") != "chakra"))
    return true;
  session.diagnostics.report({}, diag::NotSupportedYet, "`--verify` of another tool's figures")
      .help("it counts nests again that perfc has counted by its own rules");
  return false;
}

/// Reports are of programs; false after a report.
static bool checkHtml(Session &session, const Arguments &arguments) {
  bool isOther = arguments.value("from") == "chakra" || arguments.value("mode") == "timeloop";
  if (!arguments.has("html") || !isOther)
    return true;
  session.diagnostics.report({}, diag::NotSupportedYet, "`--html` of another tool's figures")
      .help("`perfc import` makes a program of the files");
  return false;
}

/// A tool is asked of programs instead of perfc's own counts; false after a report.
static bool checkTool(Session &session, const Arguments &arguments) {
  std::vector<llvm::StringRef> others = {"verify"};
  if (arguments.value("mode", "native") != "native")
    others.push_back("mode");
  if (arguments.value("from") == "chakra")
    others.push_back("from");
  return checkToolOptions(session, arguments, others);
}

/// `--workload` names the file and what it is; nothing after a report.
static llvm::Optional<Arguments> withWorkload(Session &session, const Arguments &given) {
  Arguments arguments = given;
  if (!given.has("workload")) {
    if (given.files().empty())
      session.diagnostics
          .report({}, diag::WrongArgumentCount, "run", findCommand("run")->usage.str())
          .help("for example: " + findCommand("run")->example.str());
    return given.files().empty() ? llvm::None : llvm::Optional<Arguments>(arguments);
  }
  for (llvm::StringRef option : {"from", "mode"})
    if (given.has(option)) {
      session.diagnostics.report({}, diag::OptionsExclude, "workload", option)
          .note("a list of layers is a file of its own format");
      return llvm::None;
    }
  arguments.addFile(given.value("workload"));
  arguments.addOption("from", "layers");
  return arguments;
}

bool driver::runFile(Session &session, const Arguments &given) {
  llvm::Optional<Arguments> chosen = withWorkload(session, given);
  if (!chosen)
    return true;
  const Arguments &arguments = *chosen;
  std::vector<llvm::StringRef> formats;
  for (const ImportFormat &format : importFormats())
    formats.push_back(format.name);
  if (!checkChoice(session, arguments, "from", formats) ||
      !checkChoice(session, arguments, "mode",
                   {"native", "astra_sim", "maestro", "timeloop", "vidur"}) ||
      !checkChoice(session, arguments, "strategy", {"bound", "exhaustive"}) ||
      !checkFileCount(session, arguments, "run"))
    return true;
  if (!checkVerify(session, arguments) || !checkHtml(session, arguments) ||
      !checkTool(session, arguments))
    return true;
  if (arguments.value("from") == "chakra")
    return runTraces(session, arguments);
  if (arguments.value("mode") == "astra_sim" && !arguments.has("network")) {
    session.diagnostics
        .report({}, diag::NotSupportedYet, "`--mode astra_sim` without `--from chakra`")
        .help("`replay` runs a trace of the file so; --network and --system say on which cluster");
    return true;
  }
  bool isTimeloop = arguments.value("from") == "timeloop";
  llvm::StringRef other = isTimeloop ? "maestro" : "timeloop"; // for programs and other files
  if (arguments.has("from") && arguments.value("mode") == other) {
    session.diagnostics.report({}, diag::BadOptionValue, "--mode", other.str())
        .note("the file is of another tool");
    return true;
  }
  if (arguments.value("mode") == "timeloop")
    return isTimeloop ? runTimeloop(session, arguments) : runNestsAsTimeloop(session, arguments);
  return runStatements(session, arguments, Which::All);
}

bool driver::searchFile(Session &session, const Arguments &arguments) {
  if (!checkChoice(session, arguments, "from", {"timeloop"}) ||
      !checkChoice(session, arguments, "mode", {"timeloop"}) ||
      !checkChoice(session, arguments, "strategy", {"bound", "exhaustive", "random"}) ||
      !checkFileCount(session, arguments, "search") || !checkHtml(session, arguments))
    return true;
  if (arguments.has("from") && arguments.has("strategy")) {
    session.diagnostics
        .report({}, diag::BadOptionValue, "--strategy", arguments.value("strategy").str())
        .note("a Timeloop input is searched in one way");
    return true;
  }
  if (arguments.has("from"))
    return searchTimeloop(session, arguments);
  auto refuse = [&](llvm::StringRef option, const char *why) {
    if (arguments.has(option))
      session.diagnostics
          .report({}, diag::BadOptionValue, "--" + option.str(), arguments.value(option).str())
          .note(why);
    return arguments.has(option);
  };
  for (llvm::StringRef option : {"mode", "minimize"})
    if (refuse(option, "it is for --from timeloop; a program says what to search itself"))
      return true;
  if (arguments.value("strategy", "bound") == "bound" &&
      refuse("evaluations", "it is for --strategy exhaustive or random, and for --from timeloop"))
    return true;
  return runStatements(session, arguments, Which::Searches);
}

bool driver::sweepFile(Session &session, const Arguments &arguments) {
  if (arguments.has("slurm")) {
    writeSlurmScript(session, arguments);
    return true;
  }
  return runStatements(session, arguments, Which::Sweeps);
}
