// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/layers/Layers.h"

#include "frontend/import/layers/LayerReader.h"
#include "frontend/import/names/ProgramNames.h"
#include "ir/common/DType.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace perfc;
using namespace perfc::layers;

namespace {

/// What stands beside the layers.
struct Head {
  std::string name, format, chip;
  int64_t batch = 1;
};

} // namespace

/// `float16` and the like as the language has them; "" for none.
static std::string formatOf(llvm::StringRef word) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> others[] = {
      {"float32", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}};
  for (const auto &[other, own] : others)
    if (word == other)
      return own.str();
  return parseDType(word) ? word.str() : "";
}

/// The name of the library's chip that `node` is.
static bool readChip(yaml::NodeReader &reader, const yaml::Node &node, std::string &chip) {
  if (!reader.readText(node, "`hardware`", chip))
    return false;
  bool isName = llvm::all_of(chip, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isName || reader.fail(node.place, diag::YamlNumber, node.text,
                               "the name of a chip of the library is");
}

static bool readHead(yaml::NodeReader &reader, const yaml::Node &workload, Head &head) {
  const yaml::Node *name = reader.need(workload, "name", "`workload`");
  if (!name || !reader.readText(*name, "`name`", head.name))
    return false;
  if (const yaml::Node *batch = workload.find("batch_size");
      batch && !reader.readInteger(*batch, 1, head.batch))
    return false;
  if (const yaml::Node *format = workload.find("precision")) {
    std::string word;
    if (!reader.readText(*format, "`precision`", word))
      return false;
    head.format = formatOf(word);
    if (head.format.empty())
      return reader.fail(format->place, diag::TimeloopUnknown, "number format", word);
  }
  const yaml::Node *chip = workload.find("hardware");
  return !chip || readChip(reader, *chip, head.chip);
}

/// The layers as lines; a layer reads what the one before it makes where the shapes are equal, and
/// what nothing reads is a result.
static std::string programText(const Head &head, llvm::StringRef workload,
                               llvm::ArrayRef<Layer> layers) {
  ProgramNames names{"batch"};
  std::set<llvm::StringRef> modules;
  for (const Layer &layer : layers) {
    modules.insert(layer.module);
    names.takeOwn(layer.op);
  }
  std::string lines, results, before;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer &layer = layers[i];
    bool follows = i > 0 && layer.input == layers[i - 1].output;
    if (!follows && i > 0)
      results += (results.empty() ? "" : ", ") + before;
    std::string input = follows ? before : shapeText("tensor", layer.input, /*hasBatch=*/true);
    std::string name = names.add(layer.name, "layer_");
    auto call = [&](const std::string &from) {
      return fmt::format("{} = {}({}{})", name, layer.op, from, layer.rest);
    };
    lines += "  " + call(input) + "\n";
    bool keepsShape = layer.input == layer.output;
    if (layer.count > 1)
      lines +=
          fmt::format("  repeat {} {{ {} }}\n", layer.count - 1, call(keepsShape ? name : input));
    before = name;
  }
  results += (results.empty() ? "" : ", ") + before;
  std::string text = "// From a list of layers in YAML.\n";
  for (llvm::StringRef module : modules)
    text += fmt::format("import std.ops.{}\n", module);
  return text + fmt::format("\nworkload {}(batch = {}) -> {} {{\n{}}}\n", workload, head.batch,
                            results, lines);
}

llvm::Optional<Program> layers::readProgram(FileId file, DiagnosticEngine &diagnostics) {
  std::unique_ptr<yaml::Document> document = yaml::parse(file, diagnostics);
  if (!document || !document->root())
    return llvm::None;
  yaml::NodeReader reader(diagnostics);
  const yaml::Node *workload = reader.need(*document->root(), "workload", "the file");
  Head head;
  if (!workload || !reader.expect(*workload, yaml::NodeKind::Map, "`workload`") ||
      !readHead(reader, *workload, head))
    return llvm::None;
  Program program{"", head.name, head.format, head.chip, head.batch, workload->place};
  if (!workload->find("layers")) {
    reader.warnOfUnread(*workload, "`workload`");
    reader.warnOfUnread(*document->root(), "the file");
    return program;
  }
  const yaml::Node *list = reader.needList(*workload, "layers", "`workload`");
  if (!list)
    return llvm::None;
  if (list->items.empty()) {
    reader.fail(list->place, diag::YamlMissing, "a layer", "`layers`");
    return llvm::None;
  }
  std::vector<Layer> found;
  LayerReader one(diagnostics);
  size_t number = 0;
  for (const yaml::Node *item : list->items)
    if (auto layer = one.read(*item, ++number))
      found.push_back(std::move(*layer));
  if (found.size() != list->items.size())
    return llvm::None;
  reader.warnOfUnread(*workload, "`workload`");
  reader.warnOfUnread(*document->root(), "the file");
  program.workload = ProgramNames{"batch"}.add(head.name, "net_");
  program.text = programText(head, program.workload, found);
  return program;
}
