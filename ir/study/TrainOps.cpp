// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/TrainOps.h"

#include "ir/common/Providers.h"
#include "ir/core/Verifier.h"
#include "ir/study/StudyDecls.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

//===-- Words
//----------------------------------------------------------------------------------===//

static constexpr llvm::StringLiteral recomputeNames[] = {"none", "selective", "cheap", "full",
                                                         "any"};
static constexpr llvm::StringLiteral scheduleNames[] = {"gpipe", "one_f_one_b", "interleaved_1f1b",
                                                        "zero_bubble"};
static constexpr llvm::StringLiteral axisNames[] = {"tensor", "context", "expert", "data",
                                                    "pipeline"};
static constexpr llvm::StringLiteral routingNames[] = {"balanced", "uniform", "zipf"};

/// The place of `name`, which is one of `names`: the verifier has looked.
template <typename Enum>
static Enum valueNamed(llvm::ArrayRef<llvm::StringLiteral> names, llvm::StringRef name) {
  return static_cast<Enum>(llvm::find(names, name) - names.begin());
}

static std::vector<llvm::StringRef> choicesOf(llvm::ArrayRef<llvm::StringLiteral> names) {
  return {names.begin(), names.end()};
}

llvm::StringRef study::recomputeName(Recompute mode) {
  return recomputeNames[static_cast<unsigned>(mode)];
}

llvm::StringRef study::axisName(RankAxis axis) { return axisNames[static_cast<unsigned>(axis)]; }

llvm::Optional<RankAxis> study::parseAxis(llvm::StringRef name) {
  if (!llvm::is_contained(axisNames, name))
    return llvm::None;
  return valueNamed<RankAxis>(axisNames, name);
}

double study::sumWidening(llvm::StringRef kind, llvm::StringRef axis, double bits,
                          double sumBytes) {
  bool isSum = axis == "tensor" && (kind == "all_reduce" || kind == "reduce_scatter");
  return isSum ? std::max(1.0, 8 * sumBytes / bits) : 1;
}

llvm::StringRef study::scheduleName(ScheduleKind kind) {
  return scheduleNames[static_cast<unsigned>(kind)];
}

ScheduleKind study::parseSchedule(llvm::StringRef name) {
  return valueNamed<ScheduleKind>(scheduleNames, name);
}

ScheduleKind StrategyOp::schedule() const { return parseSchedule(op->stringAttr("schedule")); }

Recompute StrategyOp::recompute() const {
  return valueNamed<Recompute>(recomputeNames, op->stringAttr("recompute"));
}

RoutingKind ExpertsOp::routing() const {
  return valueNamed<RoutingKind>(routingNames, op->stringAttr("routing"));
}

bool TrainOp::usesTiles() const {
  const ProviderInfo *provider = findProvider(op->stringAttr("using"));
  return provider && provider->kernels == KernelLevel::Tile;
}

std::vector<AlgorithmOp> TrainOp::algorithms() const {
  std::vector<AlgorithmOp> list;
  for (Operation &part : op->body())
    if (auto algorithm = as<AlgorithmOp>(part))
      list.push_back(algorithm);
  return list;
}

//===-- Rules
//----------------------------------------------------------------------------------===//

static bool verifyStrategy(const Operation &op, DiagnosticEngine &diagnostics) {
  StrategyOp strategy(const_cast<Operation *>(&op));
  std::vector<std::string> order = strategy.order();
  if (std::set<std::string>(order.begin(), order.end()).size() != order.size())
    return invalidOp(op, diagnostics, "order names an axis twice");
  if (order.size() > 1 && llvm::is_contained(order, "any"))
    return invalidOp(op, diagnostics, "next to `any` stands no axis in order");
  int64_t pipeline = strategy.degree("pipeline"), sequence = strategy.degree("sequence");
  if (op.hasAttr("stages") && pipeline > 0 &&
      strategy.stages().size() != static_cast<size_t>(pipeline))
    return invalidOp(op, diagnostics, "there are as many stages as pipeline ranks");
  if (sequence > 1 && sequence != strategy.degree("tensor"))
    return invalidOp(op, diagnostics, "sequence is 1, that of tensor, or 0 for `any`");
  for (const AttrDict::Entry &entry : strategy.over().entries())
    if (entry.first != "sequence" && !parseAxis(entry.first))
      return invalidOp(op, diagnostics, "over names axes, and `" + entry.first + "` is none");
  return true;
}

static bool verifyExperts(const Operation &op, DiagnosticEngine &diagnostics) {
  return op.stringAttr("routing") != "zipf" || (op.hasAttr("theta") && op.hasAttr("seed")) ||
         invalidOp(op, diagnostics, "zipf has theta and seed");
}

