// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/OutputFile.h"
#include "api/fit/FamilyText.h"
#include "api/fit/FitText.h"
#include "frontend/build/Compilation.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/study/AllOps.h"
#include "tools/driver/Command.h"
#include "tools/driver/FamilyReport.h"
#include "tools/driver/NumberOption.h"
#include "tools/driver/validate/AgreementTable.h"
#include "tools/driver/validate/TableFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static std::string titleOf(const Fit &fit) {
  return "calibrate" + (fit.name.empty() ? "" : " " + fit.name);
}

/// The constants of a fit beside what is written in the program.
static void printFindings(Session &session, const FitRows &rows, const FitFindings &findings) {
  session.out << titleOf(*findings.fit) << ": " << counted(findings.rows, "row") << '\n';
  Table table({{"constant", Align::Left}, {"written"}, {"fitted"}, {"+-"}, {"note", Align::Left}});
  for (const FitFindings::Constant &found : findings.constants) {
    const FitConstant &constant = *rows.constants()[found.index];
    std::string width = constant.text(found.halfWidth, 2);
    if (found.isLog && found.value != 0)
      width = fmt::format("{:.2g} %", 100 * found.halfWidth / found.value);
    std::string note = found.isUnknown ? "no row says anything about it"
                       : found.isHeld  ? "at its bound"
                                       : "";
    bool isSaid = !found.isUnknown && !found.isHeld;
    table.addRow({constant.path, constant.text(constant.written, 4), constant.text(found.value, 4),
                  isSaid ? width : "-", note});
  }
  table.print(session.out, session.tableWidth(), session.colorOut);
}

static emit::Json findingsJson(const FitRows &rows, const FitFindings &findings) {
  emit::Json constants = emit::Json::array();
  for (const FitFindings::Constant &found : findings.constants) {
    const FitConstant &constant = *rows.constants()[found.index];
    constants.push(emit::Json::object()
                       .set("name", constant.path)
                       .set("written", constant.written)
                       .set("value", found.value)
                       .set("half_width", found.halfWidth)
                       .set("unit", constant.dimension.unitText())
                       .set("text", constant.text(found.value, 3))
                       .set("written_text", constant.text(constant.written, 3))
                       .set("held", found.isHeld)
                       .set("unknown", found.isUnknown));
  }
  emit::Json covariance = emit::Json::array();
  for (double value : findings.covariance)
    covariance.push(value);
  return emit::Json::object()
      .set("name", findings.fit->name)
      .set("rows", findings.rows)
      .set("objective", findings.objective)
      .set("constants", std::move(constants))
      .set("covariance", std::move(covariance));
}

namespace {

/// What the command says, as text or as a document.
class CalibrateReport {
public:
  CalibrateReport(Session &session, const Arguments &arguments)
      : session(session), isJson(arguments.has("json")), document(emit::Json::object()) {
    document.set("schema", 1);
  }

  void findings(const FitRows &rows, llvm::ArrayRef<FitFindings> all) {
    emit::Json fits = emit::Json::array();
    for (const FitFindings &each : all) {
      if (!isJson && !session.isQuiet())
        printFindings(session, rows, each);
      fits.push(findingsJson(rows, each));
    }
    document.set("fits", std::move(fits));
  }
  void agreement(llvm::StringRef key, llvm::StringRef title, llvm::ArrayRef<ValidationRow> rows) {
    if (!isJson && !session.isQuiet())
      printAgreement(session, title, rows);
    document.set(key, withAgreement(emit::Json::object(), rows));
  }
  void family(const FamilyFit &fit, size_t shots) {
    std::vector<PredictedDevices> predicted;
    const std::vector<std::string> &labels = fit.fit().leaveOut;
    for (size_t count = labels.size(); count > 0; --count) {
      llvm::ArrayRef<std::string> some = llvm::makeArrayRef(labels).take_front(count);
      last = fit.leaveOut(some, shots);
      predicted.push_back({fit.fit().name, llvm::join(some, ", "), shots, fit.statistics(last)});
    }
    Family whole = fit.all();
    if (!isJson && !session.isQuiet()) {
      printFamily(session, fit, whole);
      printPredicted(session, predicted);
    }
    hasFamilies = true;
    programs += (programs.empty() ? "" : "\n") + familyProgram(fit, whole, fit.fit().name);
    families.push(emit::Json::object()
                      .set("name", fit.fit().name)
                      .set("predicted", predictedJson(predicted)));
  }
  std::vector<ValidationRow> last; ///< that were predicted
  std::string programs;            ///< of families
  void finish() {
    if (!isJson)
      return;
    if (hasFamilies)
      document.set("families", std::move(families));
    document.print(session.out);
    session.out << '\n';
  }

private:
  Session &session;
  bool isJson, hasFamilies = false;
  emit::Json document, families = emit::Json::array();
};

} // namespace

/// The labels that the fits leave out, each once.
static std::vector<std::string> leftOutLabels(llvm::ArrayRef<Fit> fits) {
  std::vector<std::string> labels;
  for (const Fit &fit : fits)
    for (const std::string &label : fit.leaveOut)
      if (!llvm::is_contained(labels, label))
        labels.push_back(label);
  return labels;
}

