// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/CallText.h"

#include "frontend/import/names/ProgramNames.h"
#include "ir/common/diagnostics/Models.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <utility>

using namespace perfc;
using namespace perfc::config;

namespace {

using Object = llvm::json::Object;
using Json = llvm::json::Value;

/// A key as a name of the language, with its value.
struct Entry {
  std::string name;
  llvm::StringRef key;
  const Json *value;
};

} // namespace

/// `text` with `_` for what no name has.
static std::string asName(llvm::StringRef text) {
  std::string name = text.str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

/// The keys of `object` in the order of their names.
static std::vector<Entry> entriesOf(const Object &object) {
  std::vector<Entry> entries;
  for (const auto &[key, value] : object)
    entries.push_back({asName(key), key, &value});
  llvm::sort(entries, [](const Entry &one, const Entry &other) {
    return std::tie(one.name, one.key) < std::tie(other.name, other.key);
  });
  return entries;
}

static bool isNumber(const ast::Expr *expr) { return expr && expr->kind == ast::ExprKind::Number; }

static bool isTruth(const ast::Expr *expr) {
  return expr && expr->kind == ast::ExprKind::Name &&
         (expr->text == "true" || expr->text == "false");
}

/// The task of a class of the library transformers: CausalLM of `LlamaForCausalLM`, else Model.
static llvm::StringRef taskOf(llvm::StringRef name) {
  if (name.contains("For"))
    return name.rsplit(llvm::StringRef("For")).second;
  if (name.endswith("LMHeadModel"))
    return "CausalLM";
  if (name.endswith("EncoderModel"))
    return "EncoderModel";
  return name.endswith("MTModel") ? "ConditionalGeneration" : "Model";
}

/// The task of the class that `object` names first; "" where it names none.
static llvm::StringRef taskOf(const Object &object) {
  const llvm::json::Array *classes = object.getArray("architectures");
  auto first = classes && !classes->empty() ? classes->front().getAsString() : llvm::None;
  return first ? taskOf(*first) : "";
}

/// The model that `byDefault`, `llama(…)`, is a call of; "" for another default.
llvm::StringRef CallText::modelOf(const ast::Expr *byDefault) const {
  if (!byDefault || byDefault->kind != ast::ExprKind::Call ||
      byDefault->operands[0]->kind != ast::ExprKind::Name)
    return "";
  llvm::StringRef name = byDefault->operands[0]->text;
  Row row = table.find(folder, name); // none for `floor(…)`
  return row.item && row.item->word == "workload" ? name : "";
}

std::string CallText::text(const Json &value) const {
  if (llvm::Optional<bool> truth = value.getAsBoolean())
    return *truth ? "true" : "false";
  if (llvm::Optional<int64_t> whole = value.getAsInteger())
    return std::to_string(*whole);
  if (llvm::Optional<double> real = value.getAsNumber())
    return fmt::format("{}", *real);
  if (llvm::Optional<llvm::StringRef> string = value.getAsString())
    return quotedText(*string);
  std::string list;
  if (const llvm::json::Array *array = value.getAsArray()) {
    for (const Json &element : *array)
      list += (list.empty() ? "" : ", ") + text(element);
    return "[" + list + "]";
  }
  ProgramNames names;
  if (const Object *object = value.getAsObject())
    for (const Entry &entry : entriesOf(*object))
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", names.add(entry.key, "key_"),
                          text(*entry.value));
  return list.empty() ? "0" : "(" + list + ")"; // null counts as 0
}

/// What kind of value the default of a parameter lets expect and `value` is not; "" where it is
/// fine.
static llvm::StringRef contradiction(const ast::Expr *byDefault, const Json &value) {
  if (isNumber(byDefault) && !value.getAsNumber() && !value.getAsArray() && !value.getAsBoolean())
    return "a number";
  if (isTruth(byDefault) && !value.getAsBoolean())
    return "true or false";
  if (byDefault && byDefault->kind == ast::ExprKind::String && !value.getAsString())
    return "a text";
  if (!byDefault && value.getAsString())
    return "a number";
  return "";
}

