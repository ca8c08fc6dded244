// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"
#include "api/Library.h"
#include "api/OutputFile.h"
#include "api/Providers.h"
#include "api/RunDocument.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"
#include "tools/driver/validate/AgreementTable.h"
#include "tools/driver/validate/Kind.h"
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

static void reportUnknownKind(Session &session, llvm::StringRef name) {
  std::vector<std::string> names;
  for (const auto &[kind, summary] : tableKindTerms())
    names.push_back(kind);
  session.diagnostics.report({}, diag::UnknownTableKind, name.str())
      .help("it is one of " + llvm::join(names, ", "));
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

/// A string of the language.
static std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char each : text) {
    if (llvm::StringRef("\\\"{").contains(each))
      result += '\\';
    result += each;
  }
  return result + '"';
}

/// The tables of a program, which says itself how their rows are predicted: a file, or one of the
/// library by the name `kind`. A second argument of the command is its parameter `table`.
static void validateProgram(Session &session, const Arguments &arguments, FileId file,
                            llvm::StringRef kind) {
  std::vector<std::pair<std::string, std::string>> defines;
  llvm::StringRef path = arguments.files()[0];
  if (!readDefines(arguments, session.diagnostics, defines) || !file)
    return;
  if (arguments.files().size() > 1)
    defines.emplace_back("table", quoted(arguments.files()[1]));
  RunOptions options;
  options.which = RunOptions::Which::Tables;
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(session.context(), providers, options);
  evaluation.run(file, defines, [](const Evaluated &) {});
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
  if (isFile) {
    validateProgram(session, arguments, loadProgramFile(session, name), "");
    return true;
  }
  if (arguments.files().size() == 1) {
    session.diagnostics.report({}, diag::WrongArgumentCount, "validate", "KIND PATH [options]");
    return true;
  }
  const TableKind *kind = findKind(name);
  if (!kind) {
    bool isKnown = llvm::any_of(tablePrograms(),
                                [&](const TableProgram &program) { return program.name == name; });
    if (isKnown)
      validateProgram(
          session, arguments,
          loadLibraryFile(fmt::format("std/validate/{}.perf", name.str()), session.sources), name);
    else
      reportUnknownKind(session, name);
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
