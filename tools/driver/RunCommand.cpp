// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc run: evaluates what a file asks for, and prints or writes it.
#include "backends/emit/Emit.h"
#include "tools/driver/Command.h"
#include "tools/driver/OutputFile.h"
#include "tools/driver/Providers.h"
#include "tools/driver/Report.h"
#include "tools/driver/timeloop/Timeloop.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

/// Writes the file that an `emit` statement asks for; formats of later versions are reported.
static void writeRequested(Session &session, const Evaluation &evaluation,
                           const Evaluated &evaluated, study::EmitOp request) {
  const emit::Emitter *emitter = emit::findEmitter(request.format());
  if (!emitter) {
    session.diagnostics.report(request->range(), diag::NotSupportedYet,
                               "emit " + request.format().str());
    return;
  }
  emit::Input input{evaluated.results, &evaluated.module, session.sources, &session.diagnostics};
  llvm::StringRef from = request->stringAttr("from");
  if (!from.empty()) {
    const emit::Result *named = evaluation.find(from);
    if (!named) {
      session.diagnostics.report(request->range(), diag::UnknownResult, from.str());
      return;
    }
    input.results = {named};
  } else if (input.results.empty()) {
    for (const emit::Result &result : evaluation.results())
      input.results.push_back(&result);
  }
  if (request.path().endswith("/") && emitter->files) {
    for (const emit::NamedText &one : emitter->files(input))
      writeOutput((request.path() + one.name).str(), one.text, request->range(),
                  session.diagnostics);
    return;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  emitter->write(input, stream);
  writeOutput(request.path(), stream.str(), request->range(), session.diagnostics);
}

static void writeAllRequested(Session &session, const Evaluation &evaluation,
                              const Evaluated &evaluated) {
  if (auto request = ir::as<study::EmitOp>(evaluated.op))
    return writeRequested(session, evaluation, evaluated, request);
  if (evaluated.op.regionCount() == 0)
    return;
  for (const ir::Operation &op : evaluated.op.body())
    if (auto request = ir::as<study::EmitOp>(op))
      writeRequested(session, evaluation, evaluated, request);
}

/// Everything as one document (docs/output.md).
static void printJson(Session &session, const Evaluation &evaluation, llvm::StringRef path) {
  emit::Json results = emit::Json::array(), expectations = emit::Json::array(),
             unsupported = emit::Json::array();
  for (const emit::Result &result : evaluation.results())
    results.push(emit::resultJson(result, session.sources));
  for (const emit::Expectation &expectation : evaluation.expectations())
    expectations.push(emit::expectationJson(expectation, session.sources));
  for (const Diagnostic &diagnostic : session.diagnostics.all())
    if (diagnostic.kind->code == diag::NotSupportedYet.code)
      unsupported.push(emit::Json::object()
                           .set("message", diagnostic.message)
                           .set("place", emit::placeJson(diagnostic.range, session.sources)));
  emit::Json::object()
      .set("schema", 1)
      .set("file", path)
      .set("results", std::move(results))
      .set("expectations", std::move(expectations))
      .set("unsupported", std::move(unsupported))
      .print(session.out);
  session.out << '\n';
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

bool driver::runFile(Session &session, const Arguments &arguments) {
  if (!checkChoice(session, arguments, "from", {"timeloop"}) ||
      !checkChoice(session, arguments, "mode", {"native", "timeloop"}))
    return true;
  if (arguments.has("from"))
    return runTimeloop(session, arguments);
  if (arguments.value("mode") == "timeloop")
    return runNestsAsTimeloop(session, arguments);
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = session.load(arguments.files().front());
  if (!readDefines(arguments, session.diagnostics, defines) || !file)
    return true;
  Evaluation evaluation(session, defaultProviders());
  Report report(session, evaluation);
  bool asJson = arguments.has("json");
  evaluation.run(file, defines, [&](const Evaluated &evaluated) {
    if (!asJson)
      report.print(evaluated);
    writeAllRequested(session, evaluation, evaluated);
  });
  if (asJson)
    printJson(session, evaluation, session.sources.path(file));
  return true;
}
