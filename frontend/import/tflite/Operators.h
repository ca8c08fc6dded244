// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of TensorFlow Lite: their codes, names and options as the format numbers them, and
// what each stands for in terms of others.
#ifndef PERFC_FRONTEND_IMPORT_TFLITE_OPERATORS_H
#define PERFC_FRONTEND_IMPORT_TFLITE_OPERATORS_H

#include "frontend/import/graph/Model.h"

namespace perfc::tflite {

/// The domain of nodes that are operators of the format.
inline constexpr llvm::StringLiteral domain = "tflite";
/// The domain of functions that other subgraphs of a model are.
inline constexpr llvm::StringLiteral graphDomain = "tflite.graph";

enum class OptionKind : uint8_t { Byte, Int, Real, Ints };

/// A field of an operator's options, which becomes an attribute of the node.
struct Option {
  llvm::StringLiteral name;
  uint16_t place; ///< of the field in its table, from 0
  OptionKind kind = OptionKind::Int;
  int64_t otherwise = 0;
};

/// The name of the operator with this code; "" where there is none.
llvm::StringRef nameOfCode(int64_t code);
llvm::ArrayRef<Option> optionsOf(llvm::StringRef name);

std::vector<llvm::ArrayRef<graph::ExpansionEntry>> expansions();

} // namespace perfc::tflite

#endif // PERFC_FRONTEND_IMPORT_TFLITE_OPERATORS_H
