// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind hf_configs: entries `name`, `config` (config.json) and `expect`, whose counts are predicted
// from the configuration alone. Per token and per token of the context are first and second
// differences over texts of one, two and three tokens; of decoders with states, whose layers cut
// texts into chunks, what one token costs behind one and two others. A token's sum over its
// experts, which counts as a product with their scores, is left out as published counts do.
#include "api/Evaluation.h"
#include "api/Providers.h"
#include "backends/emit/Result.h"
#include "frontend/import/config/ConfigText.h"
#include "frontend/sema/LibraryTable.h"
#include "tools/driver/validate/JsonFile.h"
#include <deque>

using namespace perfc;
using namespace perfc::driver;

namespace {

/// What perfc makes of one configuration.
struct Counted {
  double parameters = 0, active = 0, layers = 0, pairs = 0, cache = 0;
  bool isCausal = false, isPerToken = false; ///< are the counts of a token known?
  std::string problem;
};

} // namespace

/// Multiplications without those that add up experts.
static double macsOf(const emit::Result &result) {
  double macs = 0;
  for (const emit::KernelLine &line : emit::flatten(result.cost.breakdown))
    if (!llvm::StringRef(line.part->label).startswith("combine"))
      macs += line.macs;
  return macs;
}

/// The statements that are counted: the whole model and, for counts of a token, lengths of a text,
/// and of a decoder one token after others.
static std::string programText(const config::Program &whole, bool perToken) {
  const config::NamedModel &program = whole.models.front();
  std::string text = "import std.validate.counter\n" + whole.text;
  std::vector<std::string> calls = {"()"};
  if (program.isDecoder() && program.family == "decoder")
    calls = {"(T = 1)", "(T = 2)", "(T = 3)", "(T = 1, S = 1024)", "(T = 1, S = 1025)"};
  else if (program.isDecoder())
    calls = {"(T = 1)", ".decode(context = 2)", ".decode(context = 3)", ".decode(context = 1024)",
             ".decode(context = 1025)"};
  else if (program.hasContext())
    calls = {"(context = 1)", "(context = 2)", "(context = 3)"};
  calls.resize(perToken ? calls.size() : 1);
  for (const std::string &call : calls)
    text += fmt::format("evaluate {}{} on counter using roofline\n", program.workload, call);
  return text;
}

/// What a token costs by itself and for each token of its context, from those statements.
static void countToken(const std::deque<emit::Result> &results, const config::NamedModel &program,
                       Counted &counted) {
  double one = macsOf(results[0]), two = macsOf(results[1]), three = macsOf(results[2]);
  counted.isPerToken = true;
  if (program.isDecoder() && program.family != "decoder") {
    counted.pairs = three - two;
    counted.layers = two - 2 * counted.pairs;
  } else {
    double bend = three - 2 * two + one; // each token sees those before it, or all
    counted.pairs = counted.isCausal ? bend : bend / 2;
    counted.layers = two - one - (counted.isCausal ? 2 : 3) * counted.pairs;
  }
  constexpr double elementBytes = 2; // fp16
  if (results.size() > 3)
    counted.cache = static_cast<double>(results.back().cost.peakMemory -
                                        results[results.size() - 2].cost.peakMemory) /
                    elementBytes;
}

/// `asClass`: the class of transformers that the model counts as, "" for what the file says.
static Counted count(const llvm::json::Object &keys, llvm::StringRef asClass, bool perToken) {
  Counted counted;
  Session inner(llvm::nulls(), llvm::nulls());
  Program library(inner.sources, inner.diagnostics);
  LibraryTable table(library);
  config::Config config;
  config.keys = keys;
  if (!asClass.empty())
    config.keys["architectures"] = llvm::json::Array{asClass};
  auto program = config::programOf(config, "model", {}, table, inner.diagnostics);
  if (!program) {
    counted.problem = problemOf(inner.diagnostics);
    return counted;
  }
  counted.isCausal = program->models.front().isDecoder();
  FileId file = inner.sources.add("<model>", programText(*program, perToken));
  ProviderSet providers = api::defaultProviders();
  api::Evaluation evaluation(inner.context(), providers);
  llvm::Optional<int64_t> unchosen; // of the whole model, which stands first
  evaluation.run(file, {}, [&](const api::Evaluated &each) {
    if (!unchosen)
      unchosen = api::countUnchosen(each.module, each.op.symbolAttr("subject"));
  });
  const auto &results = evaluation.results();
  if (inner.diagnostics.hasErrors() || results.empty()) {
    counted.problem = problemOf(inner.diagnostics);
    return counted;
  }
  counted.parameters = static_cast<double>(results[0].parameters.getValueOr(0));
  counted.active = counted.parameters - static_cast<double>(unchosen.getValueOr(0));
  if (results.size() >= 3)
    countToken(results, program->models.front(), counted);
  return counted;
}

static ValidationRow predictEntry(const llvm::json::Object &entry) {
  const llvm::json::Object &config = *entry.getObject("config");
  const llvm::json::Object &expect = *entry.getObject("expect");
  bool perToken = llvm::any_of(expect, [](const auto &counted) {
    llvm::StringRef metric = counted.first;
    return metric.contains("per_token");
  });
  Counted whole = count(config, "", perToken), inner;
  if (expect.get("linear_macs_per_token_without_head"))
    inner = count(config, "Model", perToken);
  ValidationRow row{entry.getString("name").getValueOr("").str(), {}, {}};
  auto add = [&](llvm::StringRef metric, const Counted &counted, double value) {
    llvm::Optional<Number> reference = numberOf(expect.get(metric));
    if (!reference)
      return;
    Prediction prediction{metric.str(), llvm::None, reference, counted.problem, {}};
    if (prediction.skipped.empty() && !metric.startswith("params") && !counted.isPerToken)
      prediction.skipped = "counts of a token are those of decoders and of encoders of text";
    if (prediction.skipped.empty())
      prediction.predicted = Number(static_cast<int64_t>(value));
    row.predictions.push_back(std::move(prediction));
  };
  add("params_total", whole, whole.parameters);
  add("params_active", whole, whole.active);
  add("linear_macs_per_token", whole, whole.layers);
  add("linear_macs_per_token_without_head", inner, inner.layers);
  add("attn_macs_per_token_per_context_token", whole, whole.pairs);
  if (whole.isCausal) // others keep nothing
    add("kv_cache_elems_per_token", whole, whole.cache);
  return row;
}

bool driver::predictHfConfigs(Session &session, llvm::StringRef path,
                              std::vector<ValidationRow> &rows) {
  llvm::Optional<llvm::json::Value> document = readJsonFile(session, path, "hf_configs");
  if (!document)
    return false;
  const llvm::json::Array *entries = document->getAsArray();
  if (!entries) {
    reportBadTable(session, path, "hf_configs", "it is no list of models");
    return false;
  }
  for (const llvm::json::Value &entry : *entries) {
    const llvm::json::Object *object = entry.getAsObject();
    if (!object || !object->getObject("config") || !object->getObject("expect")) {
      reportBadTable(session, path, "hf_configs",
                     "each model needs a `config` and what to `expect`");
      return false;
    }
    rows.push_back(predictEntry(*object));
  }
  return true;
}
