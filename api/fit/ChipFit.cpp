// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/ChipFit.h"

#include "api/ReportAgain.h"
#include "api/fit/FamilyText.h"
#include "api/fit/FitText.h"
#include "api/fit/Unknowns.h"
#include "frontend/build/FileBeside.h"
#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;
using Eigen::VectorXd;

std::string api::baseOf(const Decl &decl, const SourceManager &sources) {
  for (const ast::Clause &clause : decl.item->clauses)
    if (clause.word == "from" && clause.args.size() == 1)
      return sources.text(clause.args[0].value->range).str();
  return "";
}

static CalibratedChip chipOf(const Decl &decl, const ast::Item &line, Compilation &program,
                             const SourceManager &sources) {
  CalibratedChip chip{decl.name.str(), line.args[0].value->text.str(), line.range,
                      baseOf(decl, sources), ""};
  const Module &root = program.rootModule();
  llvm::StringRef name = llvm::StringRef(chip.base).split('(').first;
  const Decl *base = name.empty() ? nullptr : program.program().lookup(root, name).decl;
  chip.base = base ? chip.base : decl.name.str();
  chip.import = importLine(base ? *base : decl, sources.path(root.file), sources);
  return chip;
}

std::vector<CalibratedChip> api::calibratedChips(Compilation &program,
                                                 const SourceManager &sources) {
  std::vector<CalibratedChip> chips;
  for (const Decl *decl : program.rootModule().decls) {
    if (decl->kind != DeclKind::Hardware || !decl->item->block)
      continue;
    for (const ast::Item *line : decl->item->block->items)
      if (line->word == "calibrate" && line->args.size() == 1 &&
          line->args[0].value->kind == ast::ExprKind::String)
        chips.push_back(chipOf(*decl, *line, program, sources));
  }
  return chips;
}

/// The program with a `validate` and a `calibrate` statement for the table; "" after a report.
static std::string withTable(Context context, FileId program, const CalibratedChip &chip,
                             FileId table) {
  auto csv = LocatedCsv::read(context.sources, table, context.diagnostics);
  if (!csv)
    return "";
  for (llvm::StringRef title : {"workload", "latency"})
    if (!csv->column(title)) {
      context.diagnostics.report(csv->titleRow().place, diag::BadCsv,
                                 fmt::format("`calibrate` needs a column `{}`", title.str()));
      return "";
    }
  std::string text = context.sources.text(program).str();
  text += fmt::format("\nvalidate _line in \"{}\" {{\n  name \"{{_line.workload}}\"\n", chip.table);
  for (const auto &row : llvm::enumerate(csv->rows())) {
    const CsvCell *workload = csv->find(row.value(), "workload");
    const CsvCell *runtime = csv->find(row.value(), "runtime");
    if (workload && !workload->text.empty())
      text += fmt::format(
          "  if _line.number == {} {{ evaluate {} on {} as _measured{} }}\n", row.index() + 1,
          workload->text, chip.label,
          runtime && !runtime->text.empty() ? fmt::format(" {{ runtime {} }}", runtime->text) : "");
  }
  text += fmt::format(
      "  against sum(_measured.latency) / 1ms = if _line.latency == \"\" then \"\" else "
      "named(\"{{_line.latency}}\") / 1ms as latency_ms by _chip = \"{0}\"\n}}\n"
      "calibrate _of_chip {{\n  only _chip = \"{0}\"\n  family _chip\n}}\n",
      chip.label);
  return text;
}

bool ChipFit::fit(Context context, FileId program, Compilation::Defines defines,
                  const CalibratedChip &ofChip, unsigned threads) {
  chip = ofChip;
  FileId table = loadBeside(context.sources, chip.place, chip.table, context.diagnostics);
  if (!table)
    return false;
  std::string text = withTable(context, program, chip, table);
  if (text.empty())
    return false;
  DiagnosticEngine own(context.sources);
  std::string path =
      fmt::format("{} with {} for {}", context.sources.path(program).str(), chip.table, chip.label);
  FileId known = context.sources.find(path);
  FileId file = known ? known : context.sources.add(path, text);
  Context inner{context.sources, own, context.watcher};
  rows = std::make_unique<FitRows>(inner, file, defines, threads, FitRows::Wanted::Chip);
  const Fit *fit = nullptr;
  for (const Fit &each : rows->fits())
    if (each.name == "_of_chip")
      fit = &each;
  bool good = fit && measured.read(*rows, *fit, own);
  for (size_t row : measured.unusable())
    own.report({table, 0, 0}, diag::BadCsv,
               fmt::format("`latency` of `{}` is 0", rows->rows()[row].name));
  good &= measured.unusable().empty();
  if (good && measured.devices().empty()) {
    own.report({table, 0, 0}, diag::NothingToFit);
    good = false;
  }
  for (const Diagnostic &each : own.all())
    if (!good || each.kind->severity == Severity::Error)
      reportAgain(context.diagnostics, each).note(chip.place, "for this `calibrate`");
  if (!good)
    return false;
  const Device &device = measured.devices().front();
  prior = measured.writtenPrior(device);
  posterior = devicePosterior(prior, device.measured(places(/*measured=*/true)));
  return true;
}

