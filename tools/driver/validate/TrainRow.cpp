// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/TrainRow.h"

#include "api/Evaluation.h"
#include "api/Providers.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

double driver::cellNumber(const CsvTable &table, const CsvTable::Row &row, llvm::StringRef column,
                          double otherwise) {
  llvm::Optional<Number> number = table.number(row, column);
  return number ? number->real : otherwise;
}

int64_t driver::cellCount(const CsvTable &table, const CsvTable::Row &row, llvm::StringRef column,
                          int64_t otherwise) {
  llvm::Optional<Number> number = table.number(row, column);
  return number && number->real >= 1 ? static_cast<int64_t>(number->real) : otherwise;
}

static constexpr llvm::StringLiteral imports = R"(
import std.workloads.{deepseek_v3, gpt3, llama, llama3, megatron, moe, mpt, nemotron}
import std.hardware.{a100, blackwell, h100, v100}
import std.networks
)";

/// The row's system and statement.
static std::string statementOf(const TrainRow &row, int64_t microbatch, bool withRuntime) {
  std::string text;
  int64_t inside = std::min(row.chips, row.perNode);
  text += fmt::format("system cluster {{\n  node = {} * {} over {}\n", inside, row.chip,
                      row.nodeNetwork);
  if (row.chips > inside)
    text += fmt::format("  all = {} * node over {}\n", row.chips / inside, row.network);
  int64_t data = std::max<int64_t>(1, row.chips / (row.tensor * row.pipeline * row.context));
  text += fmt::format("}}\ntrain {} on cluster {{\n", row.model);
  text += fmt::format(
      "  parallel tensor = {}, pipeline = {}, context = {}, data = {}, expert = {}, "
      "sequence = {}\n",
      row.tensor, row.pipeline, row.context, data, row.expert, row.sequence ? row.tensor : 1);
  text += fmt::format("  batch {}\n  microbatch {}\n  dtype {}\n  recompute {}\n  optimizer {}\n",
                      row.batch, microbatch, row.dtype, row.recompute, row.optimizer);
  if (row.chunks > 1)
    text += fmt::format("  schedule interleaved(chunks = {})\n", row.chunks);
  if (row.layers > 0 && row.pipeline > 1 && row.layers % (row.pipeline * row.chunks) &&
      (row.layers + 2) % (row.pipeline * row.chunks)) {
    text += "  stages ";
    for (int64_t stage = 0; stage < row.pipeline; ++stage)
      text +=
          fmt::format("{}{}", stage ? ", " : "",
                      row.layers * (stage + 1) / row.pipeline - row.layers * stage / row.pipeline);
    text += "\n";
  }
  if (!row.adapters.empty())
    text += "  adapters " + row.adapters + "\n";
  if (!row.experts.empty())
    text += "  experts { " + row.experts + " }\n";
  if (!row.shard.empty())
    text += "  shard " + row.shard + "\n";
  if (!row.products.empty() && row.products != row.dtype)
    text += "  products " + row.products + "\n";
  if (withRuntime && !row.runtime.empty())
    text += "  runtime " + row.runtime + "\n";
  return text + "}\n";
}

/// The row as a program; `runtimes` declares what it names.
static std::string programOf(const TrainRow &row, int64_t microbatch, bool withRuntime,
                             llvm::StringRef runtimes) {
  std::string text = imports.str();
  if (withRuntime)
    text += (runtimes.empty() ? "import std.runtimes\n" : runtimes.str() + "\n");
  return text + statementOf(row, microbatch, withRuntime);
}

static std::shared_ptr<const Outcome> evaluateWith(const TrainRow &row, int64_t microbatch,
                                                   bool withRuntime, const TrainOptions &options,
                                                   std::string &problem, bool &fits) {
  std::string text = programOf(row, microbatch, withRuntime, options.runtimes);
  // The model's graph holds one microbatch of each data-parallel rank.
  Session inner(llvm::nulls(), llvm::nulls());
  FileId file = inner.sources.add("<row>", std::move(text));
  RunOptions beyond;
  beyond.trainsBeyondMemory = true;
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(inner.context(), providers, beyond);
  evaluation.run(file, {}, [](const Evaluated &) {});
  for (const Diagnostic &one : inner.diagnostics.all())
    if (one.kind->severity == Severity::Error) {
      problem = one.message;
      return nullptr;
    }
  if (evaluation.results().empty()) {
    problem = "no result";
    return nullptr;
  }
  const Outcome &outcome = evaluation.results().front();
  const Cost &cost = outcome.cost;
  // Runs free what they can: a quarter over the capacity may still have run.
  fits =
      !cost.memoryCapacity || static_cast<double>(cost.peakMemory) <= 1.25 * *cost.memoryCapacity;
  return std::make_shared<const Outcome>(outcome);
}

