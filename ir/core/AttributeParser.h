// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads attribute values and types of the text form. What a value is shows at its first bytes:
//   -? digit or ~   a number with its unit, or an affine expression when `*` follows the digits
//   a letter        true, false, unit, or an affine expression     "…"  a string     @  a symbol
#ifndef PERFC_IR_CORE_ATTRIBUTEPARSER_H
#define PERFC_IR_CORE_ATTRIBUTEPARSER_H

#include "ir/core/Attribute.h"
#include "ir/core/TextCursor.h"
#include "ir/core/Type.h"

namespace perfc {
namespace ir {

/// Reads a value at `cursor`, `depth` lists and dictionaries deep; false when it is wrong
/// (reported).
bool parseAttribute(TextCursor &cursor, Attribute &out, unsigned depth = 0);

/// Reads `key`, `key = value`, … up to `close`, which is taken. `places` gets where each stands.
bool parseEntries(TextCursor &cursor, llvm::StringRef close, AttrDict &out, unsigned depth = 0,
                  std::vector<SourceRange> *places = nullptr);

/// Reads `none` or `tensor<…>`.
bool parseType(TextCursor &cursor, Type &out);

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_ATTRIBUTEPARSER_H
