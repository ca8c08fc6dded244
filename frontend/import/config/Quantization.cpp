// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/Quantization.h"

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <map>
#include <set>
#include <vector>

using namespace perfc;

/// `Int4WeightOnlyConfig` as `int4_weight_only`.
static std::string ofClass(llvm::StringRef name) {
  auto isUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
  name.consume_back("Config");
  std::string words;
  for (size_t at = 0; at < name.size(); ++at) {
    if (at && isUpper(name[at]) && !isUpper(name[at - 1]))
      words += '_';
    words += llvm::toLower(name[at]);
  }
  return words;
}

/// The algorithm that most of `layers`, objects with one each, have; "" where there are none.
static std::string commonAlgorithm(const llvm::json::Object *layers) {
  std::map<std::string, size_t> counts; // in the order of their names, so that ties are none
  if (!layers)
    return "";
  for (const auto &layer : *layers)
    if (const llvm::json::Object *own = layer.second.getAsObject())
      ++counts[own->getString("quant_algo").getValueOr("").str()];
  using Count = std::pair<const std::string, size_t>;
  auto most =
      std::max_element(counts.begin(), counts.end(), [](const Count &one, const Count &other) {
        return one.second < other.second;
      });
  return most == counts.end() ? "" : most->first;
}

/// The object at the end of `path` in `object`, or null.
static const llvm::json::Object *inside(const llvm::json::Object *object,
                                        llvm::ArrayRef<llvm::StringRef> path) {
  for (llvm::StringRef key : path)
    object = object ? object->getObject(key) : nullptr;
  return object;
}

/// The name of a class of torchao, of one that differs by modules that of all others; `intx` in it
/// is the type of its weights.
static std::string torchaoType(const llvm::json::Object &type) {
  if (const auto *others = inside(&type, {"_data", "module_fqn_to_config", "_default"}))
    return torchaoType(*others);
  std::string name = ofClass(type.getString("_type").getValueOr(""));
  if (const auto *weights = inside(&type, {"_data", "weight_dtype"}))
    if (size_t at = name.find("intx"); at != std::string::npos)
      name.replace(at, 4, weights->getString("_data").getValueOr("intx").str());
  return name;
}

/// How the method of the configuration `object` stores weights, where it has several ways: its
/// `quant_algo`, of a mixture what most layers have; or its `quant_type`, the class that torchao
/// writes in an object there or the name that older ones have.
static std::string algorithmOf(const llvm::json::Object &object) {
  const llvm::json::Object *inner = object.getObject("quantization");
  for (const llvm::json::Object *keys : {&object, inner})
    if (llvm::StringRef name = keys ? keys->getString("quant_algo").getValueOr("") : "";
        !name.empty()) {
      std::string common = commonAlgorithm(keys->getObject("quantized_layers"));
      return name != "MIXED_PRECISION" || common.empty() ? name.str() : common;
    }
  if (const llvm::json::Object *byModule = object.getObject("quant_type"))
    if (const llvm::json::Object *type = byModule->getObject("default"))
      return torchaoType(*type);
  return object.getString("quant_type").getValueOr("").str();
}

std::string config::quantizationMethod(const llvm::json::Object &object) {
  const llvm::json::Object *producer = object.getObject("producer");
  llvm::StringRef method = object.getString("quant_method").getValueOr("");
  if (producer && (method.empty() || object.get("quant_algo")))
    method = producer->getString("name").getValueOr(method);
  if (method.empty() && (object.get("load_in_4bit") || object.get("load_in_8bit")))
    method = "bitsandbytes";
  if (method.empty() && object.get("bits") && object.get("group_size"))
    method = "mlx";
  std::string algorithm = algorithmOf(object);
  return algorithm.empty() ? method.str() : (method + " " + algorithm).str();
}

bool config::isQuantised(const llvm::json::Object &object) {
  bool isGrouped = object.getString("quant_method") == llvm::StringRef("compressed-tensors");
  const llvm::json::Object *groups = object.getObject("config_groups");
  return !object.empty() && !(isGrouped && groups && groups->empty());
}

