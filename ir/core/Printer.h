// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of the IR. What it prints the parser reads back to the same operations, and
// printing those gives the same bytes.
//   %y = op.apply @s %x, %w (kernel = @conv, pad = 3) : tensor<1x64xfp16> { … }
//   loc("f.perf":3:5-3:9)
#ifndef PERFC_IR_CORE_PRINTER_H
#define PERFC_IR_CORE_PRINTER_H

#include "ir/core/Module.h"

namespace perfc {
namespace ir {

struct PrintOptions {
  /// When set, each operation ends with its `loc(…)`, in this manager's files.
  const SourceManager *locations = nullptr;
};

void print(llvm::raw_ostream &os, const Module &module, const PrintOptions &options = {});
/// One operation with what is in it. Operands from outside are named by their hints.
void print(llvm::raw_ostream &os, const Operation &op, const PrintOptions &options = {});
std::string toString(const Module &module, const PrintOptions &options = {});
std::string toString(const Operation &op, const PrintOptions &options = {});

/// `text` in double quotes, with `\\`, `\"`, `\n`, `\t` and `\xHH` for what cannot stand there.
std::string quoted(llvm::StringRef text);
/// True when `name` can stand without quotes as a symbol or a key.
bool isBareName(llvm::StringRef name);

/// The reference manual of all operations in `registry`, as Markdown.
std::string renderIrReference(const OpRegistry &registry);

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_PRINTER_H
