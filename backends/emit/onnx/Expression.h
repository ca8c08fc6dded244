// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right side of an equation, read from its text. Statements of the IR have what an equation
// reads and how much it computes, and its text; which operations these are says the text alone.
#ifndef PERFC_BACKENDS_EMIT_ONNX_EXPRESSION_H
#define PERFC_BACKENDS_EMIT_ONNX_EXPRESSION_H

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace perfc::emit::onnx {

struct Expression {
  enum Kind {
    Number,
    Name,   ///< a parameter
    Access, ///< a tensor's element; `read` counts them from the left
    Binary, ///< `name` is + - * or /
    Minus,
    Call ///< of the function `name`
  };
  Kind kind = Number;
  double number = 0;
  std::string name;
  size_t read = 0;
  std::vector<Expression> operands;
};

/// What stands behind the sign of the equation `text`; nothing where there is no equation, or more
/// in it than the above.
llvm::Optional<Expression> rightSideOf(llvm::StringRef text);

} // namespace perfc::emit::onnx

#endif // PERFC_BACKENDS_EMIT_ONNX_EXPRESSION_H
