// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/ServeOps.h"

#include "ir/common/Providers.h"
#include "ir/core/Verifier.h"
#include "ir/study/StudyDecls.h"
#include "ir/study/TrainOps.h"
#include <cmath>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

/// The most tokens of a distribution without an end, which is cut off there.
static double mostOf(LengthsOp lengths) {
  double mean = static_cast<double>(lengths.mean()), sigma = lengths.sigma();
  double most = lengths.kind() == "normal"
                    ? mean + lengthCut * static_cast<double>(lengths.deviation())
                    : mean * std::exp(lengthCut * sigma - sigma * sigma / 2);
  return std::min(std::max(2.0, most), 1e7);
}

int64_t LengthsOp::longest() const {
  if (kind() == "fixed")
    return prompt() + answer();
  if (kind() == "normal" || kind() == "lognormal")
    return static_cast<int64_t>(std::ceil(mostOf(*this)));
  if (kind() != "trace")
    return std::max<int64_t>(2, most());
  int64_t longest = 2;
  for (size_t i = 0; i < prompts().size(); ++i)
    longest = std::max(longest, prompts()[i].asInt() + answers()[i].asInt());
  return longest;
}

llvm::Optional<OpTable> ServeOp::table() const {
  const Operation *part = findPart(*op, OpTable::opName);
  return part ? llvm::Optional<OpTable>(OpTable::of(*part)) : llvm::None;
}

std::vector<SampleOp> ServeOp::samples() const {
  std::vector<SampleOp> list;
  for (Operation &part : op->body())
    if (auto sample = as<SampleOp>(part))
      list.push_back(sample);
  return list;
}

//===-- Rules
//----------------------------------------------------------------------------------===//

/// What an operation of one kind has to have.
struct Needs {
  llvm::StringRef kind;
  std::vector<llvm::StringRef> attrs;
};

static bool verifyNeeds(const Operation &op, llvm::ArrayRef<Needs> table,
                        DiagnosticEngine &diagnostics) {
  for (const Needs &needs : table)
    for (llvm::StringRef attr : needs.attrs)
      if (!(attr == "rate" && op.hasAttr("open_rate")) && op.stringAttr("kind") == needs.kind &&
          !op.hasAttr(attr))
        return invalidOp(op, diagnostics, needs.kind.str() + " has " + attr.str());
  return true;
}

static bool verifyScheduler(const Operation &op, DiagnosticEngine &diagnostics) {
  return verifyNeeds(op,
                     {{"sarathi", {"chunk"}},
                      {"vllm", {"max_tokens"}},
                      {"lightllm", {"max_tokens"}},
                      {"vllm_v1", {"max_tokens"}},
                      {"tensorrt_llm", {"max_tokens"}},
                      {"sglang", {"chunk"}}},
                     diagnostics);
}

static bool verifyArrivals(const Operation &op, DiagnosticEngine &diagnostics) {
  if (op.stringAttr("kind") == "burst" && op.hasAttr("size") != op.hasAttr("every"))
    return invalidOp(op, diagnostics, "burst has size and every, or neither");
  return verifyNeeds(op,
                     {{"poisson", {"rate", "seed"}},
                      {"uniform", {"rate", "seed"}},
                      {"gamma", {"rate", "cv", "seed"}},
                      {"fixed", {"rate"}},
                      {"bursts", {"rate", "peak", "every", "length", "seed"}},
                      {"diurnal", {"rate", "swing", "period", "seed"}},
                      {"closed", {"users"}},
                      {"sessions", {"rate", "turns", "seed"}},
                      {"trace", {"times"}}},
                     diagnostics);
}

static bool verifyLengths(const Operation &op, DiagnosticEngine &diagnostics) {
  if (op.listAttr("prompts").size() != op.listAttr("answers").size())
    return invalidOp(op, diagnostics, "there are as many answers as prompts");
  return verifyNeeds(op,
                     {{"zipf", {"min", "max", "theta", "prefill_to_decode", "seed"}},
                      {"uniform", {"min", "max", "prefill_to_decode", "seed"}},
                      {"fixed", {"prompt", "answer"}},
                      {"normal", {"mean", "deviation", "prefill_to_decode", "seed"}},
                      {"lognormal", {"mean", "sigma", "prefill_to_decode", "seed"}},
                      {"trace", {"prompts", "answers"}}},
                     diagnostics);
}

