// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of v0.4 are templates of Jinja: before the YAML is read, `{{…}}` is replaced by its value.
// Evaluated are `include_text(FILE)`, the text of a file beside this one; `cwd()`, the folder of
// this one; texts in quotes, `a ~ b` side by side; arithmetic of numbers (+ - * / // % ** and
// parentheses); and variables, which `{% set NAME = … %}` gives a value, else `NAME|default(…)`.
// `{% if … %}`, `{% else %}` and `{% endif %}` choose what stands there. Everything else of Jinja
// is an error that names it.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_TEMPLATES_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_TEMPLATES_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"

namespace perfc::timeloop {

/// The text of `file` with its templates replaced, as a file of its own; `file` where there are
/// none. 0 after a report.
FileId expandTemplates(FileId file, SourceManager &sources, DiagnosticEngine &diagnostics);

/// The path under which the text of `path` with its templates replaced is added.
std::string expandedPath(llvm::StringRef path);

/// The value of an expression of numbers; nothing when it is none.
llvm::Optional<double> arithmeticValue(llvm::StringRef expression);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_TEMPLATES_H
