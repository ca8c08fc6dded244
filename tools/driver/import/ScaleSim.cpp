// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// import scale_sim: the configuration is a chip with one systolic array and a buffer per operand,
// each row of the topology a layer that runs on it. Topologies are convolutions (name, input height
// and width, filter height and width, channels, filters, stride, maybe another stride) or products
// (name, M, N, K). Words have one byte, as in the tool, and its `DP` layers are one layer of one
// channel for each channel.
#include "ir/common/diagnostics/ScaleSim.h"
#include "frontend/import/names/ProgramNames.h"
#include "ir/common/LocatedCsv.h"
#include "tools/driver/import/Format.h"
#include "tools/driver/import/ScaleSimConfig.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

/// One layer as text of the language.
struct ImportedLayer {
  std::string name, call;
  int64_t count = 1;
  bool isProduct = false;
  bool hasTwoStrides = false;
};

/// Turns rows of a topology into layers.
class TopologyReader {
public:
  TopologyReader(ProgramNames &names, DiagnosticEngine &diagnostics)
      : names(names), diagnostics(diagnostics) {}
  /// Nothing when the row is malformed (reported).
  llvm::Optional<ImportedLayer> layer(const CsvRow &row);

private:
  bool sizes(llvm::ArrayRef<CsvCell> cells, llvm::SmallVectorImpl<int64_t> &into);
  bool convolution(const CsvRow &row, llvm::ArrayRef<int64_t> sizes, ImportedLayer &layer);

  ProgramNames &names;
  DiagnosticEngine &diagnostics;
};

} // namespace

bool TopologyReader::sizes(llvm::ArrayRef<CsvCell> cells, llvm::SmallVectorImpl<int64_t> &into) {
  for (const CsvCell &cell : cells) {
    auto size = wholeNumber(cell, 1, int64_t(1) << 30, "a size of a layer", diagnostics);
    if (!size)
      return false;
    into.push_back(*size);
  }
  return true;
}

bool TopologyReader::convolution(const CsvRow &row, llvm::ArrayRef<int64_t> sizes,
                                 ImportedLayer &layer) {
  int64_t height = sizes[0], width = sizes[1], r = sizes[2], s = sizes[3];
  int64_t strideY = sizes[6], strideX = sizes.size() > 7 ? sizes[7] : sizes[6];
  if (r > height || s > width) {
    diagnostics.report(row.place, diag::BadCsv, "the filter is larger than its input");
    return false;
  }
  int64_t channels = sizes[4];
  if (llvm::StringRef(row.cells[0].text).contains("DP")) {
    layer.count = channels;
    channels = 1;
  }
  // As the tool: a window that begins inside the input and hangs over its end counts.
  int64_t p = (height - r + strideY - 1) / strideY + 1, q = (width - s + strideX - 1) / strideX + 1;
  layer.hasTwoStrides = strideX != strideY;
  std::string stride = layer.hasTwoStrides
                           ? fmt::format("stride_y = {}, stride_x = {}", strideY, strideX)
                           : fmt::format("stride = {}", strideY);
  layer.call = fmt::format("{}(N = 1, M = {}, C = {}, P = {}, Q = {}, R = {}, S = {}, {})",
                           layer.hasTwoStrides ? "conv2d_strides" : "conv2d", sizes[5], channels, p,
                           q, r, s, stride);
  return true;
}

/// The cells of a row but for the empty ones at its end and a comment there. Spreadsheets write
/// rows of nothing but commas.
static llvm::ArrayRef<CsvCell> filledCells(const CsvRow &row) {
  llvm::ArrayRef<CsvCell> cells = row.cells;
  while (!cells.empty() &&
         (cells.back().text.empty() || llvm::StringRef(cells.back().text).startswith("#")))
    cells = cells.drop_back();
  return cells;
}

llvm::Optional<ImportedLayer> TopologyReader::layer(const CsvRow &row) {
  llvm::ArrayRef<CsvCell> cells = filledCells(row);
  // Version 3 adds a ratio of sparsity, which says nothing when it is dense.
  if (!cells.empty() && llvm::StringRef(cells.back().text).contains(':')) {
    llvm::StringRef ratio = cells.back().text;
    if (ratio.split(':').first.trim() != ratio.split(':').second.trim()) {
      diagnostics.report(cells.back().place, diag::BadCsv, "sparse layers are not imported");
      return llvm::None;
    }
    cells = cells.drop_back();
  }
  ImportedLayer layer;
  llvm::SmallVector<int64_t, 8> numbers;
  if (cells.size() != 4 && cells.size() != 8 && cells.size() != 9) {
    diagnostics.report(row.place, diag::BadCsv,
                       "a layer is a name with M, N, K, or a name with the height and width of "
                       "input and filter, channels, filters and one stride or two");
    return llvm::None;
  }
  if (!sizes(cells.drop_front(), numbers))
    return llvm::None;
  layer.name = names.add(cells.front().text, "layer_");
  layer.isProduct = numbers.size() == 3;
  if (layer.isProduct)
    layer.call = fmt::format("matmul(M = {}, N = {}, K = {})", numbers[0], numbers[1], numbers[2]);
  else if (!convolution(row, numbers, layer))
    return llvm::None;
  return layer;
}