static bool verifyCheckpoint(const Operation &op, DiagnosticEngine &diagnostics) {
  if (op.hasAttr("mtbf") && op.hasAttr("chip_mtbf"))
    return invalidOp(op, diagnostics, "either mtbf or chip_mtbf");
  return op.hasAttr("mtbf") || op.hasAttr("chip_mtbf") || op.hasAttr("every") ||
         invalidOp(op, diagnostics, "one of mtbf, chip_mtbf and every is given");
}

static bool verifyTrain(const Operation &op, DiagnosticEngine &diagnostics) {
  if (!isFloating(*parseDType(op.stringAttr("dtype"))))
    return invalidOp(op, diagnostics, "whole numbers have no gradients");
  if (op.hasAttr("steps") && op.hasAttr("tokens"))
    return invalidOp(op, diagnostics, "either steps or tokens");
  return verifyParts(op, {AlgorithmOp::opName}, diagnostics);
}

//===-- Declarations
//---------------------------------------------------------------------------===//

static AttrDecl degreeAttr(llvm::StringRef name, llvm::StringRef doc) {
  return intAttr(name, doc).atLeast(0).otherwise(1);
}

static OpDecl strategyDecl() {
  std::vector<llvm::StringRef> inOrder = choicesOf(axisNames);
  inOrder.push_back("any");
  return {
      .name = StrategyOp::opName,
      .doc = "How ranks divide the model and the batch; 0 is a degree that is searched.",
      .attrs = {degreeAttr("tensor", "ranks that divide each layer"),
                degreeAttr("pipeline", "stages of layers"),
                degreeAttr("data", "ranks that divide the batch"),
                degreeAttr("context", "ranks that divide sequences"),
                degreeAttr("expert", "ranks that divide experts"),
                degreeAttr("sequence", "ranks that divide activations between layers"),
                dictAttr("over", AttrKind::String, "the group or dimension of an axis").optional(),
                listAttr("order", AttrKind::String, "the axes from the nearest ranks outward")
                    .oneOf(std::move(inOrder))
                    .optional(),
                intAttr("samples", "that the subject has, as its parameter `batch` says")
                    .atLeast(1)
                    .optional(),
                degreeAttr("microbatch", "samples that a rank runs at a time"),
                stringAttr("schedule", "of the pipeline")
                    .oneOf(choicesOf(scheduleNames))
                    .otherwise("one_f_one_b"),
                intAttr("chunks", "of the model on each rank of an interleaved schedule")
                    .atLeast(1)
                    .otherwise(1),
                stringAttr("recompute", "what the backward pass computes again")
                    .oneOf(choicesOf(recomputeNames))
                    .otherwise("none"),
                intAttr("recompute_layers", "of each stage that recompute, where not all do")
                    .atLeast(1)
                    .optional(),
                listAttr("stages", AttrKind::Int, "layers of each, where not even")
                    .atLeast(1)
                    .optional(),
                listAttr("shard", AttrKind::String, "what data-parallel ranks divide")
                    .oneOf({"optimizer", "gradients", "parameters"})
                    .optional(),
                intAttr("shard_ranks", "that divide it, where not all do").atLeast(0).optional()},
      .verifier = verifyStrategy};
}

static AttrDecl numberAttr(llvm::StringRef name, llvm::StringRef doc) {
  return quantityAttr(name, Dimension(), doc);
}

