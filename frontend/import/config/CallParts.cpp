// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a model that are models of their own: what the whole says of them.
#include "frontend/import/config/CallText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::config;

using Object = llvm::json::Object;

static constexpr llvm::StringLiteral textPart = "text_config";
static constexpr llvm::StringLiteral tiedKey = "tie_word_embeddings";

/// The model that `byDefault`, `llama(…)`, is a call of; "" for another default.
llvm::StringRef CallText::modelOf(const ast::Expr *byDefault) const {
  if (!byDefault || byDefault->kind != ast::ExprKind::Call ||
      byDefault->operands[0]->kind != ast::ExprKind::Name)
    return "";
  llvm::StringRef name = byDefault->operands[0]->text;
  Row row = table.find(folder, name); // none for `floor(…)`
  return row.item && row.item->word == "workload" ? name : "";
}

/// True where a part that is `kind` by default may be an encoder with its decoder.
bool CallText::mayBePair(llvm::StringRef kind) const {
  if (isPair(chainOf(table, table.find(folder, kind))))
    return true;
  std::vector<Row> chain = chainOf(table, table.find(folder, outer));
  return !chain.empty() && llvm::is_contained(textsOf(table, folder, "families_with_pairs"),
                                              nameOf(*chain.back().item));
}

/// The keys of the model that a default, `llama(hidden_size = 3072)`, is a call of; none where they
/// are not all plain values.
static llvm::Optional<Object> keysOf(const ast::Expr &byDefault) {
  Object keys;
  for (const ast::Arg &given : byDefault.args) {
    int64_t number = 0;
    const ast::Expr *value = given.assigned;
    if (value && value->kind == ast::ExprKind::Number && llvm::to_integer(value->text, number))
      keys[given.value->text] = number;
    else if (value && value->kind == ast::ExprKind::Name &&
             (value->text == "true" || value->text == "false"))
      keys[given.value->text] = value->text == "true";
    else if (value && value->kind == ast::ExprKind::String)
      keys[given.value->text] = value->text;
    else
      return llvm::None;
  }
  return keys;
}

/// The argument for `parameter`, a part that the file says nothing of, where what is around it
/// changes it: a model without a head, or one that ties its words; "" where it takes its default.
std::string CallText::partByDefault(const ast::Arg &parameter, const Object &around,
                                    const std::vector<llvm::StringRef> &path) {
  llvm::StringRef kind = modelOf(parameter.assigned);
  llvm::Optional<bool> tied = around.getBoolean(tiedKey);
  if (kind.empty())
    return "";
  bool isTied = parameter.value->text == textPart && tied;
  bool mayHaveHead = findParameter(parametersOf(chainOf(table, table.find(folder, kind))), "head");
  if (!isTied && !(mayHaveHead && outerTask == headless))
    return "";
  llvm::Optional<Object> keys = keysOf(*parameter.assigned);
  if (!keys)
    return "";
  if (isTied)
    (*keys)[tiedKey] = *tied;
  return call(*keys, path, kind);
}

/// The task that the model around gives its part at the end of `path`, whatever the part says: an
/// entry "decoder CausalLM" of its list `part_heads_`, or "text_config whole" for its own; "" for
/// none.
llvm::StringRef CallText::wholeTask(llvm::ArrayRef<llvm::StringRef> path) const {
  if (path.empty() || outer.empty())
    return "";
  for (llvm::StringRef entry : textsOf(table, folder, "part_heads_" + outer))
    if (auto [part, task] = entry.split(' '); part == path.back())
      return task == "whole" ? llvm::StringRef(outerTask) : task;
  return "";
}

/// The row that the model around has for its part at the end of `path` of type `kind`: of an entry
/// "decoder gpt2 reading_gpt2" of its list `part_types_`; else `kind`.
llvm::StringRef CallText::typeInside(llvm::ArrayRef<llvm::StringRef> path,
                                     llvm::StringRef kind) const {
  if (path.empty() || outer.empty())
    return kind;
  for (llvm::StringRef entry : textsOf(table, folder, "part_types_" + outer)) {
    auto [part, row] = entry.split(' ');
    if (auto [type, name] = row.split(' '); part == path.back() && type == kind)
      return name;
  }
  return kind;
}

/// Whether words and output share one table says the outer configuration of a model with a text
/// model, where it says so or the type has one for all models.
void CallText::shareTable(Object &keys, llvm::StringRef kind) const {
  auto isOne = [&](llvm::StringRef list) {
    return llvm::is_contained(textsOf(table, folder, list), kind);
  };
  if (!keys.get(tiedKey) && (isOne("tied_types") || isOne("untied_types")))
    keys[tiedKey] = isOne("tied_types");
  llvm::Optional<bool> shares = keys.getBoolean(tiedKey);
  if (Object *text = keys.getObject(textPart); text && shares)
    (*text)[tiedKey] = *shares;
}
