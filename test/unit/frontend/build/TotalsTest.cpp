// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and multiply-accumulates of the library's workloads, counted here from the graph and
// its kernels only, against the figures of test/stdlib/totals.csv.
#include "Compiled.h"

#include "ir/common/Affine.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

namespace {

using Count = __int128;

struct Totals {
  Count parameters = 0, macs = 0;
};

/// Points of a box that fulfil `constraints`, each >= 0. Indices that no constraint names multiply;
/// the others are enumerated, the last of them by intersection of intervals.
class Points {
public:
  Points(const ir::Operation &statement) {
    for (const auto &[name, extent] : statement.dictAttr("domain").entries())
      extents.push_back({name, extent.asInt()});
    if (const ir::Attribute *list = statement.attr("constraints"))
      for (const ir::Attribute &constraint : list->asList())
        constraints.push_back(constraint.asAffine());
  }

  Count count() {
    Count free = 1;
    std::vector<std::pair<std::string, int64_t>> bound;
    for (const auto &[name, extent] : extents) {
      bool isNamed = false;
      for (const AffineExpr &constraint : constraints)
        isNamed |= constraint.coefficient(name) != 0;
      if (isNamed)
        bound.push_back({name, extent});
      else
        free *= extent;
    }
    return free * enumerate(bound, 0, constraints);
  }

private:
  static Count floorDivide(Count a, Count b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

  static Count enumerate(const std::vector<std::pair<std::string, int64_t>> &bound, size_t depth,
                         const std::vector<AffineExpr> &rest) {
    if (depth == bound.size())
      return llvm::all_of(rest, [](const AffineExpr &left) { return left.constant() >= 0; });
    const auto &[name, extent] = bound[depth];
    if (depth + 1 == bound.size()) {
      Count low = 0, high = extent - 1;
      for (const AffineExpr &left : rest) {
        Count scale = left.coefficient(name), constant = left.constant();
        if (scale > 0)
          low = std::max(low, -floorDivide(constant, scale)); // ceil(-constant / scale)
        else if (scale < 0)
          high = std::min(high, floorDivide(constant, -scale));
        else if (constant < 0)
          return 0;
      }
      return high < low ? 0 : high - low + 1;
    }
    Count total = 0;
    for (int64_t at = 0; at < extent; ++at) {
      std::vector<AffineExpr> left;
      for (const AffineExpr &constraint : rest) {
        int64_t scale = constraint.coefficient(name);
        auto gone = add(constraint, *perfc::scale(AffineExpr::variable(name), -scale));
        left.push_back(*add(*gone, AffineExpr(scale * at)));
      }
      total += enumerate(bound, depth + 1, left);
    }
    return total;
  }

  std::vector<std::pair<std::string, int64_t>> extents;
  std::vector<AffineExpr> constraints;
};

/// Walks a graph with its calls and repeats.
class Counter {
public:
  explicit Counter(const ir::Module &module) : module(module) {}

  Totals graph(llvm::StringRef symbol) { return region(module.lookup(symbol)->body()); }

private:
  Totals region(const ir::Region &body) {
    Totals total;
    for (const ir::Operation &op : body) {
      if (op.is("op.tensor") && op.stringAttr("kind") == "weight") {
        Count elements = 1;
        for (int64_t extent : op.result(0).type().shape())
          elements *= extent;
        total.parameters += elements;
      } else if (op.is("op.apply")) {
        total.macs += kernel(op.attr("kernel")->asSymbol());
      } else if (op.is("op.call")) {
        add(total, graph(op.attr("graph")->asSymbol()), 1);
      } else if (op.is("op.repeat")) {
        add(total, region(op.body()), op.intAttr("count"));
      }
    }
    return total;
  }

  static void add(Totals &total, const Totals &part, Count times) {
    total.parameters += part.parameters * times;
    total.macs += part.macs * times;
  }

  Count kernel(llvm::StringRef symbol) {
    auto [known, isNew] = kernels.try_emplace(symbol, 0);
    if (!isNew)
      return known->second;
    Count macs = 0;
    for (const ir::Operation &op : module.lookup(symbol)->body())
      if (op.is("op.statement") && op.attr("mac"))
        macs += Points(op).count();
    return kernels[symbol] = macs;
  }

  const ir::Module &module;
  llvm::StringMap<Count> kernels;
};

struct Row {
  std::string module, call;
  double parameters = -1, parametersRounding = 0, macs = -1,
         macsRounding = 0; ///< -1 where not given
};

std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

std::vector<Row> rows() {
  std::ifstream file(std::filesystem::path(PERFC_TEST_DIR) / "stdlib/totals.csv");
  std::string line;
  std::getline(file, line); // the header
  std::vector<Row> result;
  while (std::getline(file, line)) {
    std::vector<std::string> cells = split(line);
    Row row{cells.at(0), cells.at(1)};
    if (!cells.at(2).empty()) {
      row.parameters = std::stod(cells.at(2));
      row.parametersRounding = std::stod(cells.at(3));
    }
    if (!cells.at(4).empty()) {
      row.macs = std::stod(cells.at(4));
      row.macsRounding = std::stod(cells.at(5));
    }
    result.push_back(row);
  }
  return result;
}

} // namespace

/// All figures are below 2^53, so that doubles hold them exactly.
TEST(Totals, OfTheLibrary) {
  std::vector<Row> table = rows();
  ASSERT_GE(table.size(), 20u);
  for (const Row &row : table) {
    Compiled compiled("import " + row.module + "\nimport std.hardware.a100\nevaluate " + row.call +
                      " on a100_sxm_80gb\n");
    ASSERT_FALSE(compiled.diagnostics.hasErrors()) << row.call << "\n" << compiled.errors();
    llvm::StringRef subject;
    for (const ir::Operation &op : compiled.module.body())
      if (op.is("study.evaluate"))
        subject = op.attr("subject")->asSymbol();
    Totals totals = Counter(compiled.module).graph(subject);
    double parameters = static_cast<double>(totals.parameters);
    double macs = static_cast<double>(totals.macs);
    if (row.parameters >= 0) {
      EXPECT_LE(std::abs(parameters - row.parameters), row.parametersRounding)
          << row.call << ": " << fmt::format("{:.0f}", parameters);
    }
    if (row.macs >= 0) {
      EXPECT_LE(std::abs(macs - row.macs), row.macsRounding)
          << row.call << ": " << fmt::format("{:.0f}", macs);
    }
  }
}