/// How well the group `group` stands for all: 2 where it is for all products, 1 for those of
/// feed-forward layers, else 0.
static int reachOf(const llvm::json::Value &group) {
  const llvm::json::Object *object = group.getAsObject();
  const llvm::json::Array *targets = object ? object->getArray("targets") : nullptr;
  int reach = 0;
  for (const llvm::json::Value &target : targets ? *targets : llvm::json::Array()) {
    llvm::StringRef name = target.getAsString().getValueOr("");
    if (name == "Linear")
      reach = 2;
    for (llvm::StringRef word : {"mlp", "expert", "feed_forward", "ffn"})
      if (name.contains(word))
        reach = std::max(reach, 1);
  }
  return reach;
}

llvm::json::Object config::withOneGroup(const llvm::json::Object &object) {
  llvm::json::Object keys = object;
  if (const llvm::json::Object *groups = object.getObject("config_groups")) {
    const llvm::json::Object::value_type *kept = nullptr;
    for (const auto &group : *groups) // the one that reaches most, of these the first by name
      if (!kept || reachOf(group.second) > reachOf(kept->second) ||
          (reachOf(group.second) == reachOf(kept->second) && group.first < kept->first))
        kept = &group;
    const llvm::json::Object *group = kept ? kept->second.getAsObject() : nullptr;
    if (const llvm::json::Object *weights = group ? group->getObject("weights") : nullptr)
      keys["config_groups"] = llvm::json::Object{
          {"group_0",
           llvm::json::Object{
               {"weights", llvm::json::Object{
                               {"num_bits", weights->getInteger("num_bits").getValueOr(4)},
                               {"type", weights->getString("type").getValueOr("int")},
                               {"group_size", weights->getInteger("group_size").getValueOr(0)}}}}}};
  }
  if (llvm::json::Object *all = keys.getObject("global_quant_config"))
    if (const llvm::json::Array *steps = all->getArray("weight"); steps && !steps->empty()) {
      llvm::json::Value first = steps->front();
      (*all)["weight"] = std::move(first);
    }
  return keys;
}

/// The patterns of the modules that keep the model's own format.
static std::vector<llvm::StringRef> leftOut(const llvm::json::Object &object) {
  std::vector<llvm::StringRef> names;
  for (const llvm::json::Object *keys : {&object, object.getObject("quantization")})
    for (llvm::StringRef key :
         {"ignore", "ignored_layers", "modules_to_not_convert", "exclude_modules", "exclude",
          "skip_modules", "llm_int8_skip_modules"})
      if (const llvm::json::Array *list = keys ? keys->getArray(key) : nullptr)
        for (const llvm::json::Value &name : *list)
          names.push_back(name.getAsString().getValueOr(""));
  return names;
}

static bool isVision(llvm::StringRef name) {
  return name.contains("visual") || name.contains("vision");
}

/// The layer whose whole attention `name` stands for, -1 for those of all layers; nothing where it
/// is not all of it: what follows is no wildcard and not the last product.
static llvm::Optional<int64_t> attentionOf(llvm::StringRef name) {
  size_t at = name.rfind("attn"), length = 4;
  if (at == llvm::StringRef::npos)
    at = name.rfind("attention"), length = 9;
  if (at == llvm::StringRef::npos || isVision(name))
    return llvm::None;
  llvm::StringRef rest = name.substr(at + length).trim(".*$\\");
  if (!rest.empty() && rest != "o_proj")
    return llvm::None;
  int64_t layer = -1;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  name.take_front(at).split(parts, '.');
  for (llvm::StringRef part : parts)
    part.getAsInteger(10, layer);
  return layer;
}

bool config::leavesAttention(const llvm::json::Object &object, int64_t layers) {
  std::set<int64_t> known;
  for (llvm::StringRef name : leftOut(object))
    if (llvm::Optional<int64_t> layer = attentionOf(name))
      known.insert(*layer);
  return known.count(-1) || (layers > 0 && 2 * static_cast<int64_t>(known.size()) >= layers);
}

bool config::leavesVision(const llvm::json::Object &object) {
  return llvm::any_of(leftOut(object), isVision);
}
