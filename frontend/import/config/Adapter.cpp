// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/Adapter.h"

#include "ir/common/diagnostics/Models.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace perfc;
using namespace perfc::config;
namespace fs = llvm::sys::fs;
namespace paths = llvm::sys::path;

/// Keys with which adapters are more, or other ones, than two products beside each module.
static constexpr llvm::StringLiteral otherKinds[] = {
    "use_dora",          "lora_bias",         "layers_to_transform",
    "layer_replication", "target_parameters", "exclude_modules"};

bool config::isAdapterWeights(llvm::StringRef path) {
  return paths::filename(path).startswith("adapter_model");
}

std::string config::baseFolder(const Config &adapter, llvm::StringRef folder) {
  llvm::StringRef base = adapter.string(baseKey);
  llvm::SmallString<128> inside = folder, beside = folder;
  paths::append(inside, base);
  paths::append(beside, "..", paths::filename(base));
  std::vector<llvm::StringRef> places = {folder};
  if (!base.empty())
    places.insert(places.end(), {base, inside, beside});
  for (llvm::StringRef place : places) {
    llvm::SmallString<128> file = place;
    paths::append(file, "config.json");
    if (fs::exists(file))
      return place.str();
  }
  return "";
}

namespace {

/// Which modules an adapter is beside, with their ranks.
class LowRanks {
public:
  LowRanks(const Config &adapter, FamilyTable &table, llvm::ArrayRef<Row> chain,
           DiagnosticEngine &diagnostics)
      : adapter(adapter), table(table), chain(chain), diagnostics(diagnostics),
        roles(textsFor(table, hubTable, "adapted_modules", chain)) {}

  std::string text();

private:
  std::string leaveOut(KeyPath key, const std::string &why);
  std::vector<std::string> targets() const;
  bool readPattern(std::map<std::string, int64_t> &ranks);

  const Config &adapter;
  FamilyTable &table;
  llvm::ArrayRef<Row> chain;
  DiagnosticEngine &diagnostics;
  std::vector<llvm::StringRef> roles; ///< "MODULE PRODUCT"
};

} // namespace

/// Nothing, after a warning at `key`.
std::string LowRanks::leaveOut(KeyPath key, const std::string &why) {
  diagnostics.report(adapter.place(key), diag::AdapterLeftOut, why)
      .help("its base model alone is read, as if the adapter was merged");
  return "";
}

/// A regular expression names the modules that stand in it as words.
std::vector<std::string> LowRanks::targets() const {
  std::vector<std::string> names;
  llvm::StringRef expression = adapter.string("target_modules");
  if (expression == "all-linear")
    for (llvm::StringRef name : textsFor(table, hubTable, "linear_modules", chain))
      names.push_back(name.str());
  else
    for (; !expression.empty(); expression = expression.drop_front()) {
      llvm::StringRef word =
          expression.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (llvm::any_of(roles, [&](llvm::StringRef role) { return role.split(' ').first == word; }))
        names.push_back(word.str());
      expression = expression.drop_front(word.empty() ? 0 : word.size() - 1);
    }
  if (const llvm::json::Array *list = adapter.keys.getArray("target_modules"))
    for (const llvm::json::Value &value : *list)
      if (auto name = value.getAsString())
        names.push_back(name->rsplit('.').second.empty() ? name->str()
                                                         : name->rsplit('.').second.str());
  return names;
}

/// Ranks of modules that have another one, in all layers alike. False after a warning.
bool LowRanks::readPattern(std::map<std::string, int64_t> &ranks) {
  const llvm::json::Object *pattern = adapter.keys.getObject("rank_pattern");
  for (const auto &[name, value] : pattern ? *pattern : llvm::json::Object()) {
    auto rank = value.getAsInteger();
    bool isModule = llvm::any_of(roles, [name = llvm::StringRef(name)](llvm::StringRef role) {
      return role.split(' ').first == name;
    });
    if (!isModule || !rank || *rank < 1) {
      leaveOut({"rank_pattern", name}, "its ranks differ between layers");
      return false;
    }
    ranks[name.str()] = *rank;
  }
  return true;
}

std::string LowRanks::text() {
  std::string method = llvm::StringRef(adapter.string("peft_type")).upper();
  if (method != "LORA")
    return leaveOut({"peft_type"}, method.empty() ? "it does not say its `peft_type`"
                                                  : "it is of type " + method + ", not LORA");
  for (llvm::StringRef key : otherKinds)
    if (const llvm::json::Value *value = adapter.keys.get(key)) {
      bool isNothing = value->kind() == llvm::json::Value::Null || value->getAsBoolean() == false ||
                       (value->getAsArray() && value->getAsArray()->empty());
      if (!isNothing)
        return leaveOut({key}, fmt::format("`{}` makes other adapters", key));
    }
  auto rank = adapter.keys.getInteger("r");
  std::map<std::string, int64_t> own, ranks;
  if (!rank || *rank < 1)
    return leaveOut({"r"}, "its rank `r` is a whole number of at least 1");
  if (!readPattern(own))
    return "";
  std::vector<std::string> names = targets();
  for (const std::string &name : names) {
    bool isKnown = false;
    for (llvm::StringRef role : roles)
      if (auto [module, product] = role.split(' '); module == name) {
        ranks[product.str()] = own.count(name) ? own[name] : *rank;
        isKnown = true;
      }
    if (!isKnown)
      return leaveOut({"target_modules"}, "the library does not know the module `" + name + "`");
  }
  if (ranks.empty())
    return leaveOut({"target_modules"}, "it names no module");
  std::string list;
  for (llvm::StringRef product :
       textsOf(table, "families", "adapted_products")) // in the order of the layer
    if (auto found = ranks.find(product.str()); found != ranks.end())
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", product, found->second);
  return "low_ranks(" + list + ")";
}

std::string config::lowRanks(const Config &adapter, FamilyTable &table, llvm::ArrayRef<Row> chain,
                             DiagnosticEngine &diagnostics) {
  LowRanks ranks(adapter, table, chain, diagnostics);
  return ranks.text();
}
