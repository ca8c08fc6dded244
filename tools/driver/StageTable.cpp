// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each stage of a pipeline holds, as a table.
#include "tools/driver/Report.h"
#include <cmath>

using namespace perfc;
using namespace perfc::driver;

/// "2", or "3 to 5" for equal ones in a row.
static std::string numbersText(size_t first, size_t last) {
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

Table perfc::driver::stageTable(const Outcome &of, size_t limit) {
  const TrainingSummary &summary = *of.training;
  Table table({{"stage", Align::Left},
               {"layers"},
               {"parameters"},
               {"gradients"},
               {"optimizer"},
               {"activations"},
               {"temporary"},
               {"memory", Align::Right, 0, /*wraps=*/false, /*stays=*/true}});
  auto bytes = [base = capacityBase(of.cost)](double value) {
    return formatSize(std::round(value), base);
  };
  std::vector<std::vector<std::string>> rows;
  std::vector<std::pair<size_t, size_t>> numbers;
  size_t fullest = 0;
  double most = -1;
  for (size_t stage = 0; stage < summary.stages.size(); ++stage) {
    const StageMemory &use = summary.stages[stage];
    std::vector<std::string> row = {std::to_string(use.layers), bytes(use.parameters),
                                    bytes(use.gradients),       bytes(use.optimizer),
                                    bytes(use.activations),     bytes(use.temporary),
                                    bytes(use.total())};
    if (rows.empty() || rows.back() != row) {
      rows.push_back(std::move(row));
      numbers.emplace_back(stage, stage);
    }
    numbers.back().second = stage;
    if (use.total() > most)
      fullest = rows.size() - 1;
    most = std::max(most, use.total());
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.size() > limit && i > 0 && i != fullest && i + 1 < rows.size())
      continue; // the first, the fullest and the last
    std::vector<std::string> row = {numbersText(numbers[i].first, numbers[i].second)};
    row.insert(row.end(), rows[i].begin(), rows[i].end());
    table.addRow(row);
  }
  return table;
}
