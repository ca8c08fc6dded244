// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/OpTableFile.h"

#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/ScaleSim.h"

using namespace perfc;
using study::OpTable;
using study::TimeGrid;

static constexpr double millisecond = 1e-3;
/// What no time in such a table exceeds, in ms.
static constexpr double mostMilliseconds = 1e6;
static constexpr int64_t largestSize = 1'000'000'000;

namespace {

class GridReader {
public:
  GridReader(SourceManager &sources, SourceRange place, DiagnosticEngine &diagnostics)
      : sources(sources), place(place), diagnostics(diagnostics) {}

  /// The file `path` as a grid; columns by number, or by the names that go to `names`.
  bool read(const std::string &path, TimeGrid &into, std::vector<std::string> *names = nullptr);
  bool mayBeEmpty = false; ///< cells

private:
  bool titles(const LocatedCsv &table, TimeGrid &into, std::vector<std::string> *names);
  bool row(const CsvRow &line, TimeGrid &into);
  bool bad(SourceRange at, const std::string &what) {
    diagnostics.report(at, diag::BadCsv, what);
    return false;
  }

  SourceManager &sources;
  SourceRange place;
  DiagnosticEngine &diagnostics;
};

} // namespace

bool GridReader::titles(const LocatedCsv &table, TimeGrid &into, std::vector<std::string> *names) {
  for (size_t i = 1; i < table.titles().size(); ++i) {
    const CsvCell &title = table.titles()[i];
    if (names) {
      llvm::StringRef name = title.text;
      if (!name.consume_back("_ms") || name.empty())
        return bad(title.place, "a column of times is called `NAME_ms`, in ms");
      names->push_back(name.str());
      into.columns.push_back(static_cast<int64_t>(i - 1));
      continue;
    }
    auto size = wholeNumber(title, 0, largestSize, "a size", diagnostics);
    if (!size)
      return false;
    if (!into.columns.empty() && *size <= into.columns.back())
      return bad(title.place, "sizes stand in rising order");
    into.columns.push_back(*size);
  }
  return !into.columns.empty() || bad(table.titleRow().place, "the table has no times");
}

bool GridReader::row(const CsvRow &line, TimeGrid &into) {
  auto size = wholeNumber(line.cells.front(), 1, largestSize, "a size", diagnostics);
  if (!size)
    return false;
  if (!into.rows.empty() && *size <= into.rows.back())
    return bad(line.cells.front().place, "sizes stand in rising order");
  into.rows.push_back(*size);
  if (line.cells.size() > into.columns.size() + 1)
    return bad(line.place, "the line has more cells than the line of titles");
  for (size_t i = 1; i <= into.columns.size(); ++i) {
    bool isEmpty = i >= line.cells.size() || line.cells[i].text.empty();
    if (isEmpty && mayBeEmpty && i > 1) {
      into.cells.push_back(-1);
      continue;
    }
    if (isEmpty)
      return bad(line.place, "the line has no time for each column");
    auto time = realNumber(line.cells[i], "a time", diagnostics);
    if (!time)
      return false;
    if (!(*time >= 0 && *time <= mostMilliseconds))
      return bad(line.cells[i].place, "a time is from 0 to 1e6 ms");
    into.cells.push_back(*time * millisecond);
  }
  return true;
}

bool GridReader::read(const std::string &path, TimeGrid &into, std::vector<std::string> *names) {
  FileId file = sources.find(path);
  if (!file)
    file = loadOrReport(sources, path, diagnostics, place);
  if (!file)
    return false;
  auto table = LocatedCsv::read(sources, file, diagnostics);
  if (!table || !titles(*table, into, names))
    return false;
  for (const CsvRow &line : table->rows())
    if (!row(line, into))
      return false;
  return !into.cells.empty() || bad(table->titleRow().place, "the table has no times");
}

/// Takes a column out of `table` where it is no kernel of a layer: messages between stages.
static void dropColumn(OpTable &table, llvm::StringRef name) {
  auto found = std::find(table.kernels.begin(), table.kernels.end(), name);
  if (found == table.kernels.end())
    return;
  auto at = static_cast<size_t>(found - table.kernels.begin());
  size_t width = table.kernels.size();
  for (size_t row = table.layer.rows.size(); row-- > 0;)
    table.layer.cells.erase(table.layer.cells.begin() + static_cast<ptrdiff_t>(row * width + at));
  table.kernels.erase(found);
  table.layer.columns.pop_back();
}

llvm::Optional<OpTable> perfc::readOpTable(SourceManager &sources, llvm::StringRef prefix,
                                           int64_t stages, SourceRange place,
                                           DiagnosticEngine &diagnostics) {
  OpTable table;
  GridReader reader(sources, place, diagnostics);
  std::string path = prefix.str();
  if (!reader.read(path + "_ops.csv", table.layer, &table.kernels))
    return llvm::None;
  dropColumn(table, "send_recv");
  if (!reader.read(path + "_attn_decode.csv", table.decode))
    return llvm::None;
  reader.mayBeEmpty = true;
  if (!reader.read(path + "_attn_prefill.csv", table.prefill))
    return llvm::None;
  reader.mayBeEmpty = false;
  std::vector<std::string> names;
  if (stages > 1 &&
      !reader.read(fmt::format("{}_pp{}_send_recv.csv", path, stages), table.send, &names))
    return llvm::None;
  return table;
}
