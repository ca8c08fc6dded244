// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of `train`, of the blocks in it, and of the runtimes that it names.
#include "frontend/sema/PartWords.h"
#include "frontend/sema/StatementWords.h"
#include "frontend/sema/WordTables.h"

using namespace perfc;
using namespace perfc::words;

using enum ArgKind;

static constexpr ChoiceArgument chunksArgument{
    .name = "chunks", .byDefault = "1", .doc = "stages of the model on each rank"};
static constexpr ChoiceArgument microbatchArgument{.name = "microbatch",
                                                   .dims = Dims::Samples,
                                                   .isHole = true,
                                                   .byDefault = "the statement's, or 1",
                                                   .doc = "sequences per microbatch"};
static constexpr ChoiceArgument scheduleArguments[] = {microbatchArgument};
static constexpr ChoiceArgument interleavedArguments[] = {chunksArgument, microbatchArgument};
static constexpr ChoiceForm scheduleForms[] = {
    {.choice = "gpipe", .arguments = scheduleArguments},
    {.choice = "one_f_one_b", .arguments = scheduleArguments},
    {.choice = "interleaved", .arguments = interleavedArguments},
    {.choice = "interleaved_1f1b", .arguments = interleavedArguments},
    {.choice = "zero_bubble", .arguments = scheduleArguments},
};

static constexpr ChoiceArgument recomputeArguments[] = {
    {.name = "layers", .byDefault = "all", .doc = "layers of each stage that do so"},
};
static constexpr ChoiceForm recomputeForms[] = {
    {.choice = "selective", .arguments = recomputeArguments},
    {.choice = "cheap", .arguments = recomputeArguments},
    {.choice = "full", .arguments = recomputeArguments},
};

static constexpr ChoiceArgument shardArguments[] = {
    {.name = "ranks",
     .isHole = true,
     .byDefault = "all data-parallel ranks",
     .doc = "that divide it; groups of so many hold the same"},
};
static constexpr ChoiceForm shardForms[] = {
    {.choice = "optimizer", .arguments = shardArguments},
    {.choice = "gradients", .arguments = shardArguments},
    {.choice = "parameters", .arguments = shardArguments},
};

static constexpr ChoiceArgument loraArguments[] = {
    {.name = "rank", .doc = "of the factors beside each weight, at least 1"},
    {.name = "attention_inputs",
     .kind = Flag,
     .byDefault = "false",
     .doc = "adapts only the products that make queries, keys and values"},
};
static constexpr ChoiceForm adapterForms[] = {{.choice = "lora", .arguments = loraArguments}};

static constexpr WordSpec ownTrainWords[] = {
    {.word = "with",
     .kind = Reference,
     .maxArgs = anyNumber,
     .byDefault = "what the networks do of themselves",
     .doc = "algorithms of the step's collectives: with double_binary_tree"},
    batchWord,
    {.word = "order",
     .kind = Choice,
     .maxArgs = anyNumber,
     .choices = "tensor context expert data pipeline any",
     .byDefault = "tensor, context, data, pipeline, or as `over` needs",
     .doc = "how the axes of `parallel` are nested, from the nearest ranks outward"},
    {.word = "schedule",
     .kind = Choice,
     .choices = "gpipe one_f_one_b interleaved interleaved_1f1b zero_bubble",
     .forms = scheduleForms,
     .doc = "the pipeline's schedule: interleaved_1f1b(chunks = 2, microbatch = 1)"},
    {.word = "recompute",
     .kind = Choice,
     .choices = "none selective cheap full any",
     .forms = recomputeForms,
     .byDefault = "none",
     .doc = "activations that are computed again"},
    {.word = "stages",
     .kind = Integer,
     .maxArgs = anyNumber,
     .doc = "layers of each pipeline stage"},
    {.word = "shard",
     .kind = Choice,
     .maxArgs = anyNumber,
     .choices = "optimizer gradients parameters",
     .forms = shardForms,
     .doc = "what data-parallel ranks share (ZeRO 1 to 3): parameters(ranks = 8)"},
    {.word = "optimizer",
     .kind = Choice,
     .block = BlockKind::Optimizer,
     .choices = "adam adamw sgd adafactor",
     .doc = "the optimizer and its state"},
    {.word = "products",
     .kind = Constant,
     .byDefault = "`dtype`",
     .doc = "number format of the products with weights"},
    {.word = "runtime",
     .kind = Reference,
     .byDefault = "ideal: all peaks are reached",
     .doc = "the software stack: megatron, pytorch_fsdp"},
    usingWord,
    {.word = "experts",
     .kind = Syntax,
     .minArgs = 0,
     .maxArgs = 0,
     .block = BlockKind::TrainExperts,
     .byDefault = "balanced",
     .doc = "how evenly tokens choose experts"},
    {.word = "adapters",
     .kind = Choice,
     .choices = "lora none",
     .forms = adapterForms,
     .byDefault = "none: all weights are trained",
     .doc = "what is trained instead of the weights: lora(rank = 16, attention_inputs = true)"},
    {.word = "checkpoint",
     .kind = Syntax,
     .minArgs = 0,
     .maxArgs = 0,
     .block = BlockKind::Checkpoint,
     .byDefault = "nothing fails, nothing is written",
     .doc = "failures, and the checkpoints against them"},
    priceWord,
    {.word = "steps", .kind = Integer, .byDefault = "1", .doc = "steps of the run, for its cost"},
    {.word = "tokens",
     .kind = Measure,
     .dims = Dims::Tokens,
     .doc = "tokens of the run instead of its steps: tokens 15Ttoken"},
    {.word = "microbatch",
     .kind = Integer,
     .dims = Dims::Samples,
     .isHole = true,
     .doc = "sequences per microbatch"},
    {.word = "context", .kind = Integer, .doc = "tokens per sequence"},
};

