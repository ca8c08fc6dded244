// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"
#include "api/OutputFile.h"
#include "api/Providers.h"
#include "api/RunDocument.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/NumberOption.h"
#include "tools/driver/validate/AgreementTable.h"
#include "tools/driver/validate/Card.h"
#include "tools/driver/validate/KindRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static void writeRows(Session &session, const Arguments &arguments,
                      llvm::ArrayRef<ValidationRow> rows) {
  if (arguments.has("rows"))
    writeOutput(arguments.value("rows"), rowsCsv(rows), {}, session.diagnostics);
}

/// The page that `--html` asks for.
static void writeReport(Session &session, const Arguments &arguments,
                        std::deque<PredictedTable> tables) {
  if (arguments.has("html"))
    writeTablesReport(tables, arguments.value("html"), session.context());
}

static void writeReport(Session &session, const Arguments &arguments, llvm::StringRef path,
                        llvm::ArrayRef<ValidationRow> rows) {
  writeReport(session, arguments, {{path.str(), {}, rows.vec()}});
}

static void printJson(Session &session, const emit::Json &document) {
  document.print(session.out);
  session.out << '\n';
}

/// What the document of `table` is of.
static emit::Json documentOf(const Arguments &arguments, const TableFile &table) {
  return emit::Json::object()
      .set("schema", 1)
      .set(table.kind.empty() ? "file" : "kind", arguments.files()[0]);
}

/// Each group's rows as a fit to all others predicts them.
static void leaveOut(Session &session, const Arguments &arguments, const TableFile &table) {
  std::string label = arguments.value("leave-out").str();
  unsigned threads = threadsOf(session, arguments);
  if (threads == 0)
    return;
  auto rows = leaveOutRows(session, table, label, threads);
  if (!rows)
    return;
  if (arguments.has("json"))
    printJson(session, withAgreement(documentOf(arguments, table).set("left_out", label), *rows));
  else if (!session.isQuiet())
    printAgreement(session, fmt::format("{} left out by {}", arguments.files()[0], label), *rows);
  writeRows(session, arguments, *rows);
  writeReport(session, arguments, arguments.files().back(), *rows);
}

static void reportNoFamilies(Session &session, const Arguments &arguments) {
  session.diagnostics.report({}, diag::BadOptionValue, "--shots", arguments.value("shots"))
      .help(fmt::format("measurements are of devices of a `family`, and {} has none",
                        arguments.files()[0]));
}

/// Devices of families; false where the program has none.
static bool validateFamilies(Session &session, const Arguments &arguments, const TableFile &table) {
  unsigned threads = threadsOf(session, arguments);
  auto shots = arguments.has("shots") ? wholeOption(session, arguments, "shots", 0)
                                      : llvm::Optional<double>(0);
  if (threads == 0 || !shots)
    return true;
  std::vector<std::string> labels;
  for (llvm::StringRef label : llvm::split(arguments.value("leave-out"), ","))
    if (!label.empty())
      labels.push_back(label.trim().str());
  auto predicted = predictFamilies(session, table, labels, static_cast<size_t>(*shots), threads);
  if (!predicted)
    return session.diagnostics.hasErrors();
  std::vector<ValidationRow> rows = predicted->all();
  if (arguments.has("json")) {
    printJson(session,
              withAgreement(
                  documentOf(arguments, table).set("predicted", predictedJson(predicted->families)),
                  rows));
  } else if (!session.isQuiet()) {
    printPredicted(session, predicted->families);
    printSkipped(session, {predicted->leftOut, rows});
    if (!predicted->ofNoFamily.empty())
      printAgreement(session, "of no family", predicted->ofNoFamily);
  }
  writeRows(session, arguments, rows);
  writeReport(session, arguments, arguments.files().back(), rows);
  return true;
}

/// The tables of a program, which says itself how their rows are predicted.
static void validateProgram(Session &session, const Arguments &arguments) {
  auto program = loadTableFile(session, arguments);
  if (!program)
    return;
  if (validateFamilies(session, arguments, *program))
    return;
  if (arguments.has("shots")) {
    reportNoFamilies(session, arguments);
    return;
  }
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
  writeReport(session, arguments, evaluation.tables());
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
  if (arguments.has("card")) {
    printCard(session, arguments);
    return true;
  }
  llvm::StringRef name = arguments.files().empty() ? "" : llvm::StringRef(arguments.files()[0]);
  bool isFile = name.endswith(".perf");
  if (!isFile && arguments.files().size() < 2) {
    session.diagnostics.report({}, diag::WrongArgumentCount, "validate",
                               name.empty()
                                   ? "FILE.perf [TABLE] | KIND TABLE | --card [CARD.csv] [options]"
                                   : "KIND PATH [options]");
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
  if (arguments.has("shots")) {
    reportNoFamilies(session, arguments);
    return true;
  }
  std::vector<ValidationRow> rows;
  if (!kind->predict(session, arguments.files()[1], rows))
    return true;
  writeRows(session, arguments, rows);
  writeReport(session, arguments, arguments.files()[1], rows);
  if (arguments.has("json"))
    printJson(session,
              withAgreement(emit::Json::object().set("schema", 1).set("kind", kind->name), rows));
  else if (!session.isQuiet())
    printAgreement(session, kind->name, rows);
  return true;
}