/// The parameters of a row, with what it leaves open of a row of the table that it is `from`.
std::vector<const ast::Arg *> CallText::parametersOf(const Row &row) {
  std::vector<const ast::Arg *> parameters;
  std::vector<llvm::StringRef> fixed;
  Row at = row;
  for (size_t links = 0; at.item && links < longestChain; ++links) {
    const ast::Expr &head = *at.item->args[0].value;
    for (const ast::Arg &parameter : head.kind == ast::ExprKind::Call ? head.args : llvm::None)
      if (!llvm::is_contained(fixed, parameter.value->text))
        parameters.push_back(&parameter);
    const ast::Expr *base = madeFrom(at);
    for (const ast::Arg &given : base ? base->args : llvm::None)
      fixed.push_back(given.value->text);
    bool isRow = base && base->operands[0]->kind == ast::ExprKind::Name;
    at = isRow ? table.find(folder, base->operands[0]->text) : Row();
  }
  return parameters;
}

/// The argument for `parameter` from `value`, which stands at `path`; "" where it takes its
/// default.
std::string CallText::argument(const ast::Arg &parameter, const Json &value,
                               const std::vector<llvm::StringRef> &path) {
  const ast::Expr *byDefault = parameter.assigned;
  bool isAuto = value.getAsString() == llvm::StringRef("auto");
  if (value.kind() == Json::Null || isAuto) // where the default is computed, they stand for it
    return isNumber(byDefault) && !isAuto ? "0" : "";
  llvm::StringRef kind = modelOf(byDefault);
  const Object *object = value.getAsObject();
  llvm::StringRef wanted = !kind.empty() && !object ? "an object" : contradiction(byDefault, value);
  if (!wanted.empty()) {
    diagnostics.report(config.place(path), diag::ConfigBadValue, path.back(), wanted);
    return "";
  }
  bool isList = byDefault && byDefault->kind == ast::ExprKind::List;
  if (isList && value.getAsNumber()) { // one for all
    llvm::json::Array all;
    for (size_t i = 0; i < byDefault->args.size(); ++i)
      all.push_back(value);
    return text(std::move(all));
  }
  if (object && !kind.empty()) { // a part of Qwen3-VL may be called as the whole is
    llvm::StringRef inner = object->getString("model_type").getValueOr(kind);
    return call(*object, path, asName(inner) == outer ? kind : inner);
  }
  return text(value);
}

std::string CallText::arguments(const Row &row, const Object &object,
                                std::vector<llvm::StringRef> &path) {
  std::vector<Entry> entries = entriesOf(object), inner;
  static const Json present = true;
  for (const Entry &entry : entries) // `text_config_hidden_size` is `hidden_size` of `text_config`
    if (const Object *nested = entry.value->getAsObject()) {
      for (const Entry &key : entriesOf(*nested))
        inner.push_back({entry.name + "_" + key.name, entry.key, key.value});
      inner.push_back({entry.name + "_given", entry.key, &present}); // is there such an object?
    }
  entries.insert(entries.end(), inner.begin(), inner.end());
  std::string list, missing;
  for (const ast::Arg *parameter : parametersOf(row)) {
    llvm::StringRef name = parameter->value->text;
    auto found = llvm::find_if(entries, [&](const Entry &entry) { return entry.name == name; });
    if (found == entries.end()) {
      if (!parameter->assigned)
        missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", name);
      continue;
    }
    path.push_back(found->key);
    std::string value = argument(*parameter, *found->value, path);
    path.pop_back();
    if (!value.empty())
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, value);
  }
  if (!missing.empty())
    diagnostics.report(config.place(path), diag::ConfigKeysMissing, nameOf(*row.item), missing);
  return list;
}

void CallText::reportUnknown(const Object &object, const std::vector<llvm::StringRef> &path,
                             llvm::StringRef kind) {
  std::vector<llvm::StringRef> place = path;
  for (llvm::StringRef key : {"model_type", "_class_name"})
    if (object.get(key)) {
      place.push_back(key);
      break;
    }
  Diagnostic &error = diagnostics.report(config.place(place), diag::UnknownModelType, kind);
  std::string all, missing;
  for (llvm::StringRef key : textsOf(table.find(folder, "needed_keys"))) {
    all += fmt::format("{}`{}`", all.empty() ? "" : ", ", key);
    if (!object.get(key))
      missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", key);
  }
  if (!all.empty())
    error.note(fmt::format("a decoder of std.families.decoder needs {}: {}", all,
                           missing.empty() ? "the file has them all"
                                           : "the file does not have " + missing));
  std::vector<std::string> names = table.names(folder);
  std::vector<llvm::StringRef> candidates(names.begin(), names.end());
  error.suggest(asName(kind), candidates,
                missing.empty() ? "where it is built like another one, name that: `--as llama`"
                                : "write its layers as a workload, of a family where one fits");
}