/// Fits to families: what is found of them, and how they predict devices that were left out, also
/// together with groups by further labels.
static bool calibrateFamilies(Session &session, const Arguments &arguments, FitRows &rows,
                              size_t shots, CalibrateReport &report) {
  unsigned threads = threadsOf(session, arguments);
  constexpr size_t usualShots = 10;
  for (const Fit &fit : rows.fits()) {
    if (!fit.family)
      continue;
    FamilyFit family;
    if (!family.read(rows, fit, session.diagnostics, threads))
      return false;
    report.family(family, shots > 0 ? shots : usualShots);
  }
  return true;
}

/// Fits constants, and predicts what no fit has seen: the rows beside the shots, else each group
/// that is left out.
static std::vector<FitFindings> calibrateConstants(const FitRows &rows, Calibration &calibration,
                                                   llvm::ArrayRef<std::string> labels, size_t shots,
                                                   CalibrateReport &report) {
  std::vector<bool> isShot(rows.rows().size(), shots == 0);
  if (shots > 0)
    isShot = calibration.shots(labels.empty() ? "" : labels.front(), shots);
  ConstantValues values;
  std::vector<FitFindings> findings =
      calibration.fit([&](size_t row) { return isShot[row]; }, values);
  report.findings(rows, findings);
  std::vector<size_t> known, others;
  for (size_t i = 0; i < isShot.size(); ++i)
    if (isPredicted(rows.rows()[i]))
      (isShot[i] ? known : others).push_back(i);
  report.last = calibration.predicted(values, known, {});
  report.agreement("fitted", "fitted", report.last);
  if (shots > 0) {
    report.last = calibration.predicted(values, others, findings);
    report.agreement("others", fmt::format("beside {} of each", counted(shots, "row")),
                     report.last);
    return findings;
  }
  for (const std::string &label : labels) {
    report.last = calibration.leaveOut(label);
    report.agreement("left_out_" + label, "left out by " + label, report.last);
  }
  return findings;
}

/// What the fits of the file find, and their programs.
static void calibrate(Session &session, const Arguments &arguments, FitRows &rows, size_t shots,
                      llvm::StringRef root) {
  Calibration calibration(rows);
  std::vector<std::string> labels = leftOutLabels(rows.fits());
  if (!calibration.check(session.diagnostics, labels))
    return;
  CalibrateReport report(session, arguments);
  if (!calibrateFamilies(session, arguments, rows, shots, report))
    return;
  bool haveConstants =
      llvm::any_of(rows.fits(), [](const Fit &fit) { return !fit.family.hasValue(); });
  std::string text = report.programs;
  if (haveConstants) {
    std::vector<FitFindings> findings =
        calibrateConstants(rows, calibration, labels, shots, report);
    text += (text.empty() ? "" : "\n") + fittedProgram(rows, findings, root, session.sources);
  }
  report.finish();
  if (arguments.has("rows"))
    writeOutput(arguments.value("rows"), rowsCsv(report.last), {}, session.diagnostics);
  if (arguments.has("output"))
    writeOutput(arguments.value("output"), text, {}, session.diagnostics);
}

/// Fits the chips of the file that have tables of their own; false where there are none.
static bool calibrateChips(Session &session, const Arguments &arguments, const TableFile &table,
                           size_t next) {
  Compilation program(session.sources, session.diagnostics, allOps());
  if (!program.load(table.file, table.defines))
    return true;
  std::string text;
  std::vector<CalibratedChip> chips = calibratedChips(program, session.sources);
  for (const CalibratedChip &chip : chips) {
    ChipFit fit;
    if (!fit.fit(session.context(), table.file, table.defines, chip, threadsOf(session, arguments)))
      return true;
    if (!session.isQuiet())
      printChip(session, chip.label, fit, next);
    text += fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", chip.import,
                        fit.program(chip.label + "_fitted", chip.base));
  }
  if (arguments.has("output") && !chips.empty())
    writeOutput(arguments.value("output"), text, {}, session.diagnostics);
  return !chips.empty();
}

bool driver::calibrateFile(Session &session, const Arguments &arguments) {
  if (!isTableProgram(arguments)) {
    reportUnknownKind(session, arguments.files()[0]);
    return true;
  }
  unsigned threads = threadsOf(session, arguments);
  auto shots = arguments.has("shots") ? wholeOption(session, arguments, "shots", 1)
                                      : llvm::Optional<double>(0);
  auto next = arguments.has("next") ? wholeOption(session, arguments, "next", 1)
                                    : llvm::Optional<double>(0);
  auto table = loadTableFile(session, arguments);
  if (!table || !shots || !next || threads == 0)
    return true;
  FitRows rows(session.context(), table->file, table->defines, threads);
  if (session.diagnostics.hasErrors())
    return true;
  if (rows.fits().empty() && calibrateChips(session, arguments, *table, static_cast<size_t>(*next)))
    return true;
  if (rows.fits().empty())
    session.diagnostics.report({}, diag::NoSuchStatement, "calibrate", arguments.files()[0]);
  else
    calibrate(session, arguments, rows, static_cast<size_t>(*shots), arguments.files()[0]);
  return true;
}
