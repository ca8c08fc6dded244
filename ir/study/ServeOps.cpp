// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/ServeOps.h"

#include "ir/common/Providers.h"
#include "ir/core/Verifier.h"
#include "ir/study/StudyDecls.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

llvm::Optional<double> ArrivalsOp::expectedIn(double seconds) const {
  if (kind() == "trace")
    return static_cast<double>(llvm::count_if(
        times(), [&](const Attribute &time) { return time.asQuantity().toDouble() < seconds; }));
  if (kind() == "burst" && op->hasAttr("size"))
    return static_cast<double>(size(0)) * std::ceil(seconds / every());
  if (rate() == 0)
    return llvm::None;
  double mean = rate() * seconds * static_cast<double>(turns());
  if (kind() == "diurnal") {
    double cycles = 2 * M_PI / period();
    mean += rate() * swing() * (1 - std::cos(cycles * seconds)) / cycles;
  }
  if (kind() == "bursts") {
    double inBursts =
        std::floor(seconds / every()) * length() + std::min(std::fmod(seconds, every()), length());
    mean += (peak() - rate()) * inBursts;
  }
  return mean;
}

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

std::vector<double> DraftOp::acceptance() const {
  std::vector<double> chances;
  for (const Attribute &chance : op->listAttr("acceptance"))
    chances.push_back(chance.asQuantity().toDouble());
  return chances;
}

/// The parts of a kind, in order.
template <typename View> static std::vector<View> partsOf(const Operation &op) {
  std::vector<View> list;
  for (const Operation &part : op.body())
    if (auto view = as<View>(part))
      list.push_back(view);
  return list;
}

std::string PoolOp::name() const {
  return isPart() ? op->parentOp()->symbol().str() + "__" + op->symbol().str() : op->symbol().str();
}

llvm::Optional<OpTable> PoolOp::table() const {
  const Operation *part = findPart(*op, OpTable::opName);
  return part ? llvm::Optional<OpTable>(OpTable::of(*part)) : llvm::None;
}

int64_t PoolOp::degree(llvm::StringRef axis) const { return partOf<StrategyOp>(*op).degree(axis); }

std::vector<SampleOp> PoolOp::samples() const { return partsOf<SampleOp>(*op); }
SampleOp PoolOp::largestPrompt() const {
  SampleOp largest;
  for (SampleOp sample : samples())
    if (!sample.isDecode() &&
        (!largest || sample.batch() * sample.tokens() > largest.batch() * largest.tokens()))
      largest = sample;
  return largest;
}
std::vector<OutageOp> PoolOp::outages() const { return partsOf<OutageOp>(*op); }

std::vector<SampleOp> ServeOp::samples() const {
  std::vector<SampleOp> list;
  for (PoolOp pool : pools())
    llvm::append_range(list, pool.samples());
  return list;
}