/// False of what stands for nothing: null, 0, false, and what is empty.
static bool isGiven(const llvm::json::Value &value) {
  const llvm::json::Array *list = value.getAsArray();
  const llvm::json::Object *object = value.getAsObject();
  return value.getAsNumber().getValueOr(0) != 0 || value.getAsBoolean().getValueOr(false) ||
         (list && !list->empty()) || (object && !object->empty());
}

void CallText::warnOfHead(const Row &row, llvm::StringRef task,
                          std::vector<llvm::StringRef> &path) {
  bool hasHeads = llvm::any_of(parametersOf(row), [](const ast::Arg *parameter) {
    return parameter->value->text == "head";
  });
  if (!hasHeads || llvm::is_contained(textsOf(table.find(folder, "heads")), task))
    return;
  path.push_back("architectures");
  diagnostics.report(config.place(path), diag::UnknownHead, task);
  path.pop_back();
}

void CallText::warnUnused(const Row &row, const Object &object,
                          std::vector<llvm::StringRef> &path) {
  std::vector<llvm::StringRef> sizes = textsOf(table.find(folder, "size_words"));
  std::vector<llvm::StringRef> others = textsOf(table.find(folder, "other_keys"));
  std::vector<const ast::Arg *> parameters = parametersOf(row);
  for (const Entry &entry : entriesOf(object)) {
    auto isIt = [&](const ast::Arg *parameter) { return parameter->value->text == entry.name; };
    if (llvm::any_of(parameters, isIt) || llvm::is_contained(others, entry.name))
      continue;
    llvm::SmallVector<llvm::StringRef, 4> words;
    llvm::StringRef(entry.name).split(words, '_');
    bool isSize =
        llvm::any_of(words, [&](llvm::StringRef word) { return llvm::is_contained(sizes, word); });
    if (!isSize || !isGiven(*entry.value))
      continue;
    path.push_back(entry.key);
    diagnostics.report(config.place(path), diag::ConfigKeyUnused, entry.key, nameOf(*row.item));
    path.pop_back();
  }
}

/// `object` with the keys that follow from others.
static Object withDerived(const Object &object) {
  Object keys = object;
  // How many classes there are is the length of the list of their names.
  if (const Object *labels = object.getObject("id2label"); labels && !object.get("num_labels"))
    keys["num_labels"] = static_cast<int64_t>(labels->size());
  if (const Object *rotary = object.getObject("rope_parameters")) // of newer files
    if (const Json *share = rotary->get("partial_rotary_factor"))
      keys.try_emplace("partial_rotary_factor", *share);
  // `hybrid_override_pattern` is a text with a letter for each layer.
  for (const auto &[key, value] : object)
    if (auto pattern = value.getAsString(); pattern && llvm::StringRef(key).endswith("_pattern")) {
      llvm::json::Array letters;
      for (char letter : *pattern)
        letters.push_back(std::string(1, letter));
      keys[key] = std::move(letters);
    }
  return keys;
}

std::string CallText::call(const Object &object, std::vector<llvm::StringRef> path,
                           llvm::StringRef kind) {
  std::string name = asName(kind);
  Row row = table.find(folder, name);
  if (!row.item || row.item->word != "workload") {
    reportUnknown(object, path, kind);
    return "";
  }
  used.insert(row.module + "." + name);
  Object keys = withDerived(object);
  llvm::StringRef task = taskOf(object);
  if (task.empty() && taskOf(config.keys) == "Model") // neither have its parts a head
    task = "Model";
  if (!task.empty()) {
    keys["head"] = task;
    warnOfHead(row, task, path);
  }
  std::string around = std::exchange(outer, name);
  std::string list = arguments(row, keys, path);
  outer = around;
  warnUnused(row, object, path);
  return name + "(" + list + ")";
}

std::string CallText::format(const Object &object, std::vector<llvm::StringRef> path) {
  llvm::StringRef method = object.getString("quant_method").getValueOr("");
  std::string name = "weights_" + asName(method);
  Row row = table.find("families", name);
  if (!row.item || row.item->word != "fn") {
    if (object.get("quant_method"))
      path.push_back("quant_method");
    diagnostics.report(config.place(path), diag::UnknownQuantization, method);
    return "";
  }
  used.insert(row.module + "." + name);
  return name + "(" + arguments(row, object, path) + ")";
}
