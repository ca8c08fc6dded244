// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text table that fits a given width: right-aligned figures, and left-aligned texts of which the
// longest give way first. Texts of a column that differ stay different: they are cut where they are
// alike, or go on in further lines. Where that is not enough, columns are left out from the last
// one on: they stand in the order of their importance.
#ifndef PERFC_TOOLS_DRIVER_TABLE_H
#define PERFC_TOOLS_DRIVER_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace perfc::driver {

enum class Align { Left, Right };

/// Wider than any text.
inline constexpr unsigned anyWidth = ~0u;

struct TableColumn {
  std::string title;
  Align align = Align::Right;
  /// Least number of characters: for tables whose rows are printed one by one, and for texts that
  /// must stay whole.
  unsigned width = 0;
  /// Texts that are too long go on in further lines: sentences, and tables whose rows are printed
  /// one by one.
  bool wraps = false;
  bool stays = false; ///< is never left out, as the first one
  bool isLeftOut = false;
};

class Table {
public:
  explicit Table(std::vector<TableColumn> columns) : columns(std::move(columns)) {}

  /// One cell per column.
  void addRow(std::vector<std::string> cells) { rows.push_back({std::move(cells), false}); }
  /// A line of dashes.
  void addRule() { rows.push_back({{}, true}); }
  bool empty() const { return rows.empty(); }

  /// Prints title and rows, indented by two. Columns without any text are left out. Lines stay
  /// within `width` characters (anyWidth: whole), each text with at least 8: else columns are left
  /// out, and a line above the titles names them. Rows without titles go on below others, with
  /// their columns. `bold` is the escape around the titles or not.
  void print(llvm::raw_ostream &os, unsigned width, bool bold, bool titles = true);
  /// Those that rows below this table have.
  const std::vector<TableColumn> &shape() const { return columns; }

private:
  struct Row {
    std::vector<std::string> cells;
    bool isRule;
  };
  using Lines = std::vector<std::string>;
  std::vector<unsigned> wholeWidths() const;
  bool shrink(std::vector<unsigned> &widths, unsigned limit) const;
  std::vector<std::string> leaveOut(unsigned limit);
  std::vector<Lines> fitted(size_t column, unsigned width) const;
  void printLine(llvm::raw_ostream &os, llvm::ArrayRef<unsigned> widths,
                 llvm::function_ref<llvm::StringRef(size_t)> cellOf) const;
  void printRow(llvm::raw_ostream &os, llvm::ArrayRef<Lines> cells,
                llvm::ArrayRef<unsigned> widths) const;

  std::vector<TableColumn> columns;
  std::vector<Row> rows;
};

/// A line above a table: "TEXT  [DETAILS]".
void printTitle(llvm::raw_ostream &os, llvm::StringRef text, llvm::StringRef details, bool bold);

/// Number of characters (code points) of a UTF-8 text.
size_t displayWidth(llvm::StringRef text);

/// `text` in lines of at most `width` characters, broken at spaces where there are any, else behind
/// signs, else anywhere.
std::vector<std::string> wrapped(llvm::StringRef text, unsigned width);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_TABLE_H