std::vector<PoolOp> ServeOp::pools() const {
  std::vector<PoolOp> list = partsOf<PoolOp>(*op);
  if (list.empty())
    list.emplace_back(op);
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

/// Of a pool, or of a statement that is one.
static bool verifyPool(const Operation &op, DiagnosticEngine &diagnostics) {
  PoolOp pool(const_cast<Operation *>(&op));
  for (llvm::StringRef part : {SchedulerOp::opName, SampleOp::opName})
    if (!findPart(op, part))
      return invalidOp(op, diagnostics, "it has no " + part.str());
  auto strategy = partOf<StrategyOp>(op);
  static constexpr llvm::StringLiteral axes[] = {"tensor", "pipeline", "data", "expert"};
  for (const Operation::NamedAttribute &attr : strategy->attrs())
    if (!llvm::is_contained(axes, attr.name) && attr.value != Attribute(1))
      return invalidOp(op, diagnostics, "it has no " + attr.name.str() + " in its strategy");
  for (llvm::StringRef axis : axes)
    if (pool.degree(axis) == 0)
      return invalidOp(op, diagnostics, "its degrees are given");
  if (pool.degree("expert") > 1 && (pool.degree("expert") % pool.degree("tensor") != 0 ||
                                    pool.degree("data") % pool.groups() != 0))
    return invalidOp(op, diagnostics, "its experts are divided among whole groups of ranks");
  return true;
}

static bool verifyServe(const Operation &op, DiagnosticEngine &diagnostics) {
  if (findPart(op, UnsupportedOp::opName))
    return true; // as far as it is read
  for (llvm::StringRef part : {ArrivalsOp::opName, LengthsOp::opName})
    if (!findPart(op, part))
      return invalidOp(op, diagnostics, "it has no " + part.str());
  ServeOp serve(const_cast<Operation *>(&op));
  std::vector<PoolOp> pools = serve.pools();
  if (pools.size() > 2 || (pools.front().isPart() && pools.size() < 2))
    return invalidOp(op, diagnostics, "its pools are that of prompts and that of tokens");
  for (PoolOp pool : pools)
    if (!verifyPool(*pool, diagnostics))
      return false;
  auto count = static_cast<size_t>(serve.requests());
  if (!op.hasAttr("requests"))
    return invalidOp(op, diagnostics, "it has no number of requests");
  if ((serve.arrivals().kind() == "trace" && serve.arrivals().times().size() < count) ||
      (serve.lengths().kind() == "trace" && serve.lengths().prompts().size() < count))
    return invalidOp(op, diagnostics, "its trace has fewer requests");
  return verifyParts(op, {SampleOp::opName, PoolOp::opName, OutageOp::opName}, diagnostics);
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

static AttrDecl countAttr(llvm::StringRef name, llvm::StringRef doc) {
  return intAttr(name, doc).atLeast(1).optional();
}

static OpDecl schedulerDecl() {
  Dimension seconds(BaseUnit::Second);
  return {.name = SchedulerOp::opName,
          .doc = "How requests are batched.",
          .attrs = {stringAttr("kind", "what runs")
                        .oneOf({"vllm", "sarathi", "orca", "static", "lightllm", "vllm_v1",
                                "sglang", "tensorrt_llm"}),
                    stringAttr("label", "what the program calls it"),
                    intAttr("max_batch", "requests that run at most").atLeast(1),
                    intAttr("block", "tokens in a block of the cache").atLeast(1).otherwise(16),
                    countAttr("chunk", "of sarathi: tokens of a batch"),
                    intAttr("poll", "of sglang: batches of tokens between looks for new requests")
                        .atLeast(1)
                        .otherwise(1),
                    quantityAttr(
                        "swap", Dimension(BaseUnit::Byte) / seconds,
                        "of vllm and sarathi: to the host, for caches of requests that give way")
                        .positive()
                        .optional(),
                    countAttr("max_tokens",
                              "of a batch (vllm), or of the cache for each request, where "
                              "not those of the longest (orca, static)")},
          .verifier = verifyScheduler};
}

static OpDecl arrivalsDecl() {
  Dimension seconds(BaseUnit::Second);
  return requestsDecl(
      ArrivalsOp::opName, "When requests arrive.",
      {"poisson", "uniform", "gamma", "fixed", "burst", "bursts", "diurnal", "closed", "sessions",
       "trace"},
      {quantityAttr("rate", Dimension() / seconds, "of requests").positive().optional(),
       flagAttr("open_rate", "a search is to find the highest rate"),
       quantityAttr("cv", Dimension(), "of gamma: deviation of the gaps over their mean")
           .positive()
           .optional(),
       countAttr("size", "requests of a burst, where not all"),
       quantityAttr("every", seconds, "between bursts").positive().optional(),
       quantityAttr("length", seconds, "of bursts").positive().optional(),
       quantityAttr("peak", Dimension() / seconds, "of requests in bursts").positive().optional(),
       quantityAttr("swing", Dimension(), "of diurnal: by which the rate rises and falls")
           .share()
           .optional(),
       quantityAttr("period", seconds, "of diurnal").positive().optional(),
       countAttr("users", "of closed: who wait for an answer before they ask again"),
       countAttr("turns", "of a session"),
       quantityAttr("think", seconds, "from an answer to what follows it").optional(),
       listAttr("times", AttrKind::Quantity, "of a trace").in(seconds).optional(),
       listAttr("pieces", AttrKind::Int, "numbers of the pieces of all prompts of a trace")
           .atLeast(0)
           .optional(),
       listAttr("piece_counts", AttrKind::Int, "pieces of each prompt").atLeast(0).optional(),
       countAttr("piece_tokens", "tokens of a piece; the last one may be shorter")},
      verifyArrivals);
}

static OpDecl lengthsDecl() {
  return requestsDecl(
      LengthsOp::opName, "Tokens of prompts and answers.",
      {"zipf", "uniform", "fixed", "normal", "lognormal", "trace"},
      {countAttr("min", "tokens, prompt and answer"), countAttr("max", "tokens at most"),
       quantityAttr("theta", Dimension(), "of zipf, below 1").optional(),
       quantityAttr("prefill_to_decode", Dimension(), "tokens of the prompt over those answered")
           .positive()
           .optional(),
       countAttr("mean", "tokens, prompt and answer"),
       countAttr("deviation", "of normal, in tokens"),
       quantityAttr("sigma", Dimension(), "of lognormal: deviation of the logarithm")
           .positive()
           .optional(),
       countAttr("prompt", "tokens of each"), countAttr("answer", "tokens of each"),
       listAttr("prompts", AttrKind::Int, "tokens of each, of a trace").atLeast(1).optional(),
       listAttr("answers", AttrKind::Int, "the same").atLeast(1).optional()},
      verifyLengths);
}

static OpDecl sampleDecl() {
  return {
      .name = SampleOp::opName,
      .doc = "The model in one of the sizes between which costs of batches are interpolated.",
      .attrs = {
          symbolAttr("graph", "the model in that size").oneOf({"op.graph"}),
          symbolAttr("whole", "the same before ops are taken apart").oneOf({"op.graph"}).optional(),
          flagAttr("decode", "each sequence has one new token"),
          flagAttr("piece", "its kernels of a context run for a piece of a prompt"),
          intAttr("batch", "sequences").atLeast(1),
          intAttr("tokens", "new ones of each").atLeast(1),
          intAttr("context", "tokens of each in all").atLeast(1)}};
}

/// What serves: pools, drafts, copies that break, copies that come and go.
static std::vector<OpDecl> deploymentDecls() {
  Dimension seconds(BaseUnit::Second);
  auto time = [&](llvm::StringRef name, llvm::StringRef doc) {
    return quantityAttr(name, seconds, doc).optional();
  };
  return {
      {.name = PoolOp::opName,
       .doc = "Chips of a `serve` that read prompts, or make the tokens behind the first.",
       .symbol = SymbolUse::Required,
       .attrs = {symbolAttr("on", "its part of the system").oneOf({"target.system", "target.chip"}),
                 intAttr("first_chip", "in the whole system").atLeast(0),
                 flagAttr("sharded", "the samples are those of one tensor-parallel rank")},
       .regions = {holding({StrategyOp::opName, SchedulerOp::opName, SampleOp::opName,
                            DraftOp::opName, OutageOp::opName, ScalingOp::opName})}},
      {.name = DraftOp::opName,
       .doc = "What guesses tokens, which the model then verifies.",
       .attrs = {stringAttr("kind", "what guesses").oneOf({"mtp", "eagle", "medusa", "ngram"}),
                 intAttr("tokens", "guessed in each step").atLeast(0).otherwise(0),
                 listAttr("acceptance", AttrKind::Quantity,
                          "chance that a guess holds whose predecessors do, by place")
                     .optional(),
                 listAttr("recorded", AttrKind::Int, "guesses that held in recorded steps")
                     .atLeast(0)
                     .optional(),
                 intAttr("seed", "of the draws").atLeast(0).otherwise(0)}},
      {.name = OutageOp::opName,
       .doc = "A time in which a copy of the model is broken, or random ones of all copies.",
       .attrs = {intAttr("number", "of the copy, from 0").atLeast(0).optional(),
                 time("at", "when it breaks"),
                 time("mtbf", "from a repair of a copy to its next fault, in the mean"),
                 time("repair", "until it serves again; never without"),
                 intAttr("seed", "of random ones").atLeast(0).optional()}},
      {.name = ScalingOp::opName,
       .doc = "How the number of copies follows the load.",
       .attrs = {
           intAttr("min", "copies at least").atLeast(0).otherwise(0),
           quantityAttr("up", Dimension(), "requests of a copy above which one more starts")
               .optional(),
           quantityAttr("down", Dimension(), "requests of a copy below which one stops").optional(),
           time("start", "from when a copy is asked for to when it serves"),
           time("every", "between two looks at the load")}}};
}

/// What memory and the order of requests depend on.
static std::vector<AttrDecl> memoryAttrs() {
  std::vector<llvm::StringRef> formats(dtypeNames().begin(), dtypeNames().end());
  return {stringAttr("dtype", "of products of activations").oneOf(formats),
          stringAttr("using", "the provider of kernel times").oneOf(stepProviders()).optional(),
          stringAttr("tool", "another tool that serves the requests").optional(),
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
              .optional()};
}

/// What is asked of requests, how they go to copies, and what passes note.
static std::vector<AttrDecl> requestAttrs() {
  return {quantityAttr("slo_ttft", Dimension(BaseUnit::Second), "that requests have to meet")
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
          quantityAttr("tier_capacity", Dimension(BaseUnit::Byte),
                       "of the prefix cache at the host, for each chip")
              .optional(),
          quantityAttr("tier_bandwidth", Dimension(BaseUnit::Byte) / BaseUnit::Second,
                       "to it, of each chip")
              .optional(),
          intAttr("redundant_experts", "that are kept twice").atLeast(0).optional(),
          flagAttr("vidur", "batches are made and timed by VIDUR's rules, defects included"),
          flagAttr("sharded", "the samples are those of one tensor-parallel rank")};
}

static OpDecl serveDecl() {
  std::vector<AttrDecl> attrs = memoryAttrs();
  llvm::append_range(attrs, requestAttrs());
  return {
      .name = ServeOp::opName,
      .doc = "A stream of requests to a model.",
      .symbol = SymbolUse::Optional,
      .topLevel = true,
      .attrs = statementAttrs({"op.graph", "op.kernel"}, std::move(attrs)),
      .regions = {holding({StrategyOp::opName, SchedulerOp::opName, ArrivalsOp::opName,
                           LengthsOp::opName, SampleOp::opName, OpTable::opName, PriceOp::opName,
                           PoolOp::opName, DraftOp::opName, OutageOp::opName, ScalingOp::opName,
                           ExpertsOp::opName, "study.runtime", "study.goal"})},
      .verifier = verifyServe};
}

std::vector<OpDecl> study::serveDecls() {
  std::vector<OpDecl> decls = {serveDecl(),   schedulerDecl(), arrivalsDecl(),
                               lengthsDecl(), sampleDecl(),    opTableDecl()};
  for (OpDecl &decl : deploymentDecls())
    decls.push_back(std::move(decl));
  return decls;
}
