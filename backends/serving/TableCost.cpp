// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/TableCost.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::serving;
using study::TimeGrid;

namespace {

/// Where a size stands among those of a table: between two, with the share of the upper one. Beyond
/// the last one `scale` is by what a time grows.
struct Between {
  size_t low = 0, high = 0;
  double share = 0, scale = 1;
};

} // namespace

/// The column of exchanges among tensor-parallel ranks.
static constexpr llvm::StringLiteral exchange = "all_reduce";

static double plain(double size) { return size; }
static double squared(double size) { return size * size; }

static Between placeOf(const std::vector<int64_t> &sizes, double size,
                       double (*measure)(double) = plain) {
  auto above = std::lower_bound(sizes.begin(), sizes.end(), size, [](int64_t one, double other) {
    return static_cast<double>(one) < other;
  });
  auto last = sizes.size() - 1;
  if (above == sizes.begin())
    return {};
  if (above == sizes.end())
    return {last, last, 0,
            sizes[last] > 0 ? measure(size) / measure(static_cast<double>(sizes[last])) : 1};
  auto high = static_cast<size_t>(above - sizes.begin());
  double from = measure(static_cast<double>(sizes[high - 1]));
  double to = measure(static_cast<double>(sizes[high]));
  return {high - 1, high, (measure(size) - from) / (to - from), 1};
}

/// The time at `column`, or of the last column before it that was measured.
static double timeAt(const TimeGrid &grid, size_t row, size_t column) {
  while (column > 0 && grid.at(row, column) < 0)
    --column;
  return grid.at(row, column);
}

static double interpolate(const TimeGrid &grid, const Between &row, const Between &column) {
  auto along = [&](size_t at) {
    double low = timeAt(grid, at, column.low);
    return column.share == 0 ? low : low + (timeAt(grid, at, column.high) - low) * column.share;
  };
  double low = along(row.low);
  double time = row.share == 0 ? low : low + (along(row.high) - low) * row.share;
  return time * row.scale * column.scale;
}

double serving::tableSendSeconds(const study::OpTable &table, double tokens) {
  return interpolate(table.send, placeOf(table.send.rows, tokens), {});
}

static Point timeOf(double seconds) {
  Point point;
  point.parts[Point::Rest] = seconds;
  return point;
}

TableCost::TableCost(std::shared_ptr<const study::OpTable> times,
                     std::unique_ptr<SampledCost> sampled)
    : table(std::move(times)), samples(std::move(sampled)) {
  samples->leaveTimes(llvm::is_contained(table->kernels, exchange));
  decodes.name = "attention of tokens";
  prompts.name = "attention of prompts";
  decodes.isMeasured = prompts.isMeasured = true;
}

/// How often a layer has what a column takes.
double TableCost::timesIn(size_t column) const {
  return table->kernels[column] == exchange ? samples->exchanges() : 1;
}

double TableCost::kernel(size_t column, double tokens) const {
  Between at;
  at.low = at.high = column;
  return interpolate(table->layer, placeOf(table->layer.rows, tokens), at);
}

StackWork TableCost::kernels(int64_t tokens) const {
  StackWork sum;
  for (size_t column = 0; column < table->kernels.size(); ++column) {
    double seconds = kernel(column, static_cast<double>(tokens)) * timesIn(column);
    if (table->kernels[column] == exchange)
      sum.exchanges += seconds;
    else
      sum.add({seconds, 0, 1});
  }
  return sum;
}

double TableCost::decode(const BatchShape &shape) const {
  auto requests = static_cast<double>(shape.decodes);
  return interpolate(
      table->decode, placeOf(table->decode.rows, requests),
      placeOf(table->decode.columns, static_cast<double>(shape.decodeContext) / requests));
}

double TableCost::prefill(const BatchShape::Chunk &chunk) const {
  return interpolate(table->prefill,
                     placeOf(table->prefill.rows, static_cast<double>(chunk.tokens), squared),
                     placeOf(table->prefill.columns, static_cast<double>(chunk.before)));
}

StackWork TableCost::run(int64_t tokens, const BatchShape &shape, double runs) {
  StackWork sum = samples->run(tokens, shape, runs);
  sum.add(known.note(tokens, runs, [&] { return kernels(tokens); }));
  auto add = [&](ItemTotal &total, double time) {
    total.runs += runs;
    total.seconds += time * runs;
    sum.add({time, 0, 1});
  };
  if (shape.decodes > 0)
    add(decodes, decode(shape));
  for (const BatchShape::Chunk &chunk : shape.chunks)
    add(prompts, prefill(chunk));
  return sum;
}

std::vector<ItemTotal> TableCost::totals() const {
  std::vector<ItemTotal> result = samples->totals();
  std::vector<std::pair<int64_t, double>> sizes = known.runs();
  for (size_t column = 0; column < table->kernels.size(); ++column) {
    ItemTotal total;
    total.name = table->kernels[column];
    total.kind = total.name == exchange ? total.name : "";
    total.isMeasured = true;
    for (auto [tokens, runs] : sizes) {
      double times = runs * timesIn(column);
      total.runs += times;
      total.seconds += kernel(column, static_cast<double>(tokens)) * times;
    }
    if (total.runs > 0)
      result.push_back(std::move(total));
  }
  for (const ItemTotal *total : {&decodes, &prompts})
    if (total->runs > 0)
      result.push_back(*total);
  return result;
}

void TableCost::forget() {
  samples->forget();
  known.forget();
  for (ItemTotal *total : {&decodes, &prompts})
    total->runs = total->seconds = 0;
}

void TableCost::addNodes(int64_t tokens, const BatchShape &shape,
                         std::vector<ServedNode> &nodes) const {
  double time = shape.decodes > 0 ? decode(shape) : 0, ofExchange = 0;
  for (const BatchShape::Chunk &chunk : shape.chunks)
    time += prefill(chunk);
  for (size_t column = 0; column < table->kernels.size(); ++column)
    (table->kernels[column] == exchange ? ofExchange : time) +=
        kernel(column, static_cast<double>(tokens));
  addNode("", timeOf(time), 1, nodes);
  size_t first = nodes.size();
  samples->addNodes(tokens, shape, nodes);
  for (size_t i = first; i < nodes.size(); ++i)
    nodes[i].seconds += nodes[i].kind == exchange ? ofExchange : 0;
}
