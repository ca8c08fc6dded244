// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"
#include "api/OutputFile.h"
#include "api/Providers.h"
#include "api/RunDocument.h"
#include "api/fit/Calibration.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/validate/AgreementTable.h"
#include "tools/driver/validate/Kind.h"
#include "tools/driver/validate/TableFile.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static const TableKind *findKind(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(tableKinds(), [&](const TableKind &kind) { return kind.name == name; });
  return found == tableKinds().end() ? nullptr : found;
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

/// Each group's rows as a fit to all others foretells them.
static void leaveOut(Session &session, const Arguments &arguments, const TableFile &table) {
  std::string label = arguments.value("leave-out").str();
  unsigned threads = threadsOf(session, arguments);
  if (threads == 0)
    return;
  FitRows fitted(session.context(), table.file, table.defines, threads);
  if (session.diagnostics.hasErrors())
    return;
  Calibration calibration(fitted);
  if (fitted.fits().empty()) {
    session.diagnostics.report({}, diag::NoSuchStatement, "calibrate", arguments.files()[0]);
    return;
  }
  if (!calibration.check(session.diagnostics, label))
    return;
  std::vector<ValidationRow> rows = calibration.leaveOut(label);
  llvm::StringRef name =
      table.kind.empty() ? llvm::StringRef(arguments.files()[0]) : llvm::StringRef(table.kind);
  if (arguments.has("json"))
    printJson(session, withAgreement(emit::Json::object()
                                         .set("schema", 1)
                                         .set(table.kind.empty() ? "file" : "kind", name)
                                         .set("left_out", label),
                                     rows));
  else if (!session.isQuiet())
    printAgreement(session, fmt::format("{} left out by {}", name.str(), label), rows);
  writeRows(session, arguments, rows);
}

/// The tables of a program, which says itself how their rows are predicted.
static void validateProgram(Session &session, const Arguments &arguments) {
  auto program = loadTableFile(session, arguments);
  if (!program)
    return;
  if (arguments.has("leave-out"))
    return leaveOut(session, arguments, *program);
  llvm::StringRef path = arguments.files()[0], kind = program->kind;
  RunOptions options;
  options.which = RunOptions::Which::Tables;
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(session.context(), providers, options);
  evaluation.run(program->file, program->defines, [](const Evaluated &) {});
  if (evaluation.tables().empty()) {
    if (!session.diagnostics.hasErrors())
      session.diagnostics.report({}, diag::NoSuchStatement, "validate", path);
    return;
  }
  std::vector<ValidationRow> rows;
  for (const PredictedTable &table : evaluation.tables()) {
    if (!arguments.has("json") && !session.isQuiet())
      printAgreement(session, kind.empty() ? llvm::StringRef(table.path) : kind, table.rows);
    llvm::append_range(rows, table.rows);
  }
  writeRows(session, arguments, rows);
  if (!arguments.has("json"))
    return;
  emit::Json document = emit::Json::object().set("schema", 1);
  if (kind.empty())
    document.set("file", path).set("tables", tablesJson(evaluation.tables()));
  else
    document = withAgreement(std::move(document.set("kind", kind)), rows);
  printJson(session, document);
}

bool driver::validateTable(Session &session, const Arguments &arguments) {
  llvm::StringRef name = arguments.files()[0];
  bool isFile = name.endswith(".perf");
  if (!isFile && arguments.files().size() == 1) {
    session.diagnostics.report({}, diag::WrongArgumentCount, "validate", "KIND PATH [options]");
    return true;
  }
  if (isTableProgram(arguments)) {
    validateProgram(session, arguments);
    return true;
  }
  const TableKind *kind = findKind(name);
  if (!kind) {
    reportUnknownKind(session, name);
    return true;
  }
  if (arguments.has("leave-out")) {
    session.diagnostics.report({}, diag::NoSuchStatement, "calibrate", name);
    return true;
  }
  std::vector<ValidationRow> rows;
  if (!kind->predict(session, arguments.files()[1], rows))
    return true;
  writeRows(session, arguments, rows);
  if (arguments.has("json"))
    printJson(session,
              withAgreement(emit::Json::object().set("schema", 1).set("kind", kind->name), rows));
  else if (!session.isQuiet())
    printAgreement(session, kind->name, rows);
  return true;
}