static bool verifyServe(const Operation &op, DiagnosticEngine &diagnostics) {
  if (findPart(op, UnsupportedOp::opName))
    return true; // as far as it is read
  for (llvm::StringRef part :
       {SchedulerOp::opName, ArrivalsOp::opName, LengthsOp::opName, SampleOp::opName})
    if (!findPart(op, part))
      return invalidOp(op, diagnostics, "it has no " + part.str());
  ServeOp serve(const_cast<Operation *>(&op));
  auto strategy = partOf<StrategyOp>(op);
  for (const Operation::NamedAttribute &attr : strategy->attrs())
    if (attr.name != "tensor" && attr.name != "pipeline" && attr.name != "data" &&
        attr.value != Attribute(1))
      return invalidOp(op, diagnostics, "it has no " + attr.name + " in its strategy");
  if (strategy.degree("tensor") == 0 || strategy.degree("pipeline") == 0 ||
      strategy.degree("data") == 0)
    return invalidOp(op, diagnostics, "its degrees are given");
  auto count = static_cast<size_t>(serve.requests());
  if (!op.hasAttr("requests"))
    return invalidOp(op, diagnostics, "it has no number of requests");
  if ((serve.arrivals().kind() == "trace" && serve.arrivals().times().size() < count) ||
      (serve.lengths().kind() == "trace" && serve.lengths().prompts().size() < count))
    return invalidOp(op, diagnostics, "its trace has fewer requests");
  return verifyParts(op, {SampleOp::opName}, diagnostics);
}

//===-- Declarations
//---------------------------------------------------------------------------===//

static OpDecl requestsDecl(llvm::StringRef name, llvm::StringRef doc,
                           std::vector<llvm::StringRef> kinds, std::vector<AttrDecl> own,
                           OpVerifier verifier) {
  std::vector<AttrDecl> attrs = {stringAttr("kind", "the distribution").oneOf(std::move(kinds))};
  attrs.insert(attrs.end(), own.begin(), own.end());
  attrs.push_back(intAttr("seed", "of the random numbers").atLeast(0).optional());
  return {.name = name, .doc = doc, .attrs = std::move(attrs), .verifier = verifier};
}

static std::vector<OpDecl> partDecls() {
  Dimension seconds(BaseUnit::Second);
  auto count = [](llvm::StringRef name, llvm::StringRef doc) {
    return intAttr(name, doc).atLeast(1).optional();
  };
  return {
      {.name = SchedulerOp::opName,
       .doc = "How requests are batched.",
       .attrs = {stringAttr("kind", "what runs")
                     .oneOf({"vllm", "sarathi", "orca", "static", "lightllm", "vllm_v1", "sglang",
                             "tensorrt_llm"}),
                 stringAttr("label", "what the program calls it"),
                 intAttr("max_batch", "requests that run at most").atLeast(1),
                 intAttr("block", "tokens in a block of the cache").atLeast(1).otherwise(16),
                 count("chunk", "of sarathi: tokens of a batch"),
                 quantityAttr(
                     "swap", Dimension(BaseUnit::Byte) / seconds,
                     "of vllm and sarathi: to the host, for caches of requests that give way")
                     .positive()
                     .optional(),
                 count("max_tokens", "of a batch (vllm), or of the cache for each request, where "
                                     "not those of the longest (orca, static)")},
       .verifier = verifyScheduler},
      requestsDecl(
          ArrivalsOp::opName, "When requests arrive.",
          {"poisson", "uniform", "gamma", "fixed", "burst", "bursts", "diurnal", "closed",
           "sessions", "trace"},
          {quantityAttr("rate", Dimension() / seconds, "of requests").positive().optional(),
           flagAttr("open_rate", "a search is to find the highest rate"),
           quantityAttr("cv", Dimension(), "of gamma: deviation of the gaps over their mean")
               .positive()
               .optional(),
           count("size", "requests of a burst, where not all"),
           quantityAttr("every", seconds, "between bursts").positive().optional(),
           quantityAttr("length", seconds, "of bursts").positive().optional(),
           quantityAttr("peak", Dimension() / seconds, "of requests in bursts")
               .positive()
               .optional(),
           quantityAttr("swing", Dimension(), "of diurnal: by which the rate rises and falls")
               .share()
               .optional(),
           quantityAttr("period", seconds, "of diurnal").positive().optional(),
           count("users", "of closed: who wait for an answer before they ask again"),
           count("turns", "of a session"),
           quantityAttr("think", seconds, "from an answer to what follows it").optional(),
           listAttr("times", AttrKind::Quantity, "of a trace").in(seconds).optional(),
           listAttr("pieces", AttrKind::Int, "numbers of the pieces of all prompts of a trace")
               .atLeast(0)
               .optional(),
           listAttr("piece_counts", AttrKind::Int, "pieces of each prompt").atLeast(0).optional(),
           count("piece_tokens", "tokens of a piece; the last one may be shorter")},
          verifyArrivals),
      requestsDecl(
          LengthsOp::opName, "Tokens of prompts and answers.",
          {"zipf", "uniform", "fixed", "normal", "lognormal", "trace"},
          {count("min", "tokens, prompt and answer"), count("max", "tokens at most"),
           quantityAttr("theta", Dimension(), "of zipf, below 1").optional(),
           quantityAttr("prefill_to_decode", Dimension(),
                        "tokens of the prompt over those answered")
               .positive()
               .optional(),
           count("mean", "tokens, prompt and answer"), count("deviation", "of normal, in tokens"),
           quantityAttr("sigma", Dimension(), "of lognormal: deviation of the logarithm")
               .positive()
               .optional(),
           count("prompt", "tokens of each"), count("answer", "tokens of each"),
           listAttr("prompts", AttrKind::Int, "tokens of each, of a trace").atLeast(1).optional(),
           listAttr("answers", AttrKind::Int, "the same").atLeast(1).optional()},
          verifyLengths),
      {.name = SampleOp::opName,
       .doc = "The model in one of the sizes between which costs of batches are interpolated.",
       .attrs = {symbolAttr("graph", "the model in that size").oneOf({"op.graph"}),
                 flagAttr("decode", "each sequence has one new token"),
                 flagAttr("piece", "its kernels of a context run for a piece of a prompt"),
                 intAttr("batch", "sequences").atLeast(1),
                 intAttr("tokens", "new ones of each").atLeast(1),
                 intAttr("context", "tokens of each in all").atLeast(1)}}};
}

