// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/FamilyText.h"

#include "api/fit/Unknowns.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;

std::string api::layersText(llvm::ArrayRef<LayerFigure> figures, size_t indent,
                            llvm::function_ref<std::string(size_t)> textOf,
                            llvm::StringRef measured, llvm::ArrayRef<std::string> flags) {
  std::string blanks(indent, ' '), text = blanks + "layers {\n", open;
  auto close = [&] {
    if (!open.empty())
      text += blanks + "  }\n";
    open.clear();
  };
  for (size_t k = 0; k < figures.size(); ++k) {
    auto [word, format] = llvm::StringRef(figures[k].key).split('.');
    if (word != open)
      close();
    if (format.empty()) {
      text += fmt::format("{}  {} {}\n", blanks, word.str(), textOf(k));
      continue;
    }
    if (open.empty())
      text += fmt::format("{}  {} {{\n", blanks, word.str());
    open = word.str();
    text += fmt::format("{}    {} {}\n", blanks, format.str(), textOf(k));
  }
  close();
  for (const std::string &flag : flags)
    text += fmt::format("{}  {}\n", blanks, flag);
  return text + fmt::format("{0}  measured {1}\n{0}}}\n", blanks, measured.str());
}

/// " + 0.5 * name", nothing for what is very small.
static std::string term(double factor, llvm::StringRef name) {
  if (std::fabs(factor) < 5e-4)
    return "";
  return fmt::format(" {} {:.3f} * {}", factor < 0 ? '-' : '+', std::fabs(factor), name.str());
}

/// What z = 0 stands for, as the program writes it.
static const char *unitOf(const LayerFigure &figure) {
  if (figure.dimension == Dimension(BaseUnit::Second))
    return "1ms";
  return figure.dimension == Dimension() / BaseUnit::Second ? "2GFLOP/s" : "4GB/s";
}

/// `let NAME_works = [("resnet18", (…)), …]`: multiply-accumulates, bytes or kernels.
static std::string worksText(const DeviceRows &measured, const LearntWorks &works,
                             llvm::StringRef name) {
  std::string order, text;
  for (const LayerFigure &figure : measured.figures())
    order += (order.empty() ? "" : ", ") + figure.key;
  for (const auto &[work, known] : works.all()) {
    std::string counts;
    for (size_t k = 0; k < measured.figures().size(); ++k)
      counts += fmt::format("{}{:.0f}", k ? ", " : "",
                            measured.figures()[k].countOf(known.logs[static_cast<Index>(k)]));
    text += fmt::format("{}(\"{}\", ({}))", text.empty() ? "" : ",\n    ", measured.works()[work],
                        counts);
  }
  return fmt::format("\n// What works amount to, as the devices' times tell it: {}.\n"
                     "let {}_works = [{}]\n",
                     order, name.str(), text);
}

std::string api::familyProgram(const FamilyFit &fit, const Family &family, llvm::StringRef name) {
  const DeviceRows &measured = fit.deviceRows();
  llvm::ArrayRef<LayerFigure> figures = measured.figures();
  Eigen::MatrixXd loads = family.covariance().llt().matrixL();
  size_t rows = 0;
  for (const Device &device : measured.devices())
    rows += device.rows.size();
  std::string text =
      fmt::format("// Fitted by `calibrate {}` to {} rows of {} devices.\n{}\n\n"
                  "// How devices of one data sheet differ, in independent parts.\n",
                  fit.fit().name, rows, measured.devices().size(), measured.chip().import);
  auto part = [&](size_t i) { return fmt::format("{}_{}", name.str(), i + 1); };
  for (size_t i = 0; i < figures.size(); ++i)
    text += fmt::format("let {} = normal(0, 1)\n", part(i));
  const std::vector<std::string> &sheet = fit.fit().family->sheet;
  std::string parameters;
  for (size_t i = 0; i < sheet.size(); ++i)
    parameters += fmt::format("{}{} = {:.4g}", i ? ", " : "", sheet[i],
                              family.meanSheet()[static_cast<Index>(i)]);
  if (!sheet.empty())
    parameters = "(" + parameters + ")";
  llvm::StringRef base = measured.chip().base;
  bool isOwnBase = base.split('(').first == name; // no chip is made from itself
  text += fmt::format("\nhardware {}{}{} from {} {{\n", name.str(), isOwnBase ? "_fitted" : "",
                      parameters, base.str());
  auto textOf = [&](size_t figure) {
    auto k = static_cast<Index>(figure);
    double sign = figures[figure].dimension == Dimension(BaseUnit::Second) ? 1 : -1;
    std::string inner = fmt::format("{:.3f}", sign * family.constantOf(k));
    for (size_t i = 0; i < sheet.size(); ++i)
      inner += term(sign * family.slopeOf(k, static_cast<Index>(i)), sheet[i]);
    for (size_t i = 0; i <= figure; ++i)
      inner += term(sign * loads(k, static_cast<Index>(i)), part(i));
    return fmt::format("exp({}) * {}", inner, unitOf(figures[figure]));
  };
  double width = 100 * endOfInterval * std::sqrt(family.newVariance());
  text +=
      layersText(figures, 2, textOf, fmt::format("1 +- {:.1f}%", width), measured.chip().flags) +
      "}\n";
  return text + (family.works() ? worksText(measured, *family.works(), name) : "");
}