static std::vector<OpDecl> optionDecls() {
  Dimension seconds(BaseUnit::Second), bytes(BaseUnit::Byte), speed = bytes / seconds;
  std::vector<llvm::StringRef> formats(dtypeNames().begin(), dtypeNames().end());
  return {
      {.name = OptimizerOp::opName,
       .doc = "The optimizer and its state.",
       .attrs =
           {stringAttr("kind", "its update")
                .oneOf({"adam", "adamw", "sgd", "adafactor"})
                .otherwise("adam"),
            stringAttr("master", "format of the master weights, if any").oneOf(formats).optional(),
            stringAttr("offload", "where its state lives, if not on the chip")
                .oneOf({"host_dram", "ssd"})
                .optional()}},
      {.name = ExpertsOp::opName,
       .doc = "How tokens choose among the experts of a layer.",
       .attrs = {stringAttr("routing", "how often each is chosen")
                     .oneOf(choicesOf(routingNames))
                     .otherwise("balanced"),
                 numberAttr("theta", "of zipf: expert i in proportion to 1 / i^theta").optional(),
                 intAttr("seed", "of zipf: which expert stands where").atLeast(0).optional(),
                 numberAttr("imbalance", "load of the busiest rank over the mean").optional(),
                 numberAttr("capacity", "tokens that an expert takes at most, over the mean")
                     .positive()
                     .optional()},
       .verifier = verifyExperts},
      {.name = AdaptersOp::opName,
       .doc = "Low-rank adapters, which are trained instead of the weights.",
       .attrs = {intAttr("rank", "of the factors").atLeast(0).otherwise(0),
                 flagAttr("of_attention", "only beside the products that attention reads")}},
      {.name = CheckpointOp::opName,
       .doc = "Failures, and the checkpoints against them.",
       .attrs =
           {quantityAttr("mtbf", seconds, "between failures of the system").optional(),
            quantityAttr("chip_mtbf", seconds, "between those of one chip").optional(),
            quantityAttr("every", seconds, "between checkpoints, where not the best").optional(),
            quantityAttr("bandwidth", speed, "of writing, of all chips").positive(),
            flagAttr("per_chip", "bandwidth is that of each chip"),
            quantityAttr("restart", seconds, "until the last checkpoint runs again").otherwise(0)},
       .verifier = verifyCheckpoint},
      {.name = AlgorithmOp::opName,
       .doc = "How collectives of a step run.",
       .attrs = {stringAttr("name", "of the algorithm"),
                 flagAttr("ring", "that of the library, which one switch runs in closed form"),
                 flagAttr("default", "what several levels do of themselves"),
                 listAttr("kinds", AttrKind::String, "of collectives that it runs")
                     .oneOf({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send"}),
                 listAttr("schedules", AttrKind::Symbol, "that are written out")
                     .oneOf({"collective.schedule"})
                     .optional(),
                 dictAttr("formulas", AttrKind::String, "of the others, by the number of ranks")
                     .optional(),
                 dictAttr("refused", AttrKind::String, "why there is neither, by that number")
                     .optional()}}};
}

/// A share, above 0 where times are divided by it.
static AttrDecl shareAttr(llvm::StringRef name, llvm::StringRef doc, int64_t otherwise) {
  AttrDecl decl = numberAttr(name, doc).share().otherwise(otherwise);
  return otherwise == 1 && name != "overlap_data" ? decl.positive() : decl;
}

static OpDecl runtimeDecl() {
  Dimension seconds(BaseUnit::Second), bytes(BaseUnit::Byte), speed = bytes / seconds;
  return {
      .name = RuntimeOp::opName,
      .doc = "What a software stack makes of the chip; without attributes all of its peaks.",
      .attrs = {
          stringAttr("label", "the stack as written").optional(),
          listAttr("fuses", AttrKind::String, "what evaluations run as one kernel").optional(),
          stringAttr("all_reduce", "the library of networks for sums over ranks, not of `train`")
              .optional(),
          listAttr("joins", AttrKind::String, "ops, and those that join them: \"conv2d + relu\"")
              .optional(),
          numberAttr("kernel_time", "of an evaluation's kernels over that of their libraries")
              .positive()
              .otherwise(1),
          quantityAttr("kernel_host", seconds, "of the host to start a kernel of an evaluation")
              .atLeast(0)
              .otherwise(0),
          numberAttr("attention_starts",
                     "kernels that the host starts for the attention of prompts of an evaluation")
              .atLeast(0)
              .otherwise(1),
          shareAttr("gemm", "of the peak that large products reach", 1),
          numberAttr("gemm_fp8", "the same in fp8, where not as gemm")
              .share()
              .positive()
              .optional(),
          numberAttr("gemm_fp4", "the same in 4 bits, where not as gemm_fp8")
              .share()
              .positive()
              .optional(),
          shareAttr("grouped", "of these that products of experts keep", 1),
          shareAttr("attention", "of the peaks that fused attention reaches", 1),
          numberAttr("attention_narrow",
                     "of the peak that attention reaches in the format of products; 0 "
                     "where it keeps its own")
              .share()
              .atLeast(0)
              .otherwise(0),
          shareAttr("attention_backward", "of this that its gradients keep", 1),
          numberAttr("state_space",
                     "of the peaks that fused products without a softmax reach, as those of "
                     "state-space layers, where not as attention")
              .share()
              .positive()
              .optional(),
          numberAttr("softmax_overlap",
                     "exponent p of (a^p + b^p)^(1/p), a the time of the products of attention, b "
                     "that of its other functions; 1 where they take turns")
              .atLeast(1)
              .otherwise(1),
          shareAttr("memory", "of the memory's bandwidth", 1),
          shareAttr("network", "of the speed of collectives beside kernels", 1),
          quantityAttr("launch", seconds, "per kernel, where not the chip's").optional(),
          shareAttr("overlap_data", "of kernels that hides data-parallel communication", 1),
          numberAttr("overlap_cost", "s that kernels lose for each s hidden behind them")
              .otherwise(0),
          shareAttr("overlap_tensor", "of tensor- and context-parallel communication hidden", 0),
          numberAttr("overlap_expert", "of the exchanges of experts, where not as overlap_tensor")
              .share()
              .optional(),
          shareAttr("overlap_pipeline", "of the sends of an interleaved schedule hidden", 0),
          quantityAttr("step", seconds, "that each step takes besides").otherwise(0),
          quantityAttr("request", seconds, "from the arrival of a request to its queue")
              .otherwise(0),
          quantityAttr("prompt_each", seconds, "the same of a batch for each prompt that it ends")
              .otherwise(0),
          quantityAttr("step_each", seconds, "the same of an evaluation for each sequence")
              .atLeast(0)
              .otherwise(0),
          quantityAttr("gradient_bytes", bytes, "of an element, where not as of the weights")
              .optional(),
          quantityAttr("gather_bytes", bytes,
                       "of an element gathered for products in fp8, where not its own")
              .optional(),
          quantityAttr("sum_bytes", bytes,
                       "of an element of sums over tensor-parallel ranks at least")
              .atLeast(0)
              .otherwise(0),
          quantityAttr("cast_bytes", bytes, "moved to make an operand in fp8, per product")
              .otherwise(2),
          quantityAttr("permute_bytes", bytes, "moved per element exchanged, to sort tokens")
              .otherwise(0),
          quantityAttr("accumulate_bytes", bytes,
                       "moved per gradient and microbatch to add them up")
              .atLeast(0)
              .otherwise(0),
          quantityAttr("expert_host", seconds, "of the host before a product of experts")
              .atLeast(0)
              .otherwise(0),
          quantityAttr("expert_launch", seconds, "the same for each expert of a rank")
              .atLeast(0)
              .otherwise(0),
          flagAttr("early_stop", "recomputing a layer ends with what its gradients read"),
          flagAttr(
              "split_sends",
              "each tensor-parallel rank sends a part of what stages pass on, which those of the "
              "next stage gather"),
          numberAttr("jitter", "standard deviation of a replica's step over its mean")
              .atLeast(0)
              .otherwise(0),
          shareAttr("merged_sends", "of a token's copies for one rank that travel as one", 0),
          quantityAttr("host", speed, "between chip and host memory (PCIe 4.0 x16 as measured)")
              .positive()
              .otherwise(25'000'000'000),
          quantityAttr("host_memory", speed,
                       "of a chip's share of the host's memory (DGX A100: 410 GB/s for eight)")
              .positive()
              .otherwise(50'000'000'000),
          quantityAttr("drives", speed,
                       "of a chip's share of the host's drives (DGX A100: eight of 6.8 GB/s)")
              .positive()
              .otherwise(6'800'000'000),
          numberAttr("measured", "measured steps over those that all else gives")
              .positive()
              .otherwise(1),
          quantityAttr("reserve", bytes, "that the stack itself takes").otherwise(0),
          numberAttr("fragmentation", "share of the memory that cannot be used").otherwise(0)}};
}

std::vector<OpDecl> study::trainDecls() {
  std::vector<llvm::StringRef> formats(dtypeNames().begin(), dtypeNames().end());
  std::vector<OpDecl> decls = {
      {.name = TrainOp::opName,
       .doc = "Training a model.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = statementAttrs(
           {"op.graph", "op.kernel"},
           {stringAttr("dtype", "of weights and activations").oneOf(formats),
            intAttr("batch", "samples of a step").atLeast(1).otherwise(1),
            stringAttr("products", "format of products in layers, where not dtype")
                .oneOf(formats)
                .optional(),
            stringAttr("using", "the provider of kernel times")
                .oneOf(stepProviders())
                .otherwise(llvm::StringRef(providerFor(KernelLevel::Whole).name)),
            numberAttr("steps", "of the run").positive().otherwise(1),
            numberAttr("tokens", "of the run, instead of its steps").positive().optional()}),
       .regions = {holding({StrategyOp::opName, OptimizerOp::opName, ExpertsOp::opName,
                            AdaptersOp::opName, RuntimeOp::opName, CheckpointOp::opName,
                            AlgorithmOp::opName, "study.price", "study.goal"})},
       .verifier = verifyTrain},
      strategyDecl(),
      runtimeDecl()};
  for (OpDecl &decl : optionDecls())
    decls.push_back(std::move(decl));
  return decls;
}
