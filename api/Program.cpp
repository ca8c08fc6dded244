// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/perfc/Program.h"

#include "api/CheckStatements.h"
#include "api/Evaluation.h"
#include "api/LaterUse.h"
#include "api/ModuleFile.h"
#include "api/PlaceQuery.h"
#include "api/Providers.h"
#include "api/Reports.h"
#include "api/RequestedFiles.h"
#include "api/RunDocument.h"
#include "api/TypedResult.h"
#include "frontend/syntax/Parser.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/core/Printer.h"
#include "ir/study/AllOps.h"
#include "passes/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;

namespace {

/// Tells a sink what a run is at.
class SinkWatcher : public api::Watcher {
public:
  void at(llvm::StringRef what) override {
    if (sink)
      sink->at(what.str());
  }
  void count(Level level, int64_t done, int64_t total) override {
    if (sink)
      sink->count(level == Level::Sweep, done, total);
  }
  void best(Level level, std::string text) override {
    if (sink)
      sink->best(level == Level::Sweep, text);
  }

  api::Sink *sink = nullptr;
};

} // namespace

api::Sink::~Sink() = default;
void api::Sink::result(Result) {}
void api::Sink::table(Table) {}
void api::Sink::at(const std::string &) {}
void api::Sink::count(bool, int64_t, int64_t) {}
void api::Sink::best(bool, const std::string &) {}

struct api::Program::State {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  FileId file = 0;
  std::unique_ptr<Compilation>
      compilation;         ///< null for a text of the IR and where nothing was read
  size_t loadProblems = 0; ///< diagnostics of the load
  ProviderSet providers = defaultProviders();
  SinkWatcher watcher;

  api::Context context() { return {sources, diagnostics, watcher}; }
  bool run(Evaluation &evaluation, bool writesFiles, const Evaluation::Listener &each);
};

api::Program::Program(std::unique_ptr<State> state) : state(std::move(state)) {}
api::Program::Program(Program &&) noexcept = default;
api::Program &api::Program::operator=(Program &&) noexcept = default;
api::Program::~Program() = default;

api::Program api::Program::checked(std::unique_ptr<State> state, const Defines &defines) {
  if (llvm::StringRef(state->sources.path(state->file)).endswith(".ir")) {
    Modules modules = readModules(state->file, state->sources, state->diagnostics);
    haveStatements(modules, state->file, state->diagnostics);
  } else {
    state->compilation =
        std::make_unique<Compilation>(state->sources, state->diagnostics, allOps());
    if (state->compilation->load(state->file, defines) || state->compilation->canRun())
      state->compilation->check();
  }
  state->loadProblems = state->diagnostics.all().size();
  return Program(std::move(state));
}

api::Program api::Program::load(std::string text, const std::string &name, const Defines &defines) {
  auto state = std::make_unique<State>();
  state->file = state->sources.add(name, std::move(text));
  return checked(std::move(state), defines);
}

api::Program api::Program::loadFile(const std::string &path, const Defines &defines) {
  auto state = std::make_unique<State>();
  state->file = loadOrReport(state->sources, path, state->diagnostics);
  if (state->file)
    return checked(std::move(state), defines);
  state->loadProblems = 1;
  return Program(std::move(state));
}

bool api::Program::check() {
  state->diagnostics.truncate(state->loadProblems);
  if (state->compilation)
    checkStatements(*state->compilation, state->diagnostics);
  return isGood();
}

std::vector<api::Problem> api::Program::problems() const {
  std::vector<Problem> problems;
  for (const Diagnostic &diagnostic : state->diagnostics.all())
    problems.push_back(typedProblem(diagnostic, state->sources));
  return problems;
}

std::string api::Program::problemsText() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printDiagnostics(stream, state->diagnostics, /*color=*/false);
  return stream.str();
}

std::string api::Program::problemsJson() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printDiagnosticsJson(stream, state->diagnostics);
  return stream.str();
}

bool api::Program::isGood() const { return !state->diagnostics.hasErrors(); }

std::vector<api::Parameter> api::Program::parameters() {
  std::vector<Parameter> parameters;
  if (state->compilation)
    for (const Decl *decl : state->compilation->rootModule().decls)
      if (decl->kind == DeclKind::Param)
        parameters.push_back(typedParameter(*state->compilation, *decl, state->sources));
  return parameters;
}

bool api::Program::set(std::string_view parameter, double value) {
  state->diagnostics.truncate(state->loadProblems);
  return state->compilation &&
         state->compilation->setParameter({parameter.data(), parameter.size()}, value);
}