static constexpr auto trainWords = joined(runWords, ownTrainWords);

static constexpr WordSpec runtimeWords[] = {
    {.word = "gemm",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of the peak that products reach"},
    {.word = "gemm_fp8",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "`gemm`",
     .doc = "the same for products in fp8"},
    {.word = "gemm_fp4",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "`gemm_fp8`",
     .doc = "the same for products in formats of 4 bits"},
    {.word = "grouped",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of these that products of experts keep"},
    {.word = "attention",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of the peak that fused attention reaches"},
    {.word = "memory",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of the memory's bandwidth that kernels reach"},
    {.word = "network",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of the speed of collectives that they reach beside kernels"},
    {.word = "measured",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "measured steps over those of the other figures: 1 +- 12%"},
    {.word = "launch",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "the chip's",
     .doc = "time that each kernel takes besides"},
    {.word = "overlap_data",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of kernels' time that hides data-parallel communication"},
    {.word = "overlap_cost",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "0%",
     .doc = "time that kernels lose while they hide data-parallel communication, as a share of it"},
    {.word = "overlap_tensor",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "0%",
     .doc = "share of tensor- and context-parallel communication that runs beside kernels"},
    {.word = "overlap_expert",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "`overlap_tensor`",
     .doc = "share of the exchanges between experts' ranks that is hidden"},
    {.word = "overlap_pipeline",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "0%",
     .doc = "share of the sends of an interleaved schedule that is hidden"},
    {.word = "step",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "0s",
     .doc = "time that each step takes besides"},
    {.word = "gradient_bytes",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "those of the weights",
     .doc = "bytes of an element of the gradients"},
    {.word = "gather_bytes",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "those of its format",
     .doc = "bytes of an element of weights and activations gathered for products in fp8"},
    {.word = "cast_bytes",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "2B",
     .doc = "bytes moved per element and product to make operands in fp8"},
    {.word = "permute_bytes",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "0B",
     .doc = "bytes moved per element that experts' ranks exchange, to sort tokens by expert"},
    {.word = "merged_sends",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "0%",
     .doc = "share of a token's copies for experts of one rank that travel as one"},
    {.word = "host",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "25GB/s",
     .doc = "bandwidth between chip and host memory"},
    {.word = "host_memory",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "50GB/s",
     .doc = "bandwidth of the host's memory that a chip's share of the optimizer has"},
    {.word = "drives",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "6.8GB/s",
     .doc = "bandwidth of the host's drives for the state of one chip"},
    {.word = "reserve",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "0B",
     .doc = "memory that the stack takes itself"},
    {.word = "fragmentation",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "0%",
     .doc = "memory lost between tensors, as a share of what they take"},
};

static constexpr WordSpec optimizerWords[] = {
    {.word = "master", .kind = Constant, .doc = "dtype of the master weights"},
    {.word = "offload",
     .kind = Choice,
     .choices = "host_dram ssd none",
     .doc = "where the state lives"},
};

static constexpr WordSpec trainExpertsWords[] = {
    {.word = "routing",
     .kind = Choice,
     .choices = "balanced uniform zipf",
     .forms = routingForms,
     .byDefault = "balanced",
     .doc = "how tokens choose experts: zipf(theta = 0.3, seed = 1)"},
    {.word = "imbalance",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "what `routing` gives",
     .doc = "load of the busiest expert-parallel rank over the mean: imbalance 1.3x"},
    {.word = "capacity",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "no tokens are dropped",
     .doc = "tokens that an expert takes at most, over the mean: capacity 1.25x"},
};

static constexpr WordSpec checkpointWords[] = {
    {.word = "mtbf",
     .kind = Measure,
     .dims = Dims::Time,
     .doc = "mean time between failures of the whole system"},
    {.word = "chip_mtbf",
     .kind = Measure,
     .dims = Dims::Time,
     .doc = "mean time between failures of one chip, instead of `mtbf`"},
    {.word = "every",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "the interval that costs least (Daly 2006)",
     .doc = "time between checkpoints"},
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .per = perChip,
     .doc = "bandwidth of writing, of all chips together, or of each: 1GB/s/chip"},
    {.word = "restart",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "0s",
     .doc = "time from a failure until the last checkpoint runs again"},
};

static constexpr WordSpec priceWords[] = {
    {.word = "chip",
     .kind = Measure,
     .dims = Dims::Money,
     .per = perChip,
     .doc = "of a chip: chip 2USD/h"},
    {.word = "energy", .kind = Measure, .dims = Dims::Money, .doc = "of energy: energy 0.03USD/MJ"},
};

llvm::ArrayRef<WordSpec> perfc::trainWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Train:
    return trainWords;
  case BlockKind::Optimizer:
    return optimizerWords;
  case BlockKind::Runtime:
    return runtimeWords;
  case BlockKind::TrainExperts:
    return trainExpertsWords;
  case BlockKind::Checkpoint:
    return checkpointWords;
  case BlockKind::Price:
    return priceWords;
  default:
    return {};
  }
}
