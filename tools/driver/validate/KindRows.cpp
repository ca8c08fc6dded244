// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/KindRows.h"

#include "api/Evaluation.h"
#include "api/Providers.h"
#include "api/fit/Calibration.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

const TableKind *driver::findKind(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(tableKinds(), [&](const TableKind &kind) { return kind.name == name; });
  return found == tableKinds().end() ? nullptr : found;
}

/// Rows with none of the metrics that families predict.
static std::vector<ValidationRow> ofNoFamily(FitRows &fitted) {
  auto isPredicted = [&](const Prediction &prediction) {
    return llvm::any_of(fitted.fits(),
                        [&](const Fit &fit) { return fit.family && isFitted(prediction, fit); });
  };
  std::vector<size_t> numbers;
  for (const auto &row : llvm::enumerate(fitted.rows()))
    if (!row.value().isLeftOut && llvm::none_of(row.value().predictions, isPredicted))
      numbers.push_back(row.index());
  return numbers.empty() ? std::vector<ValidationRow>() : fitted.predictWith(nullptr, numbers);
}

std::vector<ValidationRow> PredictedRows::all() const {
  std::vector<ValidationRow> result = rows;
  llvm::append_range(result, ofNoFamily);
  return result;
}

llvm::Optional<PredictedRows> driver::predictFamilies(Session &session, const TableFile &table,
                                                      llvm::ArrayRef<std::string> labels,
                                                      size_t shots, unsigned threads) {
  if (!session.sources.text(table.file).contains("family")) // spares evaluating all rows
    return llvm::None;
  FitRows fitted(session.context(), table.file, table.defines, threads, FitRows::Wanted::Families);
  if (fitted.rows().empty() || session.diagnostics.hasErrors())
    return llvm::None;
  Calibration calibration(fitted);
  if (!calibration.check(session.diagnostics, labels))
    return llvm::None;
  PredictedRows result;
  for (const Fit &fit : fitted.fits()) {
    FamilyFit family;
    if (!fit.family || !family.read(fitted, fit, session.diagnostics, threads))
      continue;
    std::vector<ValidationRow> some = predictedBy(family, labels, shots, result.families);
    std::move(some.begin(), some.end(), std::back_inserter(result.rows));
  }
  result.ofNoFamily = ofNoFamily(fitted);
  llvm::copy_if(fitted.rows(), std::back_inserter(result.leftOut),
                [](const ValidationRow &row) { return row.isLeftOut; });
  return result;
}

bool driver::predictRows(Session &session, llvm::StringRef kind, llvm::StringRef path, size_t shots,
                         unsigned threads, std::vector<ValidationRow> &rows) {
  Arguments arguments;
  arguments.addFile(kind);
  arguments.addFile(path);
  if (!isTableProgram(arguments)) {
    const TableKind *found = findKind(kind);
    if (!found)
      reportUnknownKind(session, kind);
    return found && found->predict(session, path, rows);
  }
  auto program = loadTableFile(session, arguments);
  if (!program)
    return false;
  if (auto predicted = predictFamilies(session, *program, {}, shots, threads)) {
    rows = predicted->all();
    return true;
  }
  if (session.diagnostics.hasErrors())
    return false;
  RunOptions options;
  options.which = RunOptions::Which::Tables;
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(session.context(), providers, options);
  evaluation.run(program->file, program->defines, [](const Evaluated &) {});
  for (const PredictedTable &table : evaluation.tables())
    llvm::append_range(rows, table.rows);
  return !session.diagnostics.hasErrors();
}

llvm::Optional<std::vector<ValidationRow>> driver::leaveOutRows(Session &session,
                                                                const TableFile &table,
                                                                llvm::StringRef label,
                                                                unsigned threads) {
  FitRows fitted(session.context(), table.file, table.defines, threads);
  if (session.diagnostics.hasErrors())
    return llvm::None;
  Calibration calibration(fitted);
  if (fitted.fits().empty()) {
    session.diagnostics.report({}, diag::NoSuchStatement, "calibrate",
                               table.kind.empty() ? session.sources.path(table.file)
                                                  : llvm::StringRef(table.kind));
    return llvm::None;
  }
  if (!calibration.check(session.diagnostics, label.str()))
    return llvm::None;
  return calibration.leaveOut(label);
}
