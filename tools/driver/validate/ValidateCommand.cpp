// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"
#include "api/OutputFile.h"
#include "api/Providers.h"
#include "api/RunDocument.h"
#include "api/fit/Calibration.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/FamilyReport.h"
#include "tools/driver/NumberOption.h"
#include "tools/driver/validate/AgreementTable.h"
#include "tools/driver/validate/Kind.h"
#include "tools/driver/validate/TableFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

/// Devices of families, as their chips and some measurements of each foretell the other rows: by
/// the program, or with a group left out by a family of all others. False where the program has no
/// families.
static bool validateFamilies(Session &session, const Arguments &arguments, const TableFile &table) {
  if (!session.sources.text(table.file).contains("family"))
    return false;
  unsigned threads = threadsOf(session, arguments);
  auto shots = arguments.has("shots") ? wholeOption(session, arguments, "shots", 0)
                                      : llvm::Optional<double>(0);
  if (threads == 0 || !shots)
    return true;
  FitRows fitted(session.context(), table.file, table.defines, threads, FitRows::Wanted::Families);
  if (fitted.rows().empty())
    return session.diagnostics.hasErrors();
  Calibration calibration(fitted);
  std::vector<std::string> labels;
  for (llvm::StringRef label : llvm::split(arguments.value("leave-out"), ","))
    if (!label.empty())
      labels.push_back(label.trim().str());
  if (!calibration.check(session.diagnostics, labels))
    return true;
  std::vector<ValidationRow> rows;
  std::vector<ForetoldDevices> foretold;
  auto count = static_cast<size_t>(*shots);
  for (const Fit &fit : fitted.fits()) {
    FamilyFit family;
    if (!fit.family || !family.read(fitted, fit, session.diagnostics, threads))
      continue;
    std::vector<ValidationRow> some =
        labels.empty() ? family.withShots(count) : family.leaveOut(labels, count);
    foretold.push_back({fit.name, llvm::join(labels, ", "), count, family.statistics(some)});
    std::move(some.begin(), some.end(), std::back_inserter(rows));
  }
  if (arguments.has("json"))
    printJson(session,
              withAgreement(emit::Json::object()
                                .set("schema", 1)
                                .set(table.kind.empty() ? "file" : "kind", arguments.files()[0])
                                .set("foretold", foretoldJson(foretold)),
                            rows));
  else if (!session.isQuiet())
    printForetold(session, foretold);
  writeRows(session, arguments, rows);
  return true;
}

/// The tables of a program, which says itself how their rows are predicted.
static void validateProgram(Session &session, const Arguments &arguments) {
  auto program = loadTableFile(session, arguments);
  if (!program)
    return;
  if (validateFamilies(session, arguments, *program))
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
