// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of domain `perfc`, which `emit onnx` writes for what ONNX has no operator for: an op of the
// library by its name, with its module and parameters as attributes.
#include "frontend/import/graph/Writer.h"
#include "stdlib/Embedded.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::graph;

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

bool graph::writeLibraryOp(Writer &writer, const Op &op) {
  const Attribute *module = op.node ? op.node->find("module") : nullptr;
  auto isThere = [](int value) { return value >= 0; };
  if (!module || !isName(op.type) || !declares(module->text, op.type) ||
      !llvm::all_of(op.inputs, isThere) || !llvm::all_of(op.outputs, isThere))
    return false;
  std::string arguments;
  for (int input : op.inputs)
    arguments += (arguments.empty() ? "" : ", ") + writer.plain(input);
  for (const Attribute &parameter : op.node->attributes)
    if (isName(parameter.name) && parameter.name != "module")
      arguments += fmt::format(", {} = {}", parameter.name,
                               parameter.real != 0 ? realText(parameter.real)
                                                   : std::to_string(parameter.integer));
  writer.useOp(module->text, op.type);
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
