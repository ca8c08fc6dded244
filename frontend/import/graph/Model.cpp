// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats of ONNX, and what is found in a model that was read.
#include "frontend/import/graph/Model.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::graph;

unsigned graph::bitsOf(int32_t type) {
  switch (type) {
  case Uint4:
  case Int4:
  case Float4:
    return 4;
  case Uint8:
  case Int8:
  case Bool:
    return 8;
  case Uint16:
  case Int16:
  case Float16:
  case Bfloat16:
    return 16;
  case Float:
  case Int32:
  case Uint32:
    return 32;
  case Int64:
  case Uint64:
  case Double:
    return 64;
  default:
    return type >= Float8First && type <= Float8Last ? 8 : 0;
  }
}

bool graph::isFloating(int32_t type) {
  return type == Float || type == Float16 || type == Bfloat16 || type == Double ||
         (type >= Float8First && type <= Float8Last) || type == Float4;
}

llvm::StringRef graph::formatOf(int32_t type) {
  switch (type) {
  case Float:
    return "fp32";
  case Float16:
    return "fp16";
  case Bfloat16:
    return "bf16";
  case Double:
    return "fp64";
  case Float4:
    return "fp4";
  case Uint4:
  case Int4:
    return "int4";
  case Bool:
    return "bool";
  default:
    if (type >= Float8First && type <= Float8Last)
      return "fp8";
    unsigned bits = bitsOf(type);
    return bits == 8 ? "int8" : bits == 16 ? "int16" : bits == 32 ? "int32" : bits ? "int64" : "";
  }
}

std::string graph::shown(llvm::StringRef text) {
  constexpr size_t most = 60;
  std::string result;
  for (char c : text.take_front(most))
    result += llvm::isPrint(c) && c != '`' ? c : '?';
  return text.size() > most ? result + "…" : result;
}

std::string graph::nameOf(const Node &node) {
  return shown(node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name);
}

Attribute Attribute::copy(llvm::StringRef as) const {
  Attribute result;
  result.name = as;
  result.integer = integer;
  result.real = real;
  result.text = text;
  result.integers = integers;
  result.reals = reals;
  if (tensor)
    result.tensor = std::make_unique<Tensor>(*tensor);
  return result;
}

const Attribute *Node::find(llvm::StringRef wanted) const {
  for (const Attribute &attribute : attributes)
    if (attribute.name == wanted)
      return &attribute;
  return nullptr;
}
