// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"
#include "api/OutputFile.h"
#include "api/Providers.h"
#include "api/RunDocument.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/common/diagnostics/Training.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"
#include "tools/driver/validate/AgreementTable.h"
#include "tools/driver/validate/Kind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static const TableKind *findKind(Session &session, llvm::StringRef name) {
  std::vector<llvm::StringRef> names;
  for (const TableKind &kind : tableKinds()) {
    if (kind.name == name)
      return &kind;
    names.push_back(kind.name);
  }
  session.diagnostics.report({}, diag::UnknownTableKind, name.str())
      .help("it is one of " + llvm::join(names, ", "));
  return nullptr;
}

/// False, reported, where an option for tables of training runs is given for others.
static bool allowsOptions(Session &session, const Arguments &arguments, llvm::StringRef what,
                          bool isTraining) {
  for (const char *name : {"runtimes", "half"})
    if (arguments.has(name) && !isTraining) {
      session.diagnostics.report(
          {}, diag::BadTrainTableOption,
          fmt::format("`--{}` is for tables of training runs, not for `{}`", name, what));
      return false;
    }
  return true;
}

/// What the options say about tables of training runs; nothing after a report.
static llvm::Optional<TrainOptions> trainOptions(Session &session, const Arguments &arguments,
                                                 const TableKind &kind) {
  TrainOptions options;
  if (!allowsOptions(session, arguments, kind.name, kind.predictTraining != nullptr))
    return llvm::None;
  options.half = arguments.value("half").str();
  if (!options.half.empty() && options.half != "fit" && options.half != "test") {
    session.diagnostics.report({}, diag::BadTrainTableOption,
                               fmt::format("`--half` is fit or test, not `{}`", options.half));
    return llvm::None;
  }
  if (arguments.has("runtimes")) {
    FileId file = session.load(arguments.value("runtimes"));
    if (!file)
      return llvm::None;
    options.runtimes = session.sources.text(file).str();
  }
  return options;
}

static void writeRows(Session &session, const Arguments &arguments,
                      llvm::ArrayRef<ValidationRow> rows) {
  if (arguments.has("rows"))
    writeOutput(arguments.value("rows"), rowsCsv(rows), {}, session.diagnostics);
}

static void printJson(Session &session, const emit::Json &document) {
  document.print(session.out);
  session.out << '\n';
}

/// The tables of a program, which say themselves how their rows are predicted.
static void validateProgram(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  llvm::StringRef path = arguments.files()[0];
  FileId file = loadProgramFile(session, path);
  if (!allowsOptions(session, arguments, path, false) ||
      !readDefines(arguments, session.diagnostics, defines) || !file)
    return;
  RunOptions options;
  options.which = RunOptions::Which::Tables;
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(session.context(), providers, options);
  evaluation.run(file, defines, [](const Evaluated &) {});
  if (evaluation.tables().empty() && !session.diagnostics.hasErrors())
    session.diagnostics.report({}, diag::NoSuchStatement, "validate", path);
  std::vector<ValidationRow> rows;
  for (const PredictedTable &table : evaluation.tables()) {
    if (!arguments.has("json") && !session.isQuiet())
      printAgreement(session, table.path, table.rows);
    llvm::append_range(rows, table.rows);
  }
  writeRows(session, arguments, rows);
  if (arguments.has("json"))
    printJson(session, emit::Json::object()
                           .set("schema", 1)
                           .set("file", path)
                           .set("tables", tablesJson(evaluation.tables())));
}

bool driver::validateTable(Session &session, const Arguments &arguments) {
  if (arguments.files().size() == 1) {
    if (llvm::StringRef(arguments.files()[0]).endswith(".perf"))
      validateProgram(session, arguments);
    else
      session.diagnostics.report({}, diag::WrongArgumentCount, "validate", "KIND PATH [options]");
    return true;
  }
  const TableKind *kind = findKind(session, arguments.files()[0]);
  auto options = kind ? trainOptions(session, arguments, *kind) : llvm::None;
  std::vector<ValidationRow> rows;
  if (!options)
    return true;
  llvm::StringRef path = arguments.files()[1];
  bool isRead = kind->predictTraining ? kind->predictTraining(session, path, *options, rows)
                                      : kind->predict(session, path, rows);
  if (!isRead)
    return true;
  writeRows(session, arguments, rows);
  if (arguments.has("json"))
    printJson(session,
              withAgreement(emit::Json::object().set("schema", 1).set("kind", kind->name), rows));
  else if (!session.isQuiet())
    printAgreement(session, kind->name, rows);
  return true;
}