bool api::Program::set(std::string_view parameter, const std::string &value) {
  state->diagnostics.truncate(state->loadProblems);
  return state->compilation &&
         state->compilation->setParameter({parameter.data(), parameter.size()}, value);
}

bool api::Program::reset(std::string_view parameter) {
  return state->compilation &&
         state->compilation->resetParameter({parameter.data(), parameter.size()});
}

static api::RunOptions optionsOf(const api::RunSettings &settings) {
  api::RunOptions options;
  options.search.threads = settings.threads;
  options.search.seed = settings.seed;
  using Which = api::RunOptions::Which;
  options.which = settings.which == api::Statements::Searches ? Which::Searches
                  : settings.which == api::Statements::Sweeps ? Which::Sweeps
                                                              : Which::All;
  if (settings.within)
    options.search.within = *settings.within;
  return options;
}

/// Runs the statements of what is loaded, and lets `each` see what is found.
bool api::Program::State::run(Evaluation &evaluation, bool writesFiles,
                              const Evaluation::Listener &each) {
  diagnostics.truncate(loadProblems);
  if (compilation ? !compilation->canRun() : diagnostics.hasErrors())
    return false;
  size_t errors = diagnostics.errorCount();
  RequestedFiles files(evaluation.context, evaluation, /*printsJson=*/false);
  auto listener = [&](const Evaluated &evaluated) {
    each(evaluated);
    if (writesFiles)
      files.write(evaluated);
  };
  if (compilation)
    evaluation.run(*compilation, listener);
  else
    evaluation.runModules(file, listener);
  if (writesFiles)
    files.finish();
  evaluation.checkAsked(file);
  return diagnostics.errorCount() == errors;
}

bool api::Program::run(Sink &sink, const RunSettings &settings) {
  state->watcher.begin();
  state->watcher.sink = &sink;
  RunOptions options = optionsOf(settings);
  options.isNeededLater =
      laterUse(state->file ? state->sources.text(state->file) : "", settings.writesFiles);
  Evaluation evaluation(state->context(), state->providers, std::move(options));
  bool good = state->run(evaluation, settings.writesFiles, [&](const Evaluated &evaluated) {
    if (!evaluated.op.hasAttr("of")) // else they were told of before
      for (const emit::Result *result : evaluated.results) {
        Result typed =
            typedResult(*result, evaluated.op.name(), evaluation.searchOf(*result), state->sources);
        for (const ReportTable &table : blockTables(evaluation, evaluated, *result))
          typed.tables.push_back(typedTable(table));
        sink.result(std::move(typed));
      }
    for (const ReportTable &table : evaluated.tables)
      sink.table(typedTable(table));
  });
  state->watcher.sink = nullptr;
  return good;
}

std::string api::Program::runJson(const RunSettings &settings) {
  state->watcher.begin();
  Evaluation evaluation(state->context(), state->providers, optionsOf(settings));
  state->run(evaluation, settings.writesFiles, [](const Evaluated &) {});
  std::string text;
  llvm::raw_string_ostream stream(text);
  RunDocument(evaluation, /*withStats=*/false)
      .print(stream, state->file ? state->sources.path(state->file) : "");
  return stream.str();
}

void api::Program::cancel() { state->watcher.cancel(); }

std::optional<std::string> api::Program::format() const {
  if (!state->compilation)
    return std::nullopt;
  DiagnosticEngine scratch(state->sources); // of what the load has reported
  llvm::Optional<std::string> text = formatFile(state->sources, state->file, scratch);
  return text ? std::optional<std::string>(std::move(*text)) : std::nullopt;
}

std::optional<std::string> api::Program::ir(std::string_view level) {
  llvm::StringRef name(level.data(), level.size());
  state->diagnostics.truncate(state->loadProblems);
  llvm::Optional<passes::Pipeline> pipeline = passes::pipelineTo(name);
  if (!pipeline) {
    state->diagnostics.report({}, diag::UnknownLevel, name.str())
        .help("it is one of " + llvm::join(passes::levelNames(), ", "));
    return std::nullopt;
  }
  if (!state->compilation)
    return std::nullopt;
  auto text = printModules(*state->compilation, *pipeline, nullptr, state->diagnostics);
  return text ? std::optional<std::string>(std::move(*text)) : std::nullopt;
}

std::optional<api::Answer> api::Program::at(unsigned line, unsigned column) {
  if (!state->compilation || line == 0 || column == 0)
    return std::nullopt;
  return answerAt(*state->compilation, state->sources,
                  state->sources.offset(state->file, {line, column}));
}

const char *api::version() { return PERFC_VERSION; }
