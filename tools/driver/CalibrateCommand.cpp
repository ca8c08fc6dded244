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
  if (!findings.constants.empty())
    table.print(session.out, session.tableWidth(), session.colorOut);
}

/// The intervals of a fit, and what they are from.
static void printIntervals(Session &session, const FitFindings &findings) {
  Table table({{"constant", Align::Left}, {"written"}, {"+-"}, {"rows"}, {"note", Align::Left}});
  for (const FitFindings::Interval &interval : findings.intervals) {
    bool isFound = interval.halfWidth > 0;
    table.addRow({interval.constant->path, interval.constant->text(interval.constant->written, 4),
                  isFound ? fmt::format("{:.3g} %", 100 * interval.halfWidth) : "-",
                  fmt::to_string(interval.rows),
                  isFound ? "" : "fewer than 9 rows that the fit has not seen"});
  }
  if (!findings.intervals.empty())
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
  emit::Json intervals = emit::Json::array();
  for (const FitFindings::Interval &interval : findings.intervals)
    intervals.push(emit::Json::object()
                       .set("name", interval.constant->path)
                       .set("half_width", interval.halfWidth)
                       .set("rows", interval.rows));
  return emit::Json::object()
      .set("name", findings.fit->name)
      .set("intervals", std::move(intervals))
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

  void constants(const FitRows &rows, llvm::ArrayRef<FitFindings> all) {
    for (const FitFindings &each : all)
      if (!isJson && !session.isQuiet())
        printFindings(session, rows, each);
  }
  /// All of them, with their intervals.
  void findings(const FitRows &rows, llvm::ArrayRef<FitFindings> all) {
    emit::Json fits = emit::Json::array();
    for (const FitFindings &each : all) {
      if (!isJson && !session.isQuiet())
        printIntervals(session, each);
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
    llvm::ArrayRef<std::string> labels = fit.fit().leaveOut;
    if (labels.size() > 1) // on devices that have run all else
      predictedBy(fit, labels.drop_front(), llvm::None, predicted);
    for (size_t count = labels.size(); count > 0; --count)
      last = predictedBy(fit, labels.take_front(count), shots, predicted);
    llvm::Optional<Family> whole = fit.all();
    if (!isJson && !session.isQuiet()) {
      printFamily(session, fit, whole);
      printPredicted(session, predicted);
      printSkipped(session, {last});
    }
    hasFamilies = true;
    if (whole)
      programs += (programs.empty() ? "" : "\n") + familyProgram(fit, *whole, fit.fit().name);
    families.push(emit::Json::object()
                      .set("name", fit.fit().name)
                      .set("figures", familyJson(fit, whole))
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

/// How many measurements of each group are known, where that is asked for.
using Shots = llvm::Optional<size_t>;

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
                              Shots shots, CalibrateReport &report) {
  unsigned threads = threadsOf(session, arguments);
  constexpr size_t usualShots = 10;
  for (const Fit &fit : rows.fits()) {
    if (!fit.family)
      continue;
    FamilyFit family;
    if (!family.read(rows, fit, session.diagnostics, threads))
      return false;
    report.family(family, shots.getValueOr(usualShots));
  }
  return true;
}

/// Fits constants, and predicts what no fit has seen: the rows beside the shots, else each group
/// that is left out.
static std::vector<FitFindings> calibrateConstants(const FitRows &rows, Calibration &calibration,
                                                   llvm::ArrayRef<std::string> labels, Shots shots,
                                                   CalibrateReport &report) {
  std::vector<bool> isShot(rows.rows().size(), true);
  if (shots)
    isShot = calibration.shots(labels.empty() ? "" : labels.front(), *shots);
  ConstantValues values;
  std::vector<FitFindings> findings =
      calibration.fit([&](size_t row) { return isShot[row]; }, values);
  report.constants(rows, findings);
  std::vector<size_t> known, others;
  for (size_t i = 0; i < isShot.size(); ++i)
    if (isPredicted(rows.rows()[i]))
      (isShot[i] ? known : others).push_back(i);
  std::vector<ValidationRow> fitted = calibration.predicted(values, known, {}), unseen;
  report.agreement("fitted", "fitted", fitted);
  report.last = fitted;
  if (shots) {
    report.last = unseen = calibration.predicted(values, others, findings);
    report.agreement("others", fmt::format("beside {} of each", counted(*shots, "row")),
                     report.last);
  }
  for (const std::string &label : shots ? llvm::ArrayRef<std::string>() : labels) {
    report.last = calibration.leaveOut(label);
    report.agreement("left_out_" + label, "left out by " + label, report.last);
    if (label == labels.front())
      unseen = report.last;
  }
  Calibration::findIntervals(findings, fitted, unseen);
  report.findings(rows, findings);
  return findings;
}

/// Writes what `--rows` and `-o` ask for.
static void writeFiles(Session &session, const Arguments &arguments,
                       llvm::ArrayRef<ValidationRow> rows, llvm::StringRef program) {
  if (arguments.has("rows"))
    writeOutput(arguments.value("rows"), rowsCsv(rows), {}, session.diagnostics);
  if (arguments.has("output"))
    writeOutput(arguments.value("output"), program, {}, session.diagnostics);
}

/// An option that nothing in the file has a use for.
static void reportUnused(Session &session, const Arguments &arguments, llvm::StringRef option,
                         llvm::StringRef why) {
  session.diagnostics.report({}, diag::BadOptionValue, "--" + option.str(), arguments.value(option))
      .help(why.str());
}

/// What the fits of the file find, and their programs.
static void calibrate(Session &session, const Arguments &arguments, FitRows &rows, Shots shots,
                      llvm::StringRef root) {
  Calibration calibration(rows, {/*isSmall=*/arguments.has("refine")});
  std::vector<std::string> labels = leftOutLabels(rows.fits());
  if (!calibration.check(session.diagnostics, {}))
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
  writeFiles(session, arguments, report.last, text);
}

/// Fits the chips of the file that have tables of their own; false where there are none.
static bool calibrateChips(Session &session, const Arguments &arguments, const TableFile &table,
                           size_t next) {
  Compilation program(session.sources, session.diagnostics, allOps());
  if (!program.load(table.file, table.defines))
    return true;
  std::vector<CalibratedChip> chips = calibratedChips(program, session.sources);
  if (chips.empty())
    return false;
  if (arguments.has("shots")) {
    reportUnused(session, arguments, "shots", "all measurements of a chip's table are known");
    return true;
  }
  std::string text;
  std::vector<ValidationRow> rows;
  emit::Json list = emit::Json::array();
  for (const CalibratedChip &chip : chips) {
    ChipFit fit;
    if (!fit.fit(session.context(), table.file, table.defines, chip, threadsOf(session, arguments)))
      return true;
    if (!arguments.has("json") && !session.isQuiet())
      printChip(session, chip.label, fit, next);
    list.push(chipJson(chip.label, fit, next));
    llvm::append_range(rows, fit.leftOut());
    text += fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", chip.import,
                        fit.program(chip.label + "_fitted", chip.base));
  }
  if (arguments.has("json")) {
    emit::Json::object().set("schema", 1).set("chips", std::move(list)).print(session.out);
    session.out << '\n';
  }
  writeFiles(session, arguments, rows, text);
  return true;
}

bool driver::calibrateFile(Session &session, const Arguments &arguments) {
  if (!isTableProgram(arguments)) {
    reportUnknownKind(session, arguments.files()[0]);
    return true;
  }
  unsigned threads = threadsOf(session, arguments);
  auto shots = wholeOption(session, arguments, "shots", 0);
  auto next = arguments.has("next") ? wholeOption(session, arguments, "next", 1)
                                    : llvm::Optional<double>(0);
  auto table = loadTableFile(session, arguments);
  if (!table || (arguments.has("shots") && !shots) || !next || threads == 0)
    return true;
  FitRows rows(session.context(), table->file, table->defines, threads);
  if (session.diagnostics.hasErrors())
    return true;
  if (rows.fits().empty() && calibrateChips(session, arguments, *table, static_cast<size_t>(*next)))
    return true;
  if (rows.fits().empty())
    session.diagnostics.report({}, diag::NoSuchStatement, "calibrate", arguments.files()[0]);
  else if (arguments.has("next"))
    reportUnused(session, arguments, "next", "it is for chips with a table of measurements");
  else
    calibrate(session, arguments, rows, shots ? Shots(*shots) : Shots(), arguments.files()[0]);
  return true;
}