std::vector<OpDecl> study::serveDecls() {
  std::vector<llvm::StringRef> formats(dtypeNames().begin(), dtypeNames().end());
  std::vector<OpDecl> decls = {
      {.name = ServeOp::opName,
       .doc = "A stream of requests to a model.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = statementAttrs(
           {"op.graph", "op.kernel"},
           {stringAttr("dtype", "of products of activations").oneOf(formats),
            stringAttr("using", "the provider of kernel times").oneOf(stepProviders()).optional(),
            listAttr("kernels", AttrKind::Symbol, "libraries that go before the generation's")
                .oneOf({"tile.library"})
                .optional(),
            flagAttr("eager", "the host starts each kernel"),
            intAttr("requests", "of the stream").atLeast(1).optional(),
            quantityAttr("memory_share", Dimension(), "of a chip's memory that may be filled")
                .positive()
                .share()
                .otherwise(Quantity(*divide(9, 10), Dimension())),
            quantityAttr("reserve", Dimension(BaseUnit::Byte),
                         "that the driver keeps of a chip's memory; 1.5 % of it without")
                .optional(),
            stringAttr("admission", "in which order requests are taken in")
                .oneOf({"arrival", "priority", "shortest", "goal"})
                .optional(),
            quantityAttr("admission_goal", Dimension(BaseUnit::Second),
                         "of goal: from arrival to first token")
                .optional(),
            intAttr("priority_levels", "equally likely").atLeast(1).optional(),
            intAttr("priority_seed", "of the priorities").atLeast(0).optional(),
            quantityAttr("prefix_share", Dimension(),
                         "of the cache that beginnings of texts may keep; no such cache without")
                .share()
                .optional(),
            quantityAttr("slo_ttft", Dimension(BaseUnit::Second), "that requests have to meet")
                .optional(),
            quantityAttr("slo_tpot", Dimension(BaseUnit::Second), "the same").optional(),
            quantityAttr("slo_latency", Dimension(BaseUnit::Second), "the same").optional(),
            quantityAttr("warm_up", Dimension(BaseUnit::Second),
                         "requests that arrive before are left out of distributions")
                .optional(),
            stringAttr("router", "how requests go to copies of the model")
                .oneOf({"round_robin", "random", "least_loaded", "cache_aware", "session"})
                .optional(),
            intAttr("router_seed", "of random").atLeast(0).optional(),
            flagAttr("vidur", "batches are made and timed by VIDUR's rules, defects included"),
            flagAttr("sharded", "the samples are those of one tensor-parallel rank")}),
       .regions = {holding({StrategyOp::opName, SchedulerOp::opName, ArrivalsOp::opName,
                            LengthsOp::opName, SampleOp::opName, OpTable::opName, PriceOp::opName,
                            "study.runtime", "study.goal"})},
       .verifier = verifyServe}};
  for (OpDecl &decl : partDecls())
    decls.push_back(std::move(decl));
  decls.push_back(opTableDecl());
  return decls;
}
