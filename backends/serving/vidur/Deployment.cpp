// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/vidur/Deployment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

namespace {
struct NamedModel {
  llvm::StringLiteral name;
  vidur::Model model;
};
} // namespace

static constexpr NamedModel models[] = {
    {"meta-llama/Llama-2-7b-hf", {32, 4096, 32, 32, 128, 11008, true}},
    {"meta-llama/Llama-2-70b-hf", {80, 8192, 64, 8, 128, 28672, true}},
    {"meta-llama/Meta-Llama-3-8B", {32, 4096, 32, 8, 128, 14336, true}},
    {"meta-llama/Meta-Llama-3-70B", {80, 8192, 64, 8, 128, 28672, true}},
    {"codellama/CodeLlama-34b-Instruct-hf", {48, 8192, 64, 8, 128, 22016, true}},
    {"internlm/internlm-20b", {60, 5120, 40, 40, 128, 13824, true}},
    {"internlm/internlm2-20b", {48, 6144, 48, 8, 128, 16384, true}},
    {"Qwen/Qwen-72B", {80, 8192, 64, 64, 128, 24576, true}},
    {"microsoft/phi-2", {32, 2560, 32, 32, 80, 10240, false}},
};

double vidur::Model::weightBytes(int64_t tensor, int64_t stages) const {
  int64_t local = (cacheHeads + tensor - 1) / tensor;
  int64_t attention =
      hidden * headSize * (heads / tensor + 2 * local) + hidden * headSize * (heads / tensor);
  int64_t other = (isGated ? 3 : 2) * hidden * feedForward / tensor;
  return static_cast<double>(2 * (layers / stages) * (attention + other));
}

double vidur::Model::cacheBytes(int64_t tensor) const {
  return static_cast<double>(4 * headSize * ((cacheHeads + tensor - 1) / tensor) * layers);
}

std::string vidur::shortName(llvm::StringRef name) {
  std::string text = name.rsplit('/').second.empty() ? name.str() : name.rsplit('/').second.str();
  for (llvm::StringRef word : {"-hf", "-Instruct", "Meta-"})
    if (size_t at = text.find(word.str()); at != std::string::npos)
      text.erase(at, word.size());
  return text;
}

llvm::Optional<vidur::Model> vidur::modelNamed(llvm::StringRef name) {
  std::string wanted = shortName(name);
  for (const NamedModel &known : models)
    if (shortName(known.name) == wanted)
      return known.model;
  return llvm::None;
}

/// Letters and digits alone, all small: `Llama-2-7b` and `llama2_7b` are one name.
static std::string plainName(llvm::StringRef name) {
  std::string plain;
  for (char letter : name)
    if (llvm::isAlnum(letter))
      plain += llvm::toLower(letter);
  return plain;
}

std::string vidur::nameOf(const RankFigures &rank, llvm::StringRef called) {
  auto areClose = [](double a, double b) { return std::fabs(a / b - 1) < 0.005; };
  std::string found;
  for (const NamedModel &known : models) {
    const Model &model = known.model;
    if (model.layers != rank.layers || 2 * static_cast<double>(model.hidden) != rank.tokenBytes ||
        !areClose(rank.weights, model.weightBytes(rank.tensor, rank.stages)) ||
        !areClose(rank.cacheToken, model.cacheBytes(rank.tensor)))
      continue;
    bool isCalled = plainName(called).find(plainName(shortName(known.name))) != std::string::npos;
    if (found.empty() || isCalled)
      found = known.name.str();
  }
  return found;
}

llvm::Optional<double> vidur::deviceMemory(llvm::StringRef device) {
  constexpr double gibibyte = 1 << 30;
  if (device == "a100" || device == "h100")
    return 80 * gibibyte;
  if (device == "a40")
    return 45 * gibibyte;
  return llvm::None;
}

vidur::Pool vidur::poolOf(double memory, double weights, double cacheBytes, int64_t mostTokens,
                          int64_t block, int64_t stages) {
  constexpr double margin = 0.1;
  double left = memory * (1 - margin) - weights;
  double slots = std::floor(left / (cacheBytes * static_cast<double>(mostTokens)));
  Pool pool;
  pool.slots = static_cast<int64_t>(std::min(std::max(0.0, slots), 1e9));
  pool.blocks = mostTokens / block * pool.slots * stages;
  return pool;
}
