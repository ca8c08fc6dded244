// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/OutputFile.h"
#include "api/fit/FitText.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/NumberOption.h"
#include "tools/driver/validate/AgreementTable.h"
#include "tools/driver/validate/TableFile.h"
#include "llvm/ADT/STLExtras.h"

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
  void finish() {
    if (!isJson)
      return;
    document.print(session.out);
    session.out << '\n';
  }

private:
  Session &session;
  bool isJson;
  emit::Json document;
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

/// Fits, and foretells what no fit has seen: the rows beside the shots, else each group that is
/// left out.
static void calibrate(Session &session, const Arguments &arguments, FitRows &rows, size_t shots,
                      llvm::StringRef root) {
  Calibration calibration(rows);
  std::vector<std::string> labels = leftOutLabels(rows.fits());
  if (!calibration.check(session.diagnostics, labels))
    return;
  std::vector<bool> isShot(rows.rows().size(), shots == 0);
  if (shots > 0)
    isShot = calibration.shots(labels.empty() ? "" : labels.front(), shots);
  ConstantValues values;
  std::vector<FitFindings> findings =
      calibration.fit([&](size_t row) { return isShot[row]; }, values);
  CalibrateReport report(session, arguments);
  report.findings(rows, findings);
  std::vector<size_t> known, others;
  for (size_t i = 0; i < isShot.size(); ++i)
    if (isPredicted(rows.rows()[i]))
      (isShot[i] ? known : others).push_back(i);
  std::vector<ValidationRow> last = calibration.foretold(values, known, {});
  report.agreement("fitted", "fitted", last);
  if (shots > 0) {
    last = calibration.foretold(values, others, findings);
    report.agreement("others", fmt::format("beside {} of each", counted(shots, "row")), last);
  }
  for (const std::string &label : shots > 0 ? std::vector<std::string>() : labels) {
    last = calibration.leaveOut(label);
    report.agreement("left_out_" + label, "left out by " + label, last);
  }
  report.finish();
  if (arguments.has("rows"))
    writeOutput(arguments.value("rows"), rowsCsv(last), {}, session.diagnostics);
  if (arguments.has("output"))
    writeOutput(arguments.value("output"), fittedProgram(rows, findings, root, session.sources), {},
                session.diagnostics);
}

bool driver::calibrateFile(Session &session, const Arguments &arguments) {
  if (!isTableProgram(arguments)) {
    reportUnknownKind(session, arguments.files()[0]);
    return true;
  }
  unsigned threads = threadsOf(session, arguments);
  auto shots = arguments.has("shots") ? wholeOption(session, arguments, "shots", 1)
                                      : llvm::Optional<double>(0);
  auto table = loadTableFile(session, arguments);
  if (!table || !shots || threads == 0)
    return true;
  FitRows rows(session.context(), table->file, table->defines, threads);
  if (session.diagnostics.hasErrors())
    return true;
  if (rows.fits().empty())
    session.diagnostics.report({}, diag::NoSuchStatement, "calibrate", arguments.files()[0]);
  else
    calibrate(session, arguments, rows, static_cast<size_t>(*shots), arguments.files()[0]);
  return true;
}