/// A bandwidth is that of a link to DRAM, one for each operand. Inputs pass theirs on the way into
/// their buffers, which are written for nothing else; the buffer of results is read for the array
/// too, where sums wait for the next fold, so that its link is a memory of its own.
static std::string chipText(const ScaleSimConfig &config, llvm::StringRef name) {
  std::string limit;
  if (config.bandwidth)
    limit = fmt::format("bandwidth {{ write {}B/cycle }}; ", *config.bandwidth);
  auto buffer = [](llvm::StringRef label, int64_t kib, llvm::StringRef limit,
                   llvm::StringRef role) {
    return fmt::format("  memory {} {{ capacity {}KiB; {}keep {} }}\n", label, kib, limit, role);
  };
  std::string link;
  if (config.bandwidth)
    link = fmt::format("  memory OfmapLink {{ capacity 1B; {}keep output }}\n", limit);
  return fmt::format("hardware {} {{\n  clock 1GHz\n  dtype int8\n\n  memory DRAM {{ off_chip }}\n",
                     name) +
         buffer("IfmapSRAM", config.inputKib, limit, "input") +
         buffer("FilterSRAM", config.weightKib, limit, "weight") + link +
         buffer("OfmapSRAM", config.outputKib, "", "output") +
         fmt::format("  array PE[x = {}, y = {}] {{\n    systolic {}\n"
                     "    compute MAC {{ rate 1/cycle }}\n  }}\n}}\n\n",
                     config.columns, config.rows, config.stationary);
}

static constexpr llvm::StringLiteral twoStrides =
    "// A convolution with a stride for each direction.\n"
    "op conv2d_strides(I[N, C, Y, X], W[M, C, R, S]: weight, stride_y = 1, stride_x = 1) -> O[N, "
    "M,\n"
    "    P = floor((Y - R) / stride_y) + 1, Q = floor((X - S) / stride_x) + 1] {\n"
    "  O[n, m, p, q] += I[n, c, p*stride_y + r, q*stride_x + s] * W[m, c, r, s]\n"
    "}\n\n";

static std::string programText(const ScaleSimConfig &config, llvm::StringRef name,
                               llvm::ArrayRef<ImportedLayer> layers) {
  std::string text =
      "// From SCALE-Sim. Words have one byte, as in the tool; it counts cycles, so "
      "the clock stands for any.\n"
      "// Reads from DRAM are those of perfc: the tool reads an operand that exceeds "
      "half of its memory in\n// an order of its own, which `perfc validate "
      "scalesim` follows.\n";
  auto some = [&](auto property) { return llvm::any_of(layers, property); };
  bool hasStrides = some([](const ImportedLayer &l) { return l.hasTwoStrides; });
  if (some([](const ImportedLayer &l) { return !l.isProduct && !l.hasTwoStrides; }))
    text += "import std.ops.conv2d\n";
  if (some([](const ImportedLayer &l) { return l.isProduct; }))
    text += "import std.ops.matmul\n";
  text += "\n" + (hasStrides ? twoStrides.str() : std::string()) + chipText(config, name);
  for (const ImportedLayer &layer : layers)
    text += "let " + layer.name + " = " + layer.call + "\n";
  text += "\n";
  for (const ImportedLayer &layer : layers)
    text +=
        fmt::format("evaluate {}{} on {}\n",
                    layer.count > 1 ? std::to_string(layer.count) + " * " : "", layer.name, name);
  return text;
}

bool driver::importScaleSim(Session &session, llvm::ArrayRef<std::string> files,
                            const Arguments & /*arguments*/, std::string &text) {
  FileId configFile = session.load(files[0]), topologyFile = session.load(files[1]);
  if (!configFile || !topologyFile)
    return false;
  auto config = readScaleSimConfig(session.sources, configFile, session.diagnostics);
  auto table = LocatedCsv::read(session.sources, topologyFile, session.diagnostics);
  if (!config || !table)
    return false;
  ProgramNames names{"conv2d", "conv2d_strides", "matmul"};
  std::string chip = names.add(config->name, "scale_");
  TopologyReader reader(names, session.diagnostics);
  std::vector<ImportedLayer> layers;
  bool valid = true;
  for (const CsvRow &row : table->rows()) {
    if (filledCells(row).empty())
      continue;
    auto layer = reader.layer(row);
    valid &= layer.hasValue();
    if (layer)
      layers.push_back(std::move(*layer));
  }
  if (valid && layers.empty()) {
    session.diagnostics.report(table->titleRow().place, diag::BadCsv, "there is no layer below");
    return false;
  }
  if (valid)
    text = programText(*config, chip, layers);
  return valid;
}
