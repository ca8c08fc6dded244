// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/CallText.h"

#include "frontend/import/config/Quantization.h"
#include "frontend/import/config/Tasks.h"
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

/// A key as a name of the language, with its value; `path` leads to it and ends with it.
struct Entry {
  std::string name;
  std::vector<llvm::StringRef> path;
  const Json *value;
};

} // namespace

std::string config::asName(llvm::StringRef text) {
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
    entries.push_back({asName(key), {key}, &value});
  llvm::sort(entries, [](const Entry &one, const Entry &other) {
    return std::tie(one.name, one.path) < std::tie(other.name, other.path);
  });
  return entries;
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
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", names.add(entry.path[0], "key_"),
                          text(*entry.value));
  return list.empty() ? "0" : "(" + list + ")"; // null counts as 0
}

/// What parameters that begin with `name` and `_` take of an object under that key.
static std::vector<llvm::StringRef> takenInside(llvm::StringRef name,
                                                llvm::ArrayRef<const ast::Arg *> parameters) {
  std::vector<llvm::StringRef> taken;
  for (const ast::Arg *parameter : parameters) {
    llvm::StringRef rest = parameter->value->text;
    if (rest.consume_front(name) && rest.consume_front("_"))
      taken.push_back(rest);
  }
  return taken;
}

/// The argument for `parameter`, one of `all`, from `value`, which stands at `path`; "" where it
/// takes its default.
std::string CallText::argument(const ast::Arg &parameter, llvm::ArrayRef<const ast::Arg *> all,
                               const Json &given, const std::vector<llvm::StringRef> &path) {
  const Json &value = ValueRules::plain(parameter, all, given);
  const ast::Expr *byDefault = parameter.assigned;
  bool isNull = value.kind() == Json::Null;
  bool isAuto = value.getAsString() == llvm::StringRef("auto");
  if (isNull && llvm::is_contained(textsOf(table, folder, "null_texts"), path.back()))
    return "\"\"";
  if (isAuto || (isNull && !rules.isNullZero(parameter))) // they stand for the default
    return "";
  llvm::StringRef kind = modelOf(byDefault);
  const Object *object = value.getAsObject();
  std::string wanted =
      !kind.empty() && !object ? "an object" : rules.mistake(parameter, all, value);
  if (!wanted.empty()) {
    diagnostics.report(config.place(path), diag::ConfigBadValue, path.back(), wanted);
    return "";
  }
  bool isList = byDefault && byDefault->kind == ast::ExprKind::List;
  if (isList &&
      (value.getAsNumber() || value.getAsBoolean() || value.getAsString())) { // one for all
    llvm::json::Array elements;
    for (size_t i = 0; i < byDefault->args.size(); ++i)
      elements.push_back(value);
    return text(std::move(elements));
  }
  if (object && !kind.empty()) { // a part of Qwen3-VL may be called as the whole is
    llvm::StringRef inner = object->getString("model_type").getValueOr("");
    inner = inner.empty() || asName(inner) == outer ? kind : inner;
    if (isPair(chainOf(table, table.find(folder, asName(inner)))) && !mayBePair(kind)) {
      std::vector<llvm::StringRef> place = path;
      if (object->get("model_type"))
        place.push_back("model_type");
      diagnostics.report(config.place(place), diag::ConfigBadValue, place.back(),
                         "a model without an encoder of its own for " + outer);
      return "";
    }
    return call(*object, path, inner, takenInside(parameter.value->text, all));
  }
  return text(value);
}

std::string CallText::arguments(llvm::ArrayRef<Row> chain, const Object &object,
                                const std::vector<llvm::StringRef> &path) {
  std::vector<const ast::Arg *> parameters = parametersOf(chain);
  std::vector<Entry> entries = entriesOf(object), inner;
  static const Json present = true;
  auto placeOf = [&](const Entry &entry) {
    std::vector<llvm::StringRef> place = path;
    llvm::append_range(place, entry.path);
    return place;
  };
  for (const Entry &entry : entries) // `text_config_hidden_size` is `hidden_size` of `text_config`
    if (const Object *nested = entry.value->getAsObject()) {
      for (const Entry &key : entriesOf(*nested))
        inner.push_back({entry.name + "_" + key.name, {entry.path[0], key.path[0]}, key.value});
      inner.push_back({entry.name + "_given", entry.path, &present}); // is there such an object?
    } else if (entry.value->kind() != Json::Null && !findParameter(parameters, entry.name) &&
               llvm::StringRef(entry.name).endswith("_config") &&
               !takenInside(entry.name, parameters).empty()) {
      diagnostics.report(config.place(placeOf(entry)), diag::ConfigBadValue, entry.path[0],
                         "an object");
    }
  entries.insert(entries.end(), inner.begin(), inner.end());
  std::string list, missing;
  for (const ast::Arg *parameter : parameters) {
    llvm::StringRef name = parameter->value->text;
    auto found = llvm::find_if(entries, [&](const Entry &entry) { return entry.name == name; });
    if (found == entries.end()) {
      if (!parameter->assigned)
        missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", name);
      std::string value = partByDefault(*parameter, object, path);
      if (!value.empty())
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, value);
      continue;
    }
    std::string value = argument(*parameter, parameters, *found->value, placeOf(*found));
    if (!value.empty())
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, value);
  }
  if (!missing.empty())
    diagnostics.report(config.place(path), diag::ConfigKeysMissing, nameOf(*chain.front().item),
                       missing);
  return list;
}