/// The fastest of the choices that the row leaves open; those that fit come first.
std::shared_ptr<const Outcome> driver::evaluateTrainRow(const TrainRow &row, bool withRuntime,
                                                        const TrainOptions &options,
                                                        std::string &problem) {
  std::vector<int64_t> microbatches, chunks;
  int64_t each = row.batch * row.tensor * row.pipeline * row.context / row.chips;
  for (int64_t size = 1; size <= std::min<int64_t>(each, 32) && each % size == 0; size *= 2)
    microbatches.push_back(size);
  if (row.microbatch > 0)
    microbatches.assign(1, row.microbatch);
  for (int64_t count = 1; count <= 8; ++count)
    chunks.push_back(count);
  if (row.chunks > 0)
    chunks.assign(1, row.chunks);
  std::shared_ptr<const Outcome> best;
  bool bestFits = false;
  for (int64_t microbatch : microbatches)
    for (int64_t count : chunks) {
      TrainRow choice = row;
      choice.chunks = count;
      std::string reason;
      bool fits = false;
      auto found = evaluateWith(choice, microbatch, withRuntime, options, reason, fits);
      if (!found) {
        problem = reason;
        continue;
      }
      if (best && (bestFits > fits || (bestFits == fits && best->cost.latency.central() <=
                                                               found->cost.latency.central())))
        continue;
      best = std::move(found);
      bestFits = fits;
    }
  if (best)
    problem.clear();
  return best;
}

static uint64_t hashOf(llvm::StringRef text) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a: the same on every machine
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

/// The half of each case, "" for those without a prediction.
static std::vector<std::string> halvesOf(llvm::ArrayRef<TrainCase> cases) {
  std::map<std::string, std::set<uint64_t>> byRuntime;
  auto keyOf = [](const TrainCase &one) {
    llvm::StringRef runtime = one.row.runtime;
    return std::make_pair(runtime.split('(').first.str(),
                          hashOf(statementOf(one.row, one.row.microbatch, false)));
  };
  for (const TrainCase &one : cases)
    if (one.skipped.empty())
      byRuntime[keyOf(one).first].insert(keyOf(one).second);
  std::vector<std::string> halves;
  for (const TrainCase &one : cases) {
    const std::set<uint64_t> &hashes = byRuntime[keyOf(one).first];
    auto place = std::distance(hashes.begin(), hashes.find(keyOf(one).second));
    halves.push_back(!one.skipped.empty() ? "" : place % 2 == 0 ? "fit" : "test");
  }
  return halves;
}

void driver::predictCases(std::vector<TrainCase> cases, const TrainOptions &options,
                          std::vector<ValidationRow> &rows) {
  std::vector<std::string> halves = halvesOf(cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    TrainCase &one = cases[i];
    if (!options.half.empty() && halves[i] != options.half)
      continue;
    if (!halves[i].empty())
      one.entry.labels.insert(one.entry.labels.begin(), {"half", halves[i]});
    for (bool withRuntime : {true, false}) {
      if (!withRuntime && !options.half.empty())
        continue;
      Prediction prediction;
      prediction.metric = withRuntime ? "step_time" : "step_time_ideal";
      prediction.skipped = one.skipped;
      if (one.seconds > 0)
        prediction.reference = Number::fromReal(one.seconds);
      if (one.skipped.empty())
        if (auto found = evaluateTrainRow(one.row, withRuntime, options, prediction.skipped)) {
          prediction.predicted = Number::fromReal(found->cost.latency.central());
          prediction.halfWidth = found->cost.latency.halfWidth();
        }
      one.entry.predictions.push_back(std::move(prediction));
    }
    rows.push_back(std::move(one.entry));
  }
}
