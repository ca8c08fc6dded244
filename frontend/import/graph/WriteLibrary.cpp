// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of domain `perfc`, which `emit onnx` writes for what ONNX has no operator for: an op of the
// library by its name, with its module and parameters as attributes.
#include "frontend/import/graph/LibraryOp.h"
#include "frontend/import/graph/Writer.h"
#include "stdlib/Embedded.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

/// A parameter as it is written; "" where it could be more than a value: a model may come from
/// anybody.
static std::string parameterText(const Attribute &parameter) {
  if (parameter.text.empty())
    return parameter.real != 0 ? realText(parameter.real) : std::to_string(parameter.integer);
  llvm::StringRef text = parameter.text;
  double number = 0;
  if (!text.getAsDouble(number) && std::isfinite(number))
    return realText(number);
  bool isQuoted = text.size() > 1 && text.consume_front("\"") && text.consume_back("\"");
  bool isPlain = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isPlain && (isQuoted || !text.empty()) ? parameter.text.str() : "";
}

/// Whether `module` of the library, such as std.ops.attention, declares an op `name` that others
/// can import.
static bool declares(llvm::StringRef module, llvm::StringRef name) {
  if (!module.consume_front("std."))
    return false;
  std::string path = module.str() + ".perf";
  std::replace(path.begin(), path.end() - strlen(".perf"), '.', '/');
  for (const EmbeddedFile &file : embeddedStdlib())
    if (file.path == path)
      return !name.startswith("_") && file.text.contains(fmt::format("\nop {}(", name));
  return false;
}

static bool isName(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

bool graph::isLibraryOp(const Node &node) {
  const Attribute *module = node.domain == "perfc" ? node.find("module") : nullptr;
  return module && isName(node.op) && declares(module->text, node.op);
}

bool graph::writeLibraryOp(Writer &writer, const Op &op) {
  auto isThere = [](int value) { return value >= 0; };
  if (!op.node || !isLibraryOp(*op.node) || !llvm::all_of(op.inputs, isThere) ||
      !llvm::all_of(op.outputs, isThere))
    return false;
  llvm::StringRef module = op.node->find("module")->text;
  std::string arguments;
  for (int input : op.inputs)
    arguments += (arguments.empty() ? "" : ", ") + writer.plain(input);
  for (const Attribute &parameter : op.node->attributes) {
    if (!isName(parameter.name) || parameter.name == "module")
      continue;
    std::string text = parameterText(parameter);
    if (text.empty())
      return false;
    arguments += fmt::format(", {} = {}", parameter.name, text);
  }
  writer.useOp(module, op.type);
  std::string call = fmt::format("{}({})", op.type, arguments);
  if (op.outputs.size() == 1) {
    writer.assign(op.outputs[0], op.type, call);
    return true;
  }
  std::string all = writer.newName(op.type);
  writer.line(all, " = " + call);
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (writer.net.values[op.outputs[i]].uses > 0)
      writer.assign(op.outputs[i], op.type, fmt::format("{}[{}]", all, i));
  return true;
}
