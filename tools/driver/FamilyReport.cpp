// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/FamilyReport.h"

#include "api/fit/Unknowns.h"
#include "tools/driver/Table.h"
#include "tools/driver/validate/AgreementTable.h"
#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

void driver::printPredicted(Session &session, llvm::ArrayRef<PredictedDevices> all) {
  Table table({{"family", Align::Left},
               {"left out", Align::Left},
               {"shots"},
               {"rows"},
               {"devices"},
               {"median mape %"},
               {"p90 %"},
               {"mean r"},
               {"cover %"}});
  for (const PredictedDevices &each : all)
    table.addRow({each.family, each.leftOut.empty() ? "-" : each.leftOut,
                  std::to_string(each.shots), std::to_string(each.found.rows),
                  std::to_string(each.found.devices), fmt::format("{:.3g}", each.found.median),
                  fmt::format("{:.3g}", each.found.p90), fmt::format("{:.3g}", each.found.rank),
                  fmt::format("{:.3g}", 100 * each.found.covered)});
  table.print(session.out, session.tableWidth(), session.colorOut);
}

void driver::printSkipped(Session &session, llvm::ArrayRef<llvm::ArrayRef<ValidationRow>> tables) {
  std::map<std::string, size_t> counts;
  for (llvm::ArrayRef<ValidationRow> rows : tables)
    for (const ValidationRow &row : rows)
      if (!row.predictions.empty() && !row.predictions.front().skipped.empty())
        ++counts[row.predictions.front().skipped];
  for (const auto &[reason, count] : counts)
    session.out << "  skipped " << counted(count, "row") << ": " << reason << '\n';
}

emit::Json driver::predictedJson(llvm::ArrayRef<PredictedDevices> all) {
  emit::Json list = emit::Json::array();
  for (const PredictedDevices &each : all)
    list.push(emit::Json::object()
                  .set("family", each.family)
                  .set("left_out", each.leftOut)
                  .set("shots", each.shots)
                  .set("rows", each.found.rows)
                  .set("devices", each.found.devices)
                  .set("median_mape", each.found.median)
                  .set("p90_mape", each.found.p90)
                  .set("spearman", each.found.rank)
                  .set("covered", each.found.covered));
  return list;
}

void driver::printChip(Session &session, llvm::StringRef chip, const ChipFit &fit, size_t next) {
  session.out << "calibrate " << chip << ": " << counted(fit.fitted().size(), "row") << '\n';
  Table table({{"figure", Align::Left}, {"written"}, {"fitted"}, {"90 % within"}});
  for (const ChipFit::Figure &figure : fit.figures())
    table.addRow({figure.figure.key, figure.figure.text(figure.written, 4),
                  figure.figure.text(figure.fitted, 4), fmt::format("{:.2f}x", figure.factor)});
  table.print(session.out, session.tableWidth(), session.colorOut);
  printAgreement(session, "fitted", fit.fitted());
  printAgreement(session, "each predicted by the others", fit.leftOut());
  for (const std::string &name : fit.next(next))
    session.out << "measure next: " << name << '\n';
}

void driver::printFamily(Session &session, const FamilyFit &fit, const Family &family) {
  size_t count = 0;
  for (const Device &device : fit.deviceRows().devices())
    count += device.rows.size();
  session.out << "calibrate " << fit.fit().name << ": " << counted(count, "row") << " of "
              << counted(fit.deviceRows().devices().size(), "device") << '\n';
  Table table({{"figure", Align::Left}, {"typical"}, {"90 % within"}});
  Eigen::VectorXd typical = family.prior(family.meanSheet()).mean;
  for (size_t k = 0; k < fit.deviceRows().figures().size(); ++k) {
    const LayerFigure &figure = fit.deviceRows().figures()[k];
    auto at = static_cast<Eigen::Index>(k);
    double factor = std::exp(endOfInterval * std::sqrt(family.covariance()(at, at)));
    table.addRow(
        {figure.key, figure.text(figure.figureOf(typical[at]), 4), fmt::format("{:.2g}x", factor)});
  }
  table.print(session.out, session.tableWidth(), session.colorOut);
}
