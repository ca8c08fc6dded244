// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a scorecard says of the command itself, and the card as text, document and page.
#include "api/Evaluation.h"
#include "api/Library.h"
#include "api/Providers.h"
#include "api/RunDocument.h"
#include "ir/common/diagnostics/Files.h"
#include "stdlib/Embedded.h"
#include "tools/driver/Command.h"
#include "tools/driver/validate/Card.h"
#include "tools/driver/validate/TableFile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

using Cell = CardPart::Cell;

CardPart driver::firstResultPart(Session &session, llvm::Optional<double> setup) {
  CardPart part{
      "first_result",
      "D4 time to the first result",
      "seconds on this machine: from a clone, without a cache of builds, to the results of the two "
      "examples of `./dev demo`, where `./dev accuracy --card` measured it; and with a compiler, "
      "from the text of the programs that `perfc new` writes to their results",
      {{"step", "step", true}, {"seconds", "seconds"}}};
  part.rows.push_back({"from a clone to the first results", setup ? Cell(*setup) : Cell()});
  for (const auto &[kind, summary] : starterTerms()) {
    auto begin = std::chrono::steady_clock::now();
    ProviderSet providers = defaultProviders();
    Evaluation evaluation(session.context(), providers);
    evaluation.run(session.sources.add(kind + ".perf", starterProgram(kind).str()), {},
                   [](const Evaluated &) {});
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    part.rows.push_back(
        {"perfc new --kind " + kind, evaluation.results().empty() ? Cell() : Cell(taken.count())});
  }
  return part;
}

/// What is a part of what it serves.
static constexpr DeclKind helpers[] = {DeclKind::Param, DeclKind::Let, DeclKind::Function};

namespace {

/// Declarations of the library of one kind.
struct Extension {
  size_t count = 0;
  std::set<std::string> files;
  std::vector<double> lines;
};

} // namespace

static double linesOf(const SourceManager &sources, SourceRange range) {
  llvm::StringRef text = sources.text(range.file).slice(range.begin, range.end);
  return static_cast<double>(text.count('\n') + 1);
}

CardPart driver::extensionPart(Session &session) {
  CardPart part{
      "extension",
      "D5 files per extension",
      "what the library has of each kind: the files of one of these (the mean), all that is "
      "written to add it, and its lines (the median)",
      {{"kind", "kind", true},
       {"declared", "in the library"},
       {"files", "in files"},
       {"files_each", "files each"},
       {"lines", "lines each"}}};
  Program program(session.sources, session.diagnostics);
  llvm::MapVector<llvm::StringRef, Extension> kinds;
  for (const EmbeddedFile &file : embeddedStdlib()) {
    const Module *module = program.loadLibrary(moduleName(file.path));
    if (!module)
      continue;
    for (const Decl *decl : program.declarations(*module)) {
      if (decl->isPrivate() || llvm::is_contained(helpers, decl->kind))
        continue;
      Extension &kind = kinds[declKindName(decl->kind)];
      ++kind.count;
      kind.files.insert(file.path.str());
      kind.lines.push_back(linesOf(session.sources, decl->item->range));
    }
  }
  for (const auto &[name, kind] : kinds) {
    auto count = static_cast<double>(kind.count), files = static_cast<double>(kind.files.size());
    part.rows.push_back({name.str(), count, files, files / count, *quantile(kind.lines, 0.5)});
  }
  return part;
}

//===-- The card ----------------------------------------------------------------------------===//

static std::string textOf(const Cell &cell) {
  if (const auto *text = std::get_if<std::string>(&cell))
    return *text;
  const double *number = std::get_if<double>(&cell);
  if (!number)
    return "-";
  return *number == std::floor(*number) && *number < 1e9 ? fmt::format("{:.0f}", *number)
                                                         : fmt::format("{:.3g}", *number);
}

static emit::Json jsonOf(const Cell &cell) {
  if (const auto *text = std::get_if<std::string>(&cell))
    return *text;
  const double *number = std::get_if<double>(&cell);
  return number ? emit::Json(*number) : emit::Json();
}

