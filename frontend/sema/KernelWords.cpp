// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of generations of chips and of the libraries whose kernels run on them; the terms that
// they are the constants of are in docs/cost-model.md.
#include "frontend/sema/WordTables.h"

using namespace perfc;

using enum ArgKind;

static constexpr WordSpec generationWords[] = {
    {.word = "libraries",
     .kind = Reference,
     .maxArgs = anyNumber,
     .doc = "whose kernels run; of several that have one for an operation the first"},
    {.word = "launch",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "the chip's",
     .doc = "start and end of a kernel that follows another in a graph"},
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of the outermost memory's bandwidth that kernels reach"},
    {.word = "cache",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of the last cache that a tensor can stay in: half of one with two partitions"},
    {.word = "stream",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "`bandwidth`",
     .doc = "share of the bandwidth that kernels reach which stream tensors"},
    {.word = "stream_cache",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "`cache`",
     .doc = "share of the last cache that these can stay in"},
    {.word = "attention_cache",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "`cache`",
     .doc = "share of it that one tensor that is used again, a cache or the weights of experts, "
            "can stay in"},
    {.word = "cache_bandwidth",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "does not limit",
     .doc = "bandwidth of the last cache over that of the outermost memory"},
    {.word = "core",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "that of the chip's units",
     .doc = "16-bit operations in a cycle of a unit whose rate is not cut: what its paths are for"},
    {.word = "energy",
     .kind = Measure,
     .dims = Dims::OpEnergy,
     .minArgs = 0,
     .block = BlockKind::ByDtype,
     .byDefault = "the power never limits",
     .doc =
         "energy of a multiply-accumulate at the power limit, by the format that it runs in, of a "
         "core of 4096; it falls with the root of that"},
    {.word = "sustained",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "training is not limited by power",
     .doc = "energy of an operation in runs of seconds over that of a single kernel, `energy`"},
    {.word = "byte_energy",
     .kind = Measure,
     .dims = Dims::OpEnergy,
     .byDefault = "0pJ",
     .doc = "energy of a byte of the outermost memory and of its way to the units"},
    {.word = "dynamic",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "what a multiply-accumulate takes in a kernel below the power limit over `energy`"},
    {.word = "idle",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "the chip's own energies count instead of these figures",
     .doc = "share of `tdp` that is drawn whatever runs; kernels then have their energy from the "
            "generation"},
    {.word = "reached_power",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of `tdp` that kernels draw at most"},
    {.word = "measured_energy",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "measured energies of kernels over those of the other figures: 1 +- 30%"},
    {.word = "split",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "none",
     .doc = "adding up what the parts of a split sum came to"},
    {.word = "overlap",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "the largest alone counts",
     .doc = "exponent p of (a^p + b^p + …)^(1/p), by which limits that are near each other add up"},
    {.word = "measured",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "measured times of kernels over those of the other figures: 1 +- 20%"},
    measuredOverWord("none"),
};

static constexpr WordSpec libraryWords[] = {
    {.word = "kernel",
     .kind = Choice,
     .block = BlockKind::KernelFamily,
     .choices = "gemm batched elementwise softmax norm append latent_append attention decode "
                "latent_attention "
                "latent_decode experts convolution winograd winograd_split depthwise",
     .repeats = true,
     .doc = "kernels of one kind: kernel gemm { formats bf16; tile m = [64, 128], n = 128 }"},
};

static constexpr WordSpec shapesWords[] = {
    {.word = "split",
     .kind = Integer,
     .maxArgs = anyNumber,
     .clauseOnly = true,
     .byDefault = "1",
     .doc = "parts that the sum may be split into: tile m = 128, n = 128 split 1, 2, 4"},
    {.word = "up_to",
     .kind = Integer,
     .clauseOnly = true,
     .byDefault = "all",
     .doc = "a rule instead of a choice: these tiles are for so many rows at most, of several such "
            "lines the first"},
    {.word = "aligned",
     .kind = Integer,
     .clauseOnly = true,
     .byDefault = "1",
     .doc = "these tiles are for operands whose rows are whole words of so many bytes"},
};

llvm::ArrayRef<WordSpec> perfc::kernelWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Generation:
    return generationWords;
  case BlockKind::KernelLibrary:
    return libraryWords;
  case BlockKind::KernelFamily:
    return kernelFamilyWords();
  case BlockKind::TileShapes:
    return shapesWords;
  default:
    return {};
  }
}
