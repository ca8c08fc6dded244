// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Histogram.h"

#include "frontend/build/FileBeside.h"
#include "ir/common/diagnostics/ScaleSim.h"

using namespace perfc;

static void loadTable(SourceManager &sources, llvm::StringRef word, llvm::ArrayRef<ast::Arg> args) {
  if (word != "histogram" || args.empty() || args[0].value->kind != ast::ExprKind::String)
    return;
  std::string path = pathBeside(sources, args[0].range.file, args[0].value->text), error;
  if (!sources.find(path))
    sources.load(path, error); // a mistake is reported where the table is read
}

void perfc::loadHistograms(SourceManager &sources, const ast::Body &body) {
  for (const ast::Item *item : body.items) {
    loadTable(sources, item->word, item->args);
    for (const ast::Clause &clause : item->clauses)
      loadTable(sources, clause.word, clause.args);
    for (const ast::Body *inner : {item->block, item->otherwise})
      if (inner)
        loadHistograms(sources, *inner);
  }
}

namespace {

class HistogramReader {
public:
  HistogramReader(BuildContext &context, FileId file)
      : diagnostics(context.diagnostics), file(file),
        text(context.evaluator.program.sourceManager().text(file)) {}

  llvm::Optional<ir::AttrDict> read();

private:
  bool fail(llvm::StringRef line, const std::string &why) {
    auto begin = static_cast<uint32_t>(line.data() - text.data());
    diagnostics.report({file, begin, begin + static_cast<uint32_t>(line.size())}, diag::BadCsv,
                       why);
    return false;
  }
  bool readLine(llvm::StringRef line);

  DiagnosticEngine &diagnostics;
  FileId file;
  llvm::StringRef text;
  int64_t elements = 0, allTiles = 0;
  std::vector<int64_t> nonzeros, tiles;
};

} // namespace

bool HistogramReader::readLine(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef, 3> cells;
  line.split(cells, ',');
  int64_t numbers[3] = {};
  for (size_t i = 0; i < 3; ++i)
    if (cells.size() != 3 || cells[i].trim().getAsInteger(10, numbers[i]) || numbers[i] < 0 ||
        numbers[i] > (int64_t(1) << 40))
      return fail(line, "three whole numbers are needed: elements, nonzeros, tiles");
  if (numbers[0] < 1 || numbers[1] > numbers[0])
    return fail(line, "a tile has at least one element, and at most as many nonzeros");
  if (elements != 0 && numbers[0] != elements)
    return fail(line, fmt::format("all tiles have {} elements", elements));
  elements = numbers[0];
  nonzeros.push_back(numbers[1]);
  tiles.push_back(numbers[2]);
  allTiles += numbers[2];
  return true;
}

llvm::Optional<ir::AttrDict> HistogramReader::read() {
  llvm::SmallVector<llvm::StringRef, 32> lines;
  text.split(lines, '\n');
  bool hasTitle = false;
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (line.empty())
      continue;
    if (!hasTitle && line != "elements,nonzeros,tiles") {
      fail(line, "the titles are elements,nonzeros,tiles");
      return llvm::None;
    }
    if (hasTitle && !readLine(line))
      return llvm::None;
    hasTitle = true;
  }
  if (allTiles == 0) {
    fail(text.take_front(1), "there are no tiles");
    return llvm::None;
  }
  ir::AttrDict table;
  table.set("elements", elements);
  table.set("nonzeros", ir::Attribute::ints(nonzeros));
  table.set("tiles", ir::Attribute::ints(tiles));
  return table;
}

llvm::Optional<ir::AttrDict> perfc::readHistogram(BuildContext &context, const Node &line) {
  if (line.args.empty() || !line.args[0].value.is<std::string>())
    return llvm::None;
  FileId file = loadBeside(context.evaluator.program.sourceManager(), line.args[0].range,
                           line.args[0].value.get<std::string>(), context.diagnostics);
  return file ? HistogramReader(context, file).read() : llvm::None;
}