void CallText::reportUnknown(const Object &object, const std::vector<llvm::StringRef> &path,
                             llvm::StringRef kind) {
  std::vector<llvm::StringRef> place = path;
  for (llvm::StringRef key : {"model_type", "_class_name", "architecture"})
    if (object.get(key)) {
      place.push_back(key);
      break;
    }
  Diagnostic &error = diagnostics.report(config.place(place), diag::UnknownModelType, kind);
  std::string all, missing;
  for (llvm::StringRef key : textsOf(table, folder, "needed_keys")) {
    all += fmt::format("{}`{}`", all.empty() ? "" : ", ", key);
    if (!object.get(key))
      missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", key);
  }
  if (!all.empty())
    error.note(fmt::format("a decoder of std.families.decoder needs {}: {}", all,
                           missing.empty() ? "the file has them all"
                                           : "the file does not have " + missing));
  for (const Entry &entry : entriesOf(object))
    if (const Object *part = entry.value->getAsObject()) {
      llvm::StringRef type = part->getString("model_type").getValueOr("");
      if (!type.empty() && table.find(folder, asName(type)).item)
        error.note(
            fmt::format("the library has `{}`, of which type `{}` is: a config.json with that "
                        "object alone counts this part",
                        type, entry.path[0]));
    }
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

/// True of a key whose name is about a size, with a value that is not nothing; of an object there,
/// of one of its keys.
static bool isSize(const Entry &entry, llvm::ArrayRef<llvm::StringRef> sizes) {
  const Object *nested = entry.value->getAsObject();
  auto isSizeInside = [&](const Entry &inner) { return isSize(inner, sizes); };
  return hasWord(entry.name, sizes) && isGiven(*entry.value) &&
         (!nested || llvm::any_of(entriesOf(*nested), isSizeInside));
}

/// `task` where the library has a head for it, else that of the model without one, with a warning.
llvm::StringRef CallText::knownTask(llvm::StringRef task, llvm::ArrayRef<Row> chain,
                                    std::vector<llvm::StringRef> &path) {
  static constexpr llvm::StringLiteral decoder = "CausalLM";
  bool hasChoice = findParameter(parametersOf(chain), "head") != nullptr;
  auto known = textsFor(table, folder, hasChoice ? "heads" : "only_heads", chain);
  if (llvm::is_contained(known, task))
    return task;
  // The text model of a model of images and texts may name the class of the whole.
  if (task == "ConditionalGeneration" && llvm::is_contained(known, decoder))
    return decoder;
  path.push_back("architectures");
  diagnostics.report(config.place(path), diag::UnknownHead, task);
  path.pop_back();
  return headless;
}

void CallText::reportUnused(llvm::ArrayRef<llvm::StringRef> path, llvm::StringRef kind) {
  Diagnostic &warning =
      diagnostics.report(config.place(path), diag::ConfigKeyUnused, path.back(), kind);
  if (llvm::is_contained(textsOf(table, folder, "keys_of_drafts"), path.back()))
    warning.note("such layers guess further tokens, where a server has them do so: they are stored "
                 "beside what counts here");
}

/// Warns of each key of `object` about a size that nothing reads: no parameter called `prefix` and
/// the key, and not what is around the object, which takes the keys `taken`.
void CallText::warnUnused(llvm::ArrayRef<Row> chain, const Object &object,
                          std::vector<llvm::StringRef> &path, const std::string &prefix,
                          llvm::ArrayRef<llvm::StringRef> taken) {
  std::vector<llvm::StringRef> sizes = textsOf(table, folder, "size_words");
  std::vector<llvm::StringRef> others = textsOf(table, folder, "other_keys");
  std::vector<llvm::StringRef> own = textsFor(table, folder, "other_keys", chain);
  std::vector<const ast::Arg *> parameters = parametersOf(chain);
  std::vector<Entry> entries = entriesOf(object);
  for (const Entry &entry : entries) {
    std::string name = prefix + entry.name;
    auto isRead = [&](llvm::StringRef key) { return findParameter(parameters, key) != nullptr; };
    auto isSame = [&](llvm::StringRef key) {
      return llvm::any_of(entries, [&](const Entry &other) {
        return other.name == key && *other.value == *entry.value;
      });
    };
    if (isRead(name) || llvm::is_contained(taken, name) || llvm::is_contained(others, entry.name) ||
        llvm::is_contained(own, entry.name))
      continue;
    const Object *nested = entry.value->getAsObject();
    path.push_back(entry.path[0]);
    if (nested && !takenInside(name, parameters).empty())
      warnUnused(chain, *nested, path, name + "_", {});
    else if (isSize(entry, sizes) &&
             llvm::none_of(textsOf(table, folder, "implied_" + entry.name), isRead) &&
             llvm::none_of(textsOf(table, folder, "same_" + entry.name), isSame))
      reportUnused(path, nameOf(*chain.front().item));
    path.pop_back();
  }
}

/// `object` with the keys that follow from others, or from defaults of `parameters`.
static Object withDerived(const Object &object, llvm::ArrayRef<const ast::Arg *> parameters) {
  Object keys = object;
  // How many classes there are is the length of the list of their names.
  if (const Object *labels = object.getObject("id2label"); labels && !object.get("num_labels"))
    keys["num_labels"] = static_cast<int64_t>(labels->size());
  if (const Json *groups = object.get("num_key_value_heads");
      groups && groups->kind() == Json::Null) { // one for each head
    const ast::Arg *heads = findParameter(parameters, "num_attention_heads");
    int64_t count = 0;
    if (const Json *given = object.get("num_attention_heads"))
      keys["num_key_value_heads"] = *given;
    else if (heads && heads->assigned && llvm::to_integer(heads->assigned->text, count))
      keys["num_key_value_heads"] = count;
  }
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
                           llvm::StringRef kind, llvm::ArrayRef<llvm::StringRef> taken) {
  std::string type = asName(kind), name = typeInside(path, type).str();
  Row row = table.find(folder, name);
  if (!row.item || row.item->word != "workload") {
    reportUnknown(object, path, kind);
    return "";
  }
  used.insert(row.module + "." + name);
  std::vector<Row> chain = chainOf(table, row);
  Object keys = withDerived(object, parametersOf(chain));
  shareTable(keys, name);
  llvm::StringRef whole = wholeTask(path);
  llvm::StringRef task = whole.empty() ? taskOf(object) : whole;
  if (!task.empty())
    task = knownTask(task, chain, path);
  else if (outerTask == headless) // neither have its parts a head
    task = headless;
  if (!task.empty())
    keys["head"] = task;
  for (llvm::StringRef key : overridden)
    keys.erase(key);
  auto overriddenAround =
      std::exchange(overridden, textsFor(table, folder, "overridden_keys", chain));
  std::string around = std::exchange(outer, name);
  std::string taskAround = std::exchange(outerTask, task.str());
  std::string list = arguments(chain, keys, path);
  outer = around;
  outerTask = taskAround;
  overridden = overriddenAround;
  warnUnused(chain, object, path, "", taken);
  // Around the whole model its reader puts the format.
  if (const Object *quantised = object.getObject(quantizationKey); quantised && !path.empty()) {
    path.push_back(quantizationKey);
    std::string formats =
        weights(*quantised, path, name, object.getInteger("num_hidden_layers").getValueOr(0),
                formatOf(config.keys));
    if (!formats.empty())
      list += (list.empty() ? "" : ", ") + formats;
  }
  return name + "(" + list + ")";
}

std::string CallText::weights(const Object &object, std::vector<llvm::StringRef> path,
                              llvm::StringRef kind, int64_t layers, llvm::StringRef own) {
  std::string all = format(object, std::move(path));
  if (all.empty())
    return "";
  std::vector<Row> chain = chainOf(table, table.find(folder, asName(kind)));
  std::vector<const ast::Arg *> parameters;
  if (!chain.empty() && chain.back().item->args[0].value->kind == ast::ExprKind::Call)
    for (const ast::Arg &parameter : chain.back().item->args[0].value->args)
      parameters.push_back(&parameter);
  bool isApart = leavesAttention(object, layers) && findParameter(parameters, "attention_weights");
  return "weights = " + all +
         (isApart ? fmt::format(", attention_weights = {}", own.empty() ? "bf16" : own) : "");
}

std::string CallText::format(const Object &object, std::vector<llvm::StringRef> path) {
  if (!isQuantised(object))
    return "";
  std::string kind = quantizationMethod(object);
  std::string name = "weights_" + asName(llvm::StringRef(kind).lower());
  Row row = table.find("families", name);
  if (!row.item || row.item->word != "fn") {
    if (object.get("quant_method"))
      path.push_back("quant_method");
    diagnostics.report(config.place(path), diag::UnknownQuantization,
                       kind.empty() ? llvm::StringRef(quantizationKey) : kind);
    return "";
  }
  used.insert(row.module + "." + name);
  return name + "(" + arguments({row}, withOneGroup(object), path) + ")";
}
