// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/vidur/Costs.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::serving;
using study::TimeGrid;

static constexpr int64_t tokenStep = 8, contextStep = 64;
/// s that an exchange takes to start, beside what was measured.
static constexpr double exchangeLaunch = 0.02e-3;

static int64_t roundUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// The first of `sizes` that is at least `size`, or the last one.
static size_t firstAtLeast(const std::vector<int64_t> &sizes, int64_t size) {
  auto found = std::lower_bound(sizes.begin(), sizes.end(), size);
  return static_cast<size_t>((found == sizes.end() ? found - 1 : found) - sizes.begin());
}

vidur::Costs::Costs(const study::OpTable &times, int64_t layers, bool isGrouped, int64_t tensor,
                    int64_t stages)
    : table(times), overhead(isGrouped ? 1.1 : 1), layers(static_cast<double>(layers / stages)),
      stages(static_cast<size_t>(stages)) {
  for (size_t row = 0; row < table.layer.rows.size(); ++row) {
    double sum = 0, exchange = 0;
    for (size_t kernel = 0; kernel < table.kernels.size(); ++kernel)
      (table.kernels[kernel] == "all_reduce" ? exchange : sum) += table.layer.at(row, kernel);
    kernels.push_back(sum);
    exchanges.push_back(tensor > 1 ? 2 * (exchange + exchangeLaunch) : 0);
  }
  // Where nothing was measured the last known time of the row counts.
  TimeGrid &prompts = table.prefill;
  for (size_t i = 1; i < prompts.cells.size(); ++i)
    if (prompts.cells[i] < 0)
      prompts.cells[i] = prompts.cells[i - 1];
}

double vidur::Costs::decode(const BatchShape &shape) const {
  size_t row = firstAtLeast(table.decode.rows, shape.decodes);
  int64_t mean = shape.decodeContext / shape.decodes;
  return table.decode.at(row, firstAtLeast(table.decode.columns, roundUp(mean, contextStep))) *
         (shape.decodes > 1 ? overhead : 1);
}

double vidur::Costs::prefill(const BatchShape &shape) const {
  int64_t before = 0;
  double squares = 0;
  for (const BatchShape::Chunk &chunk : shape.chunks) {
    before += roundUp(chunk.before, contextStep);
    squares += static_cast<double>(chunk.tokens) * static_cast<double>(chunk.tokens);
  }
  double root = std::nearbyint(std::sqrt(squares));
  const TimeGrid &grid = table.prefill;
  size_t column = firstAtLeast(grid.columns, before);
  size_t above = firstAtLeast(grid.rows, static_cast<int64_t>(root));
  double time = grid.at(above, column);
  auto squareOf = [&](size_t row) {
    return static_cast<double>(grid.rows[row]) * static_cast<double>(grid.rows[row]);
  };
  if (above > 0 && root * root < squareOf(above)) {
    double low = squareOf(above - 1), start = grid.at(above - 1, column);
    time = start + (time - start) * (root * root - low) / (squareOf(above) - low);
  }
  return time * (shape.chunks.size() > 1 ? overhead : 1);
}

void vidur::Costs::run(const BatchShape &shape, std::vector<double> &seconds) const {
  int64_t tokens = roundUp(shape.tokens, tokenStep);
  size_t row = firstAtLeast(table.layer.rows, tokens);
  double layer = kernels[row] + exchanges[row];
  if (shape.decodes > 0)
    layer += decode(shape);
  if (!shape.chunks.empty())
    layer += prefill(shape);
  seconds.assign(stages, layer * layers);
  for (size_t stage = 0; stage + 1 < stages; ++stage)
    seconds[stage] += table.send.at(firstAtLeast(table.send.rows, tokens), 0);
}
