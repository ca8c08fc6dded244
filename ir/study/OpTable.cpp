// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/OpTable.h"

#include "ir/core/Verifier.h"
#include "ir/study/StudyDecls.h"
#include <cmath>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

static constexpr double femtosecond = 1e-15;

/// The grids of a table and what their attributes begin with.
static constexpr std::pair<llvm::StringLiteral, TimeGrid OpTable::*> grids[] = {
    {"layer", &OpTable::layer},
    {"decode", &OpTable::decode},
    {"prefill", &OpTable::prefill},
    {"send", &OpTable::send}};

static std::vector<int64_t> intsIn(const Operation &op, const std::string &name) {
  return op.hasAttr(name) ? op.attr(name)->asInts() : std::vector<int64_t>();
}

OpTable OpTable::of(const Operation &op) {
  OpTable table;
  table.kernels = op.attr("kernels")->asStrings();
  for (const auto &[word, member] : grids) {
    TimeGrid &grid = table.*member;
    grid.rows = intsIn(op, word.str() + "_rows");
    grid.columns = intsIn(op, word.str() + "_columns");
    for (int64_t time : intsIn(op, word.str()))
      grid.cells.push_back(time < 0 ? -1 : static_cast<double>(time) * femtosecond);
  }
  return table;
}

void OpTable::writeTo(Operation &op) const {
  op.setAttr("kernels", Attribute::strings(kernels));
  for (const auto &[word, member] : grids) {
    const TimeGrid &grid = this->*member;
    if (grid.empty())
      continue;
    std::vector<int64_t> times;
    for (double cell : grid.cells)
      times.push_back(cell < 0 ? -1 : std::llround(cell / femtosecond));
    op.setAttr(word.str() + "_rows", Attribute::ints(grid.rows));
    op.setAttr(word.str() + "_columns", Attribute::ints(grid.columns));
    op.setAttr(word, Attribute::ints(times));
  }
}

static bool verifyTable(const Operation &op, DiagnosticEngine &diagnostics) {
  auto rises = [](const std::vector<int64_t> &sizes) {
    for (size_t i = 1; i < sizes.size(); ++i)
      if (sizes[i] <= sizes[i - 1])
        return false;
    return true;
  };
  OpTable table = OpTable::of(op);
  for (const auto &[word, member] : grids) {
    const TimeGrid &grid = table.*member;
    if (grid.cells.size() != grid.rows.size() * grid.columns.size())
      return invalidOp(op, diagnostics, word.str() + " has a time for each row and column");
    if (!rises(grid.rows) || !rises(grid.columns))
      return invalidOp(op, diagnostics, "the sizes of " + word.str() + " rise");
  }
  if (table.layer.columns.size() != table.kernels.size())
    return invalidOp(op, diagnostics, "layer has a column for each of the kernels");
  return true;
}

OpDecl study::opTableDecl() {
  OpDecl decl{.name = OpTable::opName,
              .doc = "Times of a model's kernels by size, in fs; -1 where none is known.",
              .attrs = {listAttr("kernels", AttrKind::String, "of a layer")},
              .verifier = verifyTable};
  struct Grid {
    llvm::StringRef name, rowName, columnName, doc, rowDoc, columnDoc;
    bool isNeeded;
  };
  static constexpr Grid all[] = {
      {"layer", "layer_rows", "layer_columns", "of each kernel of a layer, row by row",
       "tokens of a batch", "numbers of the kernels", true},
      {"decode", "decode_rows", "decode_columns", "of the attention of a layer, row by row",
       "requests that make a token", "tokens that each sees", true},
      {"prefill", "prefill_rows", "prefill_columns", "the same for a piece of a prompt",
       "tokens of the piece", "tokens before it", true},
      {"send", "send_rows", "send_columns", "of a message to the next stage", "tokens of a batch",
       "0", false}};
  for (const Grid &grid : all) {
    AttrDecl lists[] = {listAttr(grid.rowName, AttrKind::Int, grid.rowDoc).atLeast(1),
                        listAttr(grid.columnName, AttrKind::Int, grid.columnDoc).atLeast(0),
                        listAttr(grid.name, AttrKind::Int, grid.doc).atLeast(-1)};
    for (AttrDecl &list : lists)
      decl.attrs.push_back(grid.isNeeded ? list : list.optional());
  }
  return decl;
}
