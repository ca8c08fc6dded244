// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Footprint.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

Columns loopnest::columnsOf(std::vector<Reader> readers) {
  std::sort(readers.begin(), readers.end(), [](const Reader &a, const Reader &b) {
    return std::tie(a.spot.copy, a.spot.x) < std::tie(b.spot.copy, b.spot.x);
  });
  Columns columns;
  for (const Reader &reader : readers) {
    const Spot &at = reader.spot;
    if (columns.empty() || columns.back().copy != at.copy || columns.back().x != at.x)
      columns.push_back({at.copy, at.x, at.y, at.y, false, 0, 0});
    Column &column = columns.back();
    column.low = std::min(column.low, at.y);
    column.high = std::max(column.high, at.y);
    if (reader.holds)
      continue;
    column.moveLow = column.moves ? std::min(column.moveLow, at.y) : at.y;
    column.moveHigh = column.moves ? std::max(column.moveHigh, at.y) : at.y;
    column.moves = true;
  }
  return columns;
}

/// Readers of the product: what moves in it lacks one factor, whatever the other says.
static Column product(const Column &a, const Column &b) {
  Column result{
      a.copy + b.copy, a.x + b.x, a.low + b.low, a.high + b.high, a.moves || b.moves, 0, 0};
  if (a.moves) {
    result.moveLow = a.moveLow + b.low;
    result.moveHigh = a.moveHigh + b.high;
  }
  if (b.moves) {
    int64_t low = a.low + b.moveLow, high = a.high + b.moveHigh;
    result.moveLow = a.moves ? std::min(result.moveLow, low) : low;
    result.moveHigh = a.moves ? std::max(result.moveHigh, high) : high;
  }
  return result;
}

static Columns product(const Columns &a, const Columns &b) {
  Columns result;
  result.reserve(a.size() * b.size());
  for (const Column &x : a)
    for (const Column &y : b)
      result.push_back(product(x, y));
  std::sort(result.begin(), result.end());
  return result;
}

/// All on the first axis, and all alike as to moving.
static bool isRow(const Columns &columns) {
  return llvm::all_of(columns, [&](const Column &c) {
    return c.low == 0 && c.high == 0 && c.moves == columns.front().moves;
  });
}

TreeSum::TreeSum(int64_t middle) : middle(middle), moving{0, 0, 0}, holding{1, 0, 1} {
  rest[{{0, 0, 0, 0, false, 0, 0}}] = 1;
}

TreeSum::Row TreeSum::product(const Row &a, const Row &b) {
  return {a.copies * b.copies, a.reach * b.copies + a.copies * b.reach, a.columns * b.columns};
}

static void forCopies(const Columns &columns, llvm::function_ref<void(int64_t reach)> visit) {
  for (size_t i = 0; i < columns.size(); ++i)
    if (i + 1 == columns.size() || columns[i + 1].copy != columns[i].copy)
      visit(columns[i].x);
}

void TreeSum::multiply(const Footprints &factor) {
  bool row = llvm::all_of(factor, [](const auto &entry) { return isRow(entry.first); });
  if (!row) {
    Footprints next;
    for (const auto &a : rest)
      for (const auto &b : factor)
        next[::product(a.first, b.first)] += a.second * b.second;
    rest = std::move(next);
    return;
  }
  Row move{0, 0, 0}, hold{0, 0, 0};
  for (const auto &entry : factor) {
    Row &sum = entry.first.front().moves ? move : hold;
    forCopies(entry.first, [&](int64_t reach) {
      sum.copies += entry.second;
      sum.reach += entry.second * Checked(reach);
    });
    sum.columns += entry.second * Checked(entry.first.size());
  }
  Row a = product(moving, move), b = product(moving, hold), c = product(holding, move);
  moving = {a.copies + b.copies + c.copies, a.reach + b.reach + c.reach,
            a.columns + b.columns + c.columns};
  holding = product(holding, hold);
}

/// With `all` every reader in `columns` is reached, else those that do not hold the element.
Checked TreeSum::linksOf(const Columns &columns, const Row &row, bool all) const {
  Columns reached;
  int64_t spans = 0;
  for (const Column &column : columns) {
    if (!all && !column.moves)
      continue;
    reached.push_back(column);
    int64_t low = all ? column.low : column.moveLow, high = all ? column.high : column.moveHigh;
    spans += std::max<int64_t>(0, high - middle) + std::max<int64_t>(0, middle - low);
  }
  int64_t copies = 0, reaches = 0;
  forCopies(reached, [&](int64_t reach) {
    ++copies;
    reaches += reach;
  });
  return row.copies * Checked(reaches) + row.reach * Checked(copies) + row.columns * Checked(spans);
}

Checked TreeSum::total() const {
  Checked sum = 0;
  for (const auto &entry : rest)
    sum +=
        entry.second * (linksOf(entry.first, moving, true) + linksOf(entry.first, holding, false));
  return sum;
}

Checked TreeSum::totalWith(llvm::ArrayRef<FootprintSum> factors) const {
  if (factors.empty())
    return total();
  Checked sum = 0;
  for (const std::vector<Footprints> &product : factors.front()) {
    TreeSum tree = *this;
    for (const Footprints &factor : product)
      tree.multiply(factor);
    sum += tree.totalWith(factors.drop_front());
  }
  return sum;
}