std::vector<size_t> ChipFit::places(bool ofMeasured) const {
  const Device &device = measured.devices().front();
  std::vector<size_t> all(ofMeasured ? device.rows.size() : device.open.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

ir::AttrDict ChipFit::layers(const ir::AttrDict &written) const {
  ir::AttrDict found = written;
  Eigen::MatrixXd loads = posterior.covariance.llt().matrixL();
  for (size_t k = 0; k < measured.figures().size(); ++k) {
    const LayerFigure &figure = measured.figures()[k];
    auto at = static_cast<Index>(k);
    double value = figure.figureOf(posterior.mode[at]);
    double sign = figure.logOf(2) > figure.logOf(1) ? 1 : -1;
    std::vector<Uncertain::Contribution> parts;
    for (Index i = 0; i <= at; ++i)
      parts.push_back({uncertaintySource(chip.label + " " + chip.table, static_cast<uint32_t>(i)),
                       sign * value * endOfInterval * loads(at, i)});
    found.set(figure.key, Quantity(Uncertain(value, parts), figure.dimension));
  }
  return found;
}

std::vector<ChipFit::Figure> ChipFit::figures() const {
  std::vector<Figure> all;
  for (size_t k = 0; k < measured.figures().size(); ++k) {
    const LayerFigure &figure = measured.figures()[k];
    auto at = static_cast<Index>(k);
    all.push_back({figure, figure.figureOf(prior.mean[at]), figure.figureOf(posterior.mode[at]),
                   std::exp(endOfInterval * std::sqrt(posterior.covariance(at, at)))});
  }
  return all;
}

std::vector<ValidationRow> ChipFit::predicted(const DevicePosterior &known,
                                              llvm::ArrayRef<size_t> wanted) const {
  const Device &device = measured.devices().front();
  PredictedLogs logs = predictedLogs(known, device.measured(wanted).amounts);
  std::vector<ValidationRow> all;
  for (size_t i = 0; i < wanted.size(); ++i) {
    all.push_back(rows->rows()[device.rows[wanted[i]].number]);
    auto at = static_cast<Index>(i);
    setPredicted(all.back(), measured.fit(), logs.logs[at], logs.variances[at] + prior.variance);
  }
  return all;
}

std::vector<ValidationRow> ChipFit::fitted() const { return predicted(posterior, places(true)); }

std::vector<ValidationRow> ChipFit::leftOut() const {
  const Device &device = measured.devices().front();
  std::vector<ValidationRow> all;
  for (size_t place : places(true)) {
    std::vector<size_t> others = places(true);
    llvm::erase_value(others, place);
    llvm::append_range(all, predicted(devicePosterior(prior, device.measured(others)), place));
  }
  return all;
}

std::vector<std::string> ChipFit::next(size_t count) const {
  const Device &device = measured.devices().front();
  Eigen::MatrixXd amounts(static_cast<Index>(device.open.size()), posterior.mode.size());
  for (size_t i = 0; i < device.open.size(); ++i)
    amounts.row(static_cast<Index>(i)) = device.open[i].amounts->transpose();
  DevicePrior now{posterior.mode, posterior.covariance, prior.variance};
  std::vector<std::string> names;
  for (size_t place : measurementsToMake(now, amounts, count))
    names.push_back(rows->rows()[device.open[place].number].name);
  return names;
}

std::string ChipFit::program(llvm::StringRef name, llvm::StringRef base) const {
  std::vector<Figure> all = figures();
  std::string text = fmt::format("hardware {} from {} {{\n", name.str(), base.str());
  auto textOf = [&](size_t k) {
    const Figure &figure = all[k];
    return fmt::format("{} +- {:.1f}%", figure.figure.text(figure.fitted, 5),
                       100 * std::log(figure.factor));
  };
  double width = 100 * endOfInterval * std::sqrt(prior.variance);
  return text +
         layersText(measured.figures(), 2, textOf, fmt::format("1 +- {:.2g}%", width),
                    measured.chip().flags) +
         "}\n";
}
