// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a key may hold, by the default of the parameter that takes it: a number where that is one, a
// text where that is one. Numbers are counts, so whole and at least 1, but for those whose names
// have words of the table's lists: shares, and what a model may be without.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_VALUERULES_H
#define PERFC_FRONTEND_IMPORT_CONFIG_VALUERULES_H

#include "frontend/import/config/FamilyTable.h"
#include "llvm/Support/JSON.h"

namespace perfc::config {

/// True where `name`, or a word of it between `_`, is one of `words`.
bool hasWord(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> words);

/// The one of `parameters` that is called `name`, or null.
const ast::Arg *findParameter(llvm::ArrayRef<const ast::Arg *> parameters, llvm::StringRef name);

struct ValueRange;

class ValueRules {
public:
  /// The lists are those of the folder `words`.
  ValueRules(FamilyTable &table, llvm::StringRef words)
      : shares(textsOf(table, words, "share_words")),
        optional(textsOf(table, words, "optional_words")) {}

  /// `value`, or the number that a list has again and again where `parameter`, one of `all`, is one
  /// number: [224, 224] for the size of an image.
  static const llvm::json::Value &plain(const ast::Arg &parameter,
                                        llvm::ArrayRef<const ast::Arg *> all,
                                        const llvm::json::Value &value);
  /// What the value for `parameter`, one of `all`, has to be and `value` is not: "a whole number of
  /// at least 1, not 0"; "" where it is fine.
  std::string mistake(const ast::Arg &parameter, llvm::ArrayRef<const ast::Arg *> all,
                      const llvm::json::Value &value) const;
  /// True where null stands for 0, which the key may be: no window, no low rank.
  bool isNullZero(const ast::Arg &parameter) const;

private:
  ValueRange rangeOf(const ast::Arg &parameter) const;

  std::vector<llvm::StringRef> shares, optional;
};

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_VALUERULES_H
