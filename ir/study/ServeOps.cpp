// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/ServeOps.h"

#include "ir/core/Verifier.h"
#include "ir/study/StudyDecls.h"
#include "ir/study/TrainOps.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

int64_t LengthsOp::longest() const {
  if (kind() == "fixed")
    return prompt() + answer();
  if (kind() != "trace")
    return std::max<int64_t>(2, most());
  int64_t longest = 2;
  for (size_t i = 0; i < prompts().size(); ++i)
    longest = std::max(longest, prompts()[i].asInt() + answers()[i].asInt());
  return longest;
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
      if (op.stringAttr("kind") == needs.kind && !op.hasAttr(attr))
        return invalidOp(op, diagnostics, needs.kind.str() + " has " + attr.str());
  return true;
}

static bool verifyScheduler(const Operation &op, DiagnosticEngine &diagnostics) {
  return verifyNeeds(op, {{"sarathi", {"chunk"}}, {"vllm", {"max_tokens"}}}, diagnostics);
}

static bool verifyArrivals(const Operation &op, DiagnosticEngine &diagnostics) {
  if (op.hasAttr("size") != op.hasAttr("every"))
    return invalidOp(op, diagnostics, "burst has size and every, or neither");
  return verifyNeeds(op,
                     {{"poisson", {"rate", "seed"}},
                      {"uniform", {"rate", "seed"}},
                      {"fixed", {"rate"}},
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
    if (attr.name != "tensor" && attr.name != "pipeline" && attr.value != Attribute(1))
      return invalidOp(op, diagnostics, "it has no " + attr.name + " in its strategy");
  if (strategy.degree("tensor") == 0 || strategy.degree("pipeline") == 0)
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
       .attrs = {stringAttr("kind", "what runs").oneOf({"vllm", "sarathi", "orca", "static"}),
                 stringAttr("label", "what the program calls it"),
                 intAttr("max_batch", "requests that run at most").atLeast(1),
                 intAttr("block", "tokens in a block of the cache").atLeast(1).otherwise(16),
                 count("chunk", "of sarathi: tokens of a batch"),
                 count("max_tokens", "of a batch (vllm), or of the cache for each request, where "
                                     "not those of the longest (orca, static)")},
       .verifier = verifyScheduler},
      requestsDecl(
          ArrivalsOp::opName, "When requests arrive.",
          {"poisson", "uniform", "fixed", "burst", "trace"},
          {quantityAttr("rate", Dimension() / seconds, "of requests").positive().optional(),
           count("size", "requests of a burst, where not all"),
           quantityAttr("every", seconds, "between bursts").positive().optional(),
           listAttr("times", AttrKind::Quantity, "of a trace").in(seconds).optional()},
          verifyArrivals),
      requestsDecl(
          LengthsOp::opName, "Tokens of prompts and answers.",
          {"zipf", "uniform", "fixed", "trace"},
          {count("min", "tokens, prompt and answer"), count("max", "tokens at most"),
           quantityAttr("theta", Dimension(), "of zipf, below 1").optional(),
           quantityAttr("prefill_to_decode", Dimension(),
                        "tokens of the prompt over those answered")
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
            intAttr("requests", "of the stream").atLeast(1).optional(),
            quantityAttr("memory_share", Dimension(), "of a chip's memory that may be filled")
                .positive()
                .share()
                .otherwise(Quantity(*divide(9, 10), Dimension())),
            quantityAttr("reserve", Dimension(BaseUnit::Byte),
                         "that the driver keeps of a chip's memory; 1.5 % of it without")
                .optional(),
            flagAttr("sharded", "the samples are those of one tensor-parallel rank")}),
       .regions = {holding({StrategyOp::opName, SchedulerOp::opName, ArrivalsOp::opName,
                            LengthsOp::opName, SampleOp::opName, PriceOp::opName})},
       .verifier = verifyServe}};
  for (OpDecl &decl : partDecls())
    decls.push_back(std::move(decl));
  return decls;
}
