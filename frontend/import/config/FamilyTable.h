// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of the library: which workload builds models of a type. Modules in a folder of
// the library are a table for one format of configurations, and its rows are workloads
// `TYPE(keys = defaults) from FAMILY(…)`, whose parameters are the keys.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_FAMILYTABLE_H
#define PERFC_FRONTEND_IMPORT_CONFIG_FAMILYTABLE_H

#include "frontend/syntax/AST.h"
#include <string>
#include <vector>

namespace perfc::config {

/// The table of the types of the library transformers, which has the words of ValueRules for all
/// tables.
constexpr llvm::StringLiteral hubTable = "families/hugging_face";
constexpr llvm::StringLiteral ggufTable = "families/gguf";

struct Row {
  std::string module;              ///< std.families.hugging_face.llama
  const ast::Item *item = nullptr; ///< null where there is no such row
};

class FamilyTable {
public:
  virtual ~FamilyTable() = default;
  /// What a module of the library right in `folder` declares under `name`.
  virtual Row find(llvm::StringRef folder, llvm::StringRef name) = 0;
  /// What `row` is made `from`, as its module calls it; no item where it is made from nothing.
  virtual Row baseOf(const Row &row) = 0;
  /// All workloads there, for suggestions.
  virtual std::vector<std::string> names(llvm::StringRef folder) = 0;
};

/// Rows that are `from` each other, at most.
constexpr size_t longestChain = 16;

/// `row` and what it is made `from`, one after the other: rows of a table, then a family.
std::vector<Row> chainOf(FamilyTable &table, Row row);
/// The texts of `let NAME = ["…", …]` in `folder`, or of the list that NAME is another name of.
std::vector<llvm::StringRef> textsOf(FamilyTable &table, llvm::StringRef folder,
                                     llvm::StringRef name);
/// The texts of the list NAME_LINK of the first LINK of `chain` that has one, else of the list
/// NAME.
std::vector<llvm::StringRef> textsFor(FamilyTable &table, llvm::StringRef folder,
                                      llvm::StringRef name, llvm::ArrayRef<Row> chain);
/// True where the family that `chain` ends with reads by an encoder and writes by a decoder: it has
/// a phase `encode`.
bool isPair(llvm::ArrayRef<Row> chain);
/// The parameters of the rows of `chain`, of each those that the ones before it leave open; not
/// those of the family.
std::vector<const ast::Arg *> parametersOf(llvm::ArrayRef<Row> chain);
/// The name that a declaration or a phase gives.
llvm::StringRef nameOf(const ast::Item &item);
/// The call after `from` of a row; null where there is none.
const ast::Expr *madeFrom(const Row &row);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_FAMILYTABLE_H
