// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/GraphText.h"

#include "frontend/import/graph/Recognize.h"
#include "frontend/import/graph/Writer.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Graphs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace perfc;
using namespace perfc::graph;

static SourceRange placeIn(FileId file, uint64_t offset) {
  auto at = static_cast<uint32_t>(std::min<uint64_t>(offset, UINT32_MAX));
  return {file, at, at};
}

/// External data stays in the folder of the model: nothing else is any business of a file that
/// somebody was given.
static bool checkExternal(const Model &model, FileId file, DiagnosticEngine &diagnostics) {
  for (const auto &[location, offset] : model.externalFiles) {
    bool leaves =
        llvm::sys::path::is_absolute(location) || location.contains('\\') || location.contains(':');
    for (auto part = llvm::sys::path::begin(location); part != llvm::sys::path::end(location);
         ++part)
      leaves |= *part == "..";
    if (!leaves)
      continue;
    diagnostics.report(placeIn(file, offset), diag::GraphExternal, shown(location));
    return false;
  }
  return true;
}

/// Sizes that depend on data are as large as they can be, unless the user says more.
static void reportLimited(const Writer &writer, const ReadOptions &options,
                          DiagnosticEngine &diagnostics) {
  llvm::ArrayRef<std::string> sizes = writer.limitedParameters;
  if (sizes.empty())
    return;
  constexpr size_t mostNames = 3;
  diagnostics
      .report(options.place, diag::GraphLimited, counted(sizes.size(), "size"),
              llvm::join(sizes.take_front(mostNames), "`, `") +
                  (sizes.size() > mostNames ? "`, …" : "`"))
      .help(fmt::format("give what is usual: --shape {}=8", sizes.front()));
}

static void reportUnknown(const Writer &writer, FileId file, const ReadOptions &options,
                          DiagnosticEngine &diagnostics) {
  for (const auto &[type, ops] : writer.unknown) {
    SourceRange place = placeIn(file, ops.front()->node->offset);
    Diagnostic &report =
        options.isStrict
            ? diagnostics.report(place, diag::GraphUnknownOpStrict, shown(type))
            : diagnostics.report(place, diag::GraphUnknownOp, shown(type),
                                 ops.size() == 1 ? std::string("1 node is")
                                                 : fmt::format("{} nodes are", ops.size()));
    report.note(
        fmt::format("the first is node {} `{}`", ops.front()->number, nameOf(*ops.front()->node)));
  }
}

/// The narrowest format of real numbers that most elements have.
static std::string formatOfNet(const Net &net) {
  std::map<std::string, int64_t> counts;
  for (const Value &value : net.values)
    if (isFloating(value.type) && bitsOf(value.type) >= 16)
      ++counts[formatOf(value.type).str()];
  std::string best;
  for (const auto &[name, count] : counts)
    if (best.empty() || count > counts[best])
      best = name;
  return best;
}

/// Elements of real tensors that the file stores and something reads. Numbers, which have no
/// dimension, are no parameters.
static void countStored(const Net &net, Program &program) {
  std::vector<bool> isOther(net.values.size());
  for (const Op &op : net.ops)
    for (int input : op.inputs)
      for (int at = op.domain == othersDomain ? input : -1; at >= 0; at = net.values[at].origin)
        isOther[static_cast<size_t>(at)] = true;
  for (size_t i = 0; i < net.values.size(); ++i) {
    const Value &value = net.values[i];
    bool isWeight = value.isFromFile && value.isRead && value.isWeight && !value.shape.empty() &&
                    (isFloating(value.type) || bitsOf(value.type) <= 8 || value.isScaled);
    int64_t elements = isWeight ? 1 : 0;
    for (const Dim &dim : value.shape)
      elements *= dim.constant;
    program.stored += elements;
    program.storedForOthers += isOther[i] ? elements : 0;
  }
}

llvm::Optional<Program> graph::readProgram(const FileFormat &format, llvm::StringRef path,
                                           FileId file, const ReadOptions &options,
                                           DiagnosticEngine &diagnostics) {
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> bytes = readBytes(path, problem);
  if (!bytes) {
    diagnostics.report(options.place, diag::CannotRead, path.str(), problem);
    return llvm::None;
  }
  Model model;
  model.format = format.name;
  WireError error;
  if (!format.read(bytes->getBuffer(), model, error)) {
    diagnostics.report(placeIn(file, error.offset), diag::GraphBroken, format.name, error.reason);
    return llvm::None;
  }
  if (!checkExternal(model, file, diagnostics))
    return llvm::None;
  llvm::StringRef name = llvm::sys::path::filename(path);
  bool isNamed = name.endswith_insensitive(format.suffix);
  name = isNamed ? name.drop_back(format.suffix.size()) : llvm::sys::path::stem(path);
  return programOf(model, name, file, options, diagnostics);
}

static std::vector<NodeShape> shapesOfNodes(const Net &net) {
  std::vector<NodeShape> list;
  for (const auto &[node, value] : net.ofNodes) {
    list.push_back({node->op.str(), {}});
    if (value < 0)
      continue;
    for (const Dim &dim : net.values[value].shape)
      list.back().shape.push_back(dim.isNumber() ? dim.constant : -1);
  }
  return list;
}

static std::vector<Origin> originsOf(const Writer &writer, FileId file) {
  std::vector<Origin> list;
  for (const auto &[begin, op] : writer.makers)
    list.push_back(op ? Origin{begin, placeIn(file, op->node->offset), op->number,
                               nameOf(*op->node), shown(op->node->op)}
                      : Origin{begin, {}, 0, "", ""});
  return list;
}

llvm::Optional<Program> graph::programOf(const Model &model, llvm::StringRef name, FileId file,
                                         const ReadOptions &options,
                                         DiagnosticEngine &diagnostics) {
  Net net;
  if (!makeNet(model, options.shapes, file, net, diagnostics))
    return llvm::None;
  Program program;
  program.nodes = shapesOfNodes(net);
  countStored(net, program);
  for (int input : net.inputs)
    program.inputs.push_back(net.values[static_cast<size_t>(input)].name.str());
  program.format = formatOfNet(net);
  if (!options.keepsDecomposed)
    recognize(net);
  Writer writer(net, program.format);
  program.text = writer.run(name);
  program.origins = originsOf(writer, file);
  program.workload = writer.workload;
  program.parameters = writer.parameters;
  program.open = writer.openParameters;
  reportUnknown(writer, file, options, diagnostics);
  reportLimited(writer, options, diagnostics);
  if (options.isStrict && !writer.unknown.empty())
    return llvm::None;
  return program;
}
