// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A configuration as a call of a row of a table: its keys become the arguments. Objects inside are
// calls in turn, where they are models or ways to quantise, else records.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_CALLTEXT_H
#define PERFC_FRONTEND_IMPORT_CONFIG_CALLTEXT_H

#include "frontend/import/config/Config.h"
#include "frontend/import/config/FamilyTable.h"
#include "frontend/import/config/ValueRules.h"
#include <set>

namespace perfc::config {

/// The key of how the weights are quantised.
constexpr llvm::StringLiteral quantizationKey = "quantization_config";
/// The task of a model without a head.
constexpr llvm::StringLiteral headless = "Model";

/// `text`, such as a key or a type, as a name of the language: `_` for what no name has.
std::string asName(llvm::StringRef text);

class CallText {
public:
  /// `folder` has the table of models: "families/hugging_face".
  CallText(const Config &config, llvm::StringRef folder, FamilyTable &table,
           DiagnosticEngine &diagnostics)
      : config(config), folder(folder), table(table), diagnostics(diagnostics),
        rules(table, hubTable) {}

  /// The call of row `kind` with the keys of `object`, which stands at `path`: "llama.llama(…)"; ""
  /// after a report. What is around the object takes the keys `taken` of it, too.
  std::string call(const llvm::json::Object &object, std::vector<llvm::StringRef> path,
                   llvm::StringRef kind, llvm::ArrayRef<llvm::StringRef> taken = llvm::None);
  /// The format of weights that `object`, a way to quantise, gives, as an expression; "" where it
  /// gives none, or the library does not know the method (a warning).
  std::string format(const llvm::json::Object &object, std::vector<llvm::StringRef> path);
  /// The same as arguments of row `kind`, whose own format is `own`: `weights = …`, and
  /// `attention_weights = OWN` where attention keeps that.
  std::string weights(const llvm::json::Object &object, std::vector<llvm::StringRef> path,
                      llvm::StringRef kind, int64_t layers, llvm::StringRef own);

  /// Modules that the calls so far need.
  const std::set<std::string> &modules() const { return used; }

private:
  llvm::StringRef modelOf(const ast::Expr *byDefault) const;
  std::string argument(const ast::Arg &parameter, llvm::ArrayRef<const ast::Arg *> all,
                       const llvm::json::Value &given, const std::vector<llvm::StringRef> &path);
  bool mayBePair(llvm::StringRef kind) const;
  llvm::StringRef typeInside(llvm::ArrayRef<llvm::StringRef> path, llvm::StringRef kind) const;
  llvm::StringRef wholeTask(llvm::ArrayRef<llvm::StringRef> path) const;
  void shareTable(llvm::json::Object &keys, llvm::StringRef kind) const;
  std::string partByDefault(const ast::Arg &parameter, const llvm::json::Object &around,
                            const std::vector<llvm::StringRef> &path);
  std::string arguments(llvm::ArrayRef<Row> chain, const llvm::json::Object &object,
                        const std::vector<llvm::StringRef> &path);
  std::string text(const llvm::json::Value &value) const;
  void reportUnknown(const llvm::json::Object &object, const std::vector<llvm::StringRef> &path,
                     llvm::StringRef kind);
  llvm::StringRef knownTask(llvm::StringRef task, llvm::ArrayRef<Row> chain,
                            std::vector<llvm::StringRef> &path);
  void reportUnused(llvm::ArrayRef<llvm::StringRef> path, llvm::StringRef kind);
  void warnUnused(llvm::ArrayRef<Row> chain, const llvm::json::Object &object,
                  std::vector<llvm::StringRef> &path, const std::string &prefix,
                  llvm::ArrayRef<llvm::StringRef> taken);

  const Config &config;
  llvm::StringRef folder;
  FamilyTable &table;
  DiagnosticEngine &diagnostics;
  ValueRules rules;
  std::set<std::string> used;
  std::string outer;                       ///< the model whose parts are being read
  std::string outerTask;                   ///< of it; "" where the file says none
  std::vector<llvm::StringRef> overridden; ///< keys of its parts that it sets itself
};

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_CALLTEXT_H
