// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind workloads_transformers: models by their architecture. Metrics: params; macs, for a language
// model those of one more token without attention (what grows with the context, and what runs once
// per sequence, is taken out by evaluating several lengths), for the others those of one pass;
// attention_macs, per token and token of context.
#include "tools/driver/validate/DecoderText.h"
#include "tools/driver/validate/ModelText.h"
#include "tools/driver/validate/VisionText.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

/// Builds the predictions of one row.
struct RowBuilder {
  const llvm::json::Object *computed;
  const llvm::json::Object *published;
  ValidationRow row;

  void add(const char *metric, llvm::Optional<int64_t> predicted, llvm::StringRef key,
           llvm::StringRef publishedKey, const std::string &problem) {
    llvm::Optional<Number> reference = numberAt(computed, key);
    llvm::Optional<Number> second =
        publishedKey.empty() ? llvm::None : numberAt(published, publishedKey);
    Prediction prediction{metric, llvm::None, reference ? reference : second, "", {}};
    if (predicted)
      prediction.predicted = Number(*predicted);
    else
      prediction.skipped = problem.empty() ? "not predicted" : problem;
    row.predictions.push_back(prediction);
    if (second) {
      prediction.reference = second;
      prediction.apart = {{"reference", "published"}};
      row.predictions.push_back(prediction);
    }
  }
};

} // namespace

/// Of m(T) = c + a T + b T^2, or of m(S) = a + b S with one new token.
static void languageModel(const llvm::json::Object &arch, RowBuilder &builder) {
  std::string problem;
  std::string text = languageModelText(arch, problem);
  bool causal = flagAt(&arch, "causal");
  std::vector<std::string> calls{"T = 1, S = 1", "T = 1, S = 2"};
  if (!causal)
    calls = {"T = 1, S = 1", "T = 2, S = 2", "T = 3, S = 3"};
  ModelTotals model;
  model.problem = problem;
  if (problem.empty())
    model = evaluateModel(text, calls);
  llvm::Optional<int64_t> parameters, linear, attention;
  if (model.problem.empty() && model.totals.size() == calls.size()) {
    auto macs = [&](size_t i) { return model.totals[i].macs; };
    parameters = model.totals[0].parameters;
    attention = causal ? macs(1) - macs(0) : (macs(2) - 2 * macs(1) + macs(0)) / 2;
    linear = causal ? macs(0) - *attention : macs(1) - macs(0) - 3 * *attention;
  }
  builder.add("params", parameters, "params_total", "params", model.problem);
  builder.add("macs", linear, "linear_macs_per_token", "", model.problem);
  builder.add("attention_macs", attention, "attn_macs_per_token_per_context_token", "",
              model.problem);
}

/// A model that runs as a whole, from its program.
static void wholeModel(const std::string &text, llvm::StringRef macsKey, RowBuilder &builder) {
  ModelTotals model = evaluateModel(text, {""});
  llvm::Optional<int64_t> parameters, macs;
  if (model.totals.size() == 1) {
    parameters = model.totals[0].parameters;
    macs = model.totals[0].macs;
  }
  builder.add("params", parameters, "params_total", "params", model.problem);
  builder.add("macs", macs, macsKey, "macs", model.problem);
}

/// A list of layers without biases and norms gives MACs, but no parameters.
static void layerList(const llvm::json::Object &row, RowBuilder &builder) {
  const llvm::json::Array *layers = row.getArray("layers");
  std::string problem = layers ? "" : "the row has no layers";
  std::string text = layers ? layerListText(*layers, problem) : "";
  ModelTotals model;
  model.problem = problem;
  if (problem.empty())
    model = evaluateModel(text, {""});
  llvm::Optional<int64_t> macs;
  if (model.totals.size() == 1)
    macs = model.totals[0].macs;
  builder.add("params", llvm::None, "params_total", "params",
              "its layers are listed without biases and norms");
  builder.add("macs", macs, "macs", "", model.problem);
}

static ValidationRow predictTransformer(const llvm::json::Object &row) {
  std::string kind = row.getString("kind").getValueOr("").str();
  RowBuilder builder{row.getObject("computed"),
                     row.getObject("published"),
                     {row.getString("name")->str(), {{"kind", kind}}, {}}};
  const llvm::json::Object none;
  const llvm::json::Object &arch = row.getObject("arch") ? *row.getObject("arch") : none;
  if (kind == "transformer_lm")
    languageModel(arch, builder);
  else if (kind == "vit")
    wholeModel(visionTransformerText(arch), "macs", builder);
  else if (kind == "dit")
    wholeModel(diffusionTransformerText(arch), "macs", builder);
  else if (kind == "dlrm")
    wholeModel(recommendationText(arch), "macs_per_sample", builder);
  else if (kind == "unet")
    layerList(row, builder);
  else {
    std::string reason = "models of kind `" + kind + "` are not built yet";
    builder.add("params", llvm::None, "params_total", "params", reason);
    builder.add("macs", llvm::None, "macs", "macs", reason);
  }
  return std::move(builder.row);
}

bool perfc::driver::predictTransformerWorkloads(Session &session, llvm::StringRef path,
                                                std::vector<ValidationRow> &rows) {
  auto workloads =
      readWorkloads(session, path, "workloads_transformers.json", "workloads_transformers");
  if (!workloads)
    return false;
  for (const llvm::json::Value &row : *workloads)
    rows.push_back(predictTransformer(*row.getAsObject()));
  return true;
}
