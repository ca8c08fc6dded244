// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text form of the IR (see Printer.h) by recursive descent. Whatever the bytes, the
// outcome is a module or located diagnostics (PERF07xx); after an error reading goes on at the next
// operation. Operations are only nested, values only used after they are defined.
#ifndef PERFC_IR_CORE_PARSER_H
#define PERFC_IR_CORE_PARSER_H

#include "ir/core/Module.h"

namespace perfc {
namespace ir {

struct ParseOptions {
  /// Finds the file of a `loc("path":…)`; 0 when it is not to be had. The operation is then placed
  /// in the text that is read, as it is when it has no `loc`. The default knows what is loaded.
  llvm::function_ref<FileId(llvm::StringRef path)> openFile = nullptr;
};

/// How deep regions, lists and dictionaries may be nested.
inline constexpr unsigned maxIrNesting = 256;

/// The line between two modules of one text.
inline constexpr llvm::StringLiteral moduleSeparator = "// -----";

/// The text of each module of `file`; there is at least one.
std::vector<SourceRange> moduleParts(FileId file, const SourceManager &sources);

/// Reads `file`, or a part of one, into a new module; null when anything is wrong (reported). The
/// result is well-formed text, not yet verified.
std::unique_ptr<Module> parseModule(FileId file, const OpRegistry &registry,
                                    DiagnosticEngine &diagnostics,
                                    const ParseOptions &options = {});
std::unique_ptr<Module> parseModule(SourceRange part, const OpRegistry &registry,
                                    DiagnosticEngine &diagnostics,
                                    const ParseOptions &options = {});

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_PARSER_H
