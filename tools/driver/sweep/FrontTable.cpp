// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/FrontTable.h"

#include "tools/driver/Table.h"

using namespace perfc;
using namespace perfc::driver;

void driver::printFronts(llvm::raw_ostream &out, llvm::ArrayRef<mapper::Front> fronts,
                         unsigned width, bool color) {
  for (const mapper::Front &front : fronts) {
    out << fmt::format("pareto {}: {} of {} points\n", fmt::join(front.metrics, ", "),
                       front.rows.size(), front.of);
    std::vector<TableColumn> columns;
    for (const auto &[name, value] : mapper::settings(front.rows.front()))
      columns.push_back({name});
    for (const std::string &metric : front.metrics)
      columns.push_back({metric});
    Table table(std::move(columns));
    for (size_t i = 0; i < front.rows.size(); ++i) {
      std::vector<std::string> cells;
      for (const auto &[name, value] : mapper::settings(front.rows[i]))
        cells.push_back(value);
      cells.insert(cells.end(), front.texts[i].begin(), front.texts[i].end());
      table.addRow(std::move(cells));
    }
    table.print(out, width, color);
  }
}

void driver::printFront(llvm::raw_ostream &out, const mapper::FoundFront &front, size_t limit,
                        unsigned width, bool color) {
  size_t count = front.points.size(), shown = std::min(count, limit);
  out << fmt::format("  pareto {}: {}{}{}\n", fmt::join(front.metrics, ", "),
                     counted(count, "mapping"),
                     front.isProven ? ", proven" : ", of those that were found",
                     shown < count ? fmt::format("; {} of them", shown) : "");
  std::vector<TableColumn> columns;
  for (const std::string &metric : front.metrics)
    columns.push_back({metric});
  Table table(std::move(columns));
  for (size_t i = 0; i < shown; ++i) {
    size_t at = shown < count ? i * (count - 1) / (shown - 1) : i;
    std::vector<std::string> cells;
    for (const Quantity &value : front.points[at].values)
      cells.push_back(formatEngineering(value));
    table.addRow(std::move(cells));
  }
  table.print(out, width, color);
}

emit::Json driver::frontJson(const mapper::FoundFront &front) {
  emit::Json points = emit::Json::array();
  for (const mapper::FoundFront::Point &point : front.points) {
    emit::Json row = emit::Json::object();
    for (size_t i = 0; i < front.metrics.size(); ++i)
      row.set(front.metrics[i], point.values[i].toDouble());
    llvm::StringSet<> names; // of this point alone
    points.push(row.set("mappings", mapper::printMappings(point.mappings, names)));
  }
  return emit::Json::object().set("proven", front.isProven).set("points", std::move(points));
}

emit::Json driver::frontsJson(llvm::ArrayRef<mapper::Front> list) {
  emit::Json all = emit::Json::array();
  for (const mapper::Front &front : list) {
    emit::Json rows = emit::Json::array();
    for (size_t i = 0; i < front.rows.size(); ++i) {
      emit::Json row = emit::Json::object();
      row.set("point", front.rows[i].bindings).set("label", front.rows[i].label);
      for (size_t m = 0; m < front.metrics.size(); ++m)
        row.set(front.metrics[m], front.values[i][m]);
      rows.push(std::move(row));
    }
    all.push(emit::Json::object().set("of", int64_t(front.of)).set("points", std::move(rows)));
  }
  return all;
}

void driver::printLeftOut(llvm::raw_ostream &out, llvm::ArrayRef<mapper::LeftOut> sweeps) {
  for (const mapper::LeftOut &sweep : sweeps) {
    std::vector<std::string> reasons;
    for (const auto &[condition, count] : sweep.reasons)
      reasons.push_back(fmt::format("{} by `{}`", count, condition));
    out << fmt::format("sweep of {}: `require` leaves out {} of {}: {}\n",
                       fmt::join(sweep.settings, ", "), sweep.count, counted(sweep.of, "result"),
                       fmt::join(reasons, ", "));
  }
}

emit::Json driver::leftOutJson(llvm::ArrayRef<mapper::LeftOut> sweeps) {
  emit::Json all = emit::Json::array();
  for (const mapper::LeftOut &sweep : sweeps) {
    emit::Json reasons = emit::Json::object();
    for (const auto &[condition, count] : sweep.reasons)
      reasons.set(condition, static_cast<int64_t>(count));
    all.push(emit::Json::object()
                 .set("statement", sweep.statement)
                 .set("count", static_cast<int64_t>(sweep.count))
                 .set("of", static_cast<int64_t>(sweep.of))
                 .set("require", std::move(reasons)));
  }
  return all;
}
