// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/Quantization.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <map>

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
  const llvm::json::Object *byModule = object.getObject("quant_type");
  const llvm::json::Object *type = byModule ? byModule->getObject("default") : nullptr;
  if (type)
    return ofClass(type->getString("_type").getValueOr(""));
  return object.getString("quant_type").getValueOr("").str();
}

std::string config::quantizationMethod(const llvm::json::Object &object) {
  const llvm::json::Object *producer = object.getObject("producer");
  llvm::StringRef method = object.getString("quant_method").getValueOr("");
  if (producer && (method.empty() || object.get("quant_algo")))
    method = producer->getString("name").getValueOr(method);
  std::string algorithm = algorithmOf(object);
  return algorithm.empty() ? method.str() : (method + " " + algorithm).str();
}