static void printText(Session &session, const CardPart &part) {
  std::vector<TableColumn> columns;
  for (const CardPart::Column &column : part.columns)
    columns.push_back({column.title.str(), column.isText ? Align::Left : Align::Right});
  Table table(std::move(columns));
  for (const auto &row : part.rows) {
    std::vector<std::string> cells;
    for (const Cell &cell : row)
      cells.push_back(textOf(cell));
    table.addRow(std::move(cells));
  }
  printTitle(session.out, part.title, "", session.colorOut);
  for (const std::string &line : wrapped(part.about, std::min(session.width, 100U)))
    session.out << "  " << line << '\n';
  table.print(session.out, session.tableWidth(), session.colorOut);
}

/// The rows as objects, by the keys of their columns.
static emit::Json documentOf(const CardPart &part) {
  emit::Json rows = emit::Json::array();
  for (const auto &row : part.rows) {
    emit::Json fields = emit::Json::object();
    for (size_t i = 0; i < row.size(); ++i)
      fields.set(part.columns[i].key, jsonOf(row[i]));
    rows.push(std::move(fields));
  }
  return rows;
}

/// What the page shows: a table with its titles.
static emit::Json pageOf(const CardPart &part) {
  emit::Json columns = emit::Json::array(), rows = emit::Json::array();
  for (const CardPart::Column &column : part.columns)
    columns.push(column.title);
  for (const auto &row : part.rows) {
    emit::Json cells = emit::Json::array();
    for (const Cell &cell : row)
      cells.push(textOf(cell));
    rows.push(std::move(cells));
  }
  return emit::Json::object()
      .set("title", part.title)
      .set("about", part.about)
      .set("columns", std::move(columns))
      .set("rows", std::move(rows));
}

/// The file that is given, else the one that is installed beside the command; "" for none.
static std::string cardFile(const Arguments &arguments) {
  if (!arguments.files().empty())
    return arguments.files()[0];
  static int inside;
  llvm::SmallString<128> path(
      llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable("perfc", &inside)));
  llvm::sys::path::append(path, "..", "share/perfc/tables", "card.csv");
  return llvm::sys::fs::exists(path) ? path.str().str() : "";
}

static llvm::Optional<double> secondsOf(Session &session, const Arguments &arguments) {
  double seconds = 0;
  llvm::StringRef text = arguments.value("setup");
  if (!arguments.has("setup"))
    return llvm::None;
  if (!text.getAsDouble(seconds) && seconds >= 0)
    return seconds;
  session.diagnostics.report({}, diag::BadOptionValue, "--setup", text)
      .help("give the seconds that were measured");
  return llvm::None;
}

void driver::printCard(Session &session, const Arguments &arguments) {
  std::string path = cardFile(arguments);
  unsigned threads = threadsOf(session, arguments);
  llvm::Optional<double> setup = secondsOf(session, arguments);
  if (path.empty())
    session.diagnostics.report({}, diag::WrongArgumentCount, "validate --card", "CARD.csv")
        .help("the tables of perfc are not installed here; those of its sources are in "
              "test/card.csv");
  CardTables tables;
  if (session.diagnostics.hasErrors() || threads == 0 || !tables.read(session, path, threads))
    return;
  std::vector<CardPart> parts = fidelityParts(tables);
  parts.push_back(compositionPart(tables));
  parts.push_back(transferPart(tables));
  parts.push_back(firstResultPart(session, setup));
  parts.push_back(extensionPart(session));
  emit::Json card = emit::Json::object(), page = emit::Json::array();
  for (const CardPart &part : parts) {
    card.set(part.key, documentOf(part));
    page.push(pageOf(part));
    if (!arguments.has("json") && !session.isQuiet())
      printText(session, part);
  }
  if (arguments.has("json")) {
    emit::Json::object().set("schema", 1).set("card", std::move(card)).print(session.out);
    session.out << '\n';
  }
  if (arguments.has("html"))
    writeTablesReport(tables.predicted(), arguments.value("html"), session.context(), "scorecard",
                      emit::Json::object().set("card", std::move(page)));
}
