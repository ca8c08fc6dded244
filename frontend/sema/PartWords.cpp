// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/WordTables.h"

using namespace perfc;

using enum ArgKind;

static constexpr WordSpec hardwareWords[] = {
    {.word = "clock",
     .kind = Measure,
     .dims = Dims::Frequency,
     .byDefault = "unknown: cycles can't be used",
     .doc = "clock frequency; `cycle` is its period"},
    {.word = "dtype",
     .kind = Constant,
     .byDefault = "fp16",
     .doc = "the chip's own number format; `word` is one element of it"},
    {.word = "launch",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "none",
     .doc = "time to start one kernel"},
    {.word = "tdp",
     .kind = Measure,
     .dims = Dims::Power,
     .byDefault = "unknown",
     .doc = "thermal design power"},
    {.word = "area",
     .kind = Measure,
     .dims = Dims::Area,
     .byDefault = "the sum of its parts",
     .doc = "area of the whole chip"},
    {.word = "memory",
     .kind = Syntax,
     .block = BlockKind::Memory,
     .repeats = true,
     .doc = "a memory, farthest first"},
    {.word = "array",
     .kind = Syntax,
     .block = BlockKind::Array,
     .repeats = true,
     .doc = "repeats what its block holds: array PE[x = 14, y = 12]"},
    {.word = "network",
     .kind = Syntax,
     .minArgs = 0,
     .block = BlockKind::Network,
     .repeats = true,
     .doc = "how its parts are connected"},
    {.word = "compute",
     .kind = Syntax,
     .block = BlockKind::Compute,
     .repeats = true,
     .doc = "a unit that computes"},
    {.word = "without",
     .kind = Name,
     .maxArgs = anyNumber,
     .repeats = true,
     .doc = "removes parts that `from` brought"},
    {.word = "calibrate",
     .kind = Text,
     .doc = "fits the chip's constants to a table of measurements"},
};

static constexpr WordSpec arrayWords[] = {
    {.word = "clock",
     .kind = Measure,
     .dims = Dims::Frequency,
     .byDefault = "the surrounding block's",
     .doc = "clock frequency inside the array"},
    {.word = "dtype",
     .kind = Constant,
     .byDefault = "the surrounding block's",
     .doc = "number format inside the array"},
    {.word = "dispatch",
     .kind = Choice,
     .choices = "blocks",
     .byDefault = "none",
     .doc = "`blocks`: iterations of the memory outside arrive as blocks, in waves"},
    {.word = "memory",
     .kind = Syntax,
     .block = BlockKind::Memory,
     .repeats = true,
     .doc = "a memory of each element"},
    {.word = "array",
     .kind = Syntax,
     .block = BlockKind::Array,
     .repeats = true,
     .doc = "an array inside each element"},
    {.word = "network",
     .kind = Syntax,
     .minArgs = 0,
     .block = BlockKind::Network,
     .repeats = true,
     .doc = "the network that feeds the array"},
    {.word = "compute",
     .kind = Syntax,
     .block = BlockKind::Compute,
     .repeats = true,
     .doc = "a compute unit of each element"},
    {.word = "without",
     .kind = Name,
     .maxArgs = anyNumber,
     .repeats = true,
     .doc = "removes parts that `from` brought"},
    {.word = "from", .kind = Reference, .clauseOnly = true, .doc = "the template it is made from"},
    {.word = "after", .kind = Name, .clauseOnly = true, .doc = "where it is inserted"},
};

static constexpr WordSpec memoryWords[] = {
    {.word = "capacity",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "unlimited",
     .doc = "what one instance holds"},
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .minArgs = 0,
     .block = BlockKind::Bandwidth,
     .byDefault = "unlimited",
     .doc = "reads plus writes of one instance; a block separates them"},
    {.word = "latency",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "none",
     .doc = "time of one access"},
    {.word = "energy",
     .kind = Measure,
     .dims = Dims::AccessEnergy,
     .minArgs = 0,
     .block = BlockKind::Energy,
     .byDefault = "not given",
     .doc = "energy per word, or /b, /B; a block gives read and write apart"},
    {.word = "area",
     .kind = Measure,
     .dims = Dims::Area,
     .byDefault = "not given",
     .doc = "area of one instance"},
    {.word = "width",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "one word",
     .doc = "what one access moves"},
    {.word = "keep",
     .kind = Choice,
     .maxArgs = anyNumber,
     .choices = "input weight output intermediate cache",
     .byDefault = "every role",
     .doc = "the roles of the tensors it holds; the others pass by"},
    {.word = "off_chip",
     .kind = Flag,
     .minArgs = 0,
     .maxArgs = 0,
     .doc = "its area is not the chip's"},
    {.word = "from", .kind = Reference, .clauseOnly = true, .doc = "the template it is made from"},
    {.word = "after", .kind = Name, .clauseOnly = true, .doc = "where it is inserted"},
};

static constexpr WordSpec bandwidthWords[] = {
    {.word = "read",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "unlimited",
     .doc = "reads of one instance"},
    {.word = "write",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "unlimited",
     .doc = "writes of one instance"},
};

static constexpr WordSpec energyWords[] = {
    {.word = "read",
     .kind = Measure,
     .dims = Dims::AccessEnergy,
     .byDefault = "not given",
     .doc = "energy of a read, per word or /b, /B"},
    {.word = "write",
     .kind = Measure,
     .dims = Dims::AccessEnergy,
     .byDefault = "not given",
     .doc = "energy of a write, per word or /b, /B"},
};

static constexpr WordSpec netEnergyWords[] = {
    {.word = "hop",
     .kind = Measure,
     .dims = Dims::HopEnergy,
     .byDefault = "not given",
     .doc = "energy of one word over one link"},
};

static constexpr WordSpec networkWords[] = {
    {.word = "multicast",
     .kind = Name,
     .minArgs = 0,
     .maxArgs = anyNumber,
     .byDefault = "all axes when there is no network, else none",
     .doc = "axes along which one read serves several"},
    {.word = "reduce",
     .kind = Name,
     .minArgs = 0,
     .maxArgs = anyNumber,
     .byDefault = "all axes when there is no network, else none",
     .doc = "axes along which partial sums are added on the way"},
    {.word = "energy",
     .kind = Measure,
     .dims = Dims::HopEnergy,
     .minArgs = 0,
     .block = BlockKind::NetEnergy,
     .byDefault = "none",
     .doc = "energy per word, /b or /B moved; a block gives it per hop"},
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "unlimited",
     .doc = "what one instance, or each chip (/chip), moves"},
    {.word = "latency",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "none",
     .doc = "time of one traversal"},
    {.word = "carry",
     .kind = Choice,
     .maxArgs = anyNumber,
     .choices = "input weight output intermediate cache",
     .byDefault = "every role",
     .doc = "the roles of the tensors it carries"},
    {.word = "to", .kind = Name, .byDefault = "what comes next", .doc = "the part it leads to"},
    {.word = "topology",
     .kind = Choice,
     .choices = "switch ring fully_connected mesh torus fat_tree dragonfly tree bus",
     .byDefault = "switch",
     .doc = "how nodes are linked: fat_tree(radix = 64)"},
    {.word = "from", .kind = Reference, .clauseOnly = true, .doc = "the template it is made from"},
};

static constexpr WordSpec computeWords[] = {
    {.word = "rate",
     .kind = Measure,
     .dims = Dims::Rate,
     .minArgs = 0,
     .block = BlockKind::ByDtype,
     .byDefault = "unlimited",
     .doc = "multiply-accumulates per time of one instance, or FLOP/s; a block gives it by dtype"},
    {.word = "energy",
     .kind = Measure,
     .dims = Dims::OpEnergy,
     .minArgs = 0,
     .block = BlockKind::ByDtype,
     .byDefault = "not given",
     .doc = "energy of one multiply-accumulate; a block gives it by dtype"},
    {.word = "area",
     .kind = Measure,
     .dims = Dims::Area,
     .byDefault = "not given",
     .doc = "area of one instance"},
    {.word = "dtype",
     .kind = Constant,
     .byDefault = "the chip's",
     .doc = "the number format it computes in"},
    {.word = "ops",
     .kind = Choice,
     .maxArgs = anyNumber,
     .choices = "add sub mul div exp log sqrt rsqrt tanh erf sin cos abs floor ceil max min pow "
                "sigmoid",
     .byDefault = "multiply-accumulate, and all the rest",
     .doc = "the element functions it computes"},
    {.word = "from", .kind = Reference, .clauseOnly = true, .doc = "the template it is made from"},
};

static constexpr WordSpec byDtypeWords[] = {
    {.word = "fp64", .kind = Measure, .doc = "for fp64"},
    {.word = "fp32", .kind = Measure, .doc = "for fp32"},
    {.word = "tf32", .kind = Measure, .doc = "for tf32"},
    {.word = "fp16", .kind = Measure, .doc = "for fp16"},
    {.word = "bf16", .kind = Measure, .doc = "for bf16"},
    {.word = "fp8", .kind = Measure, .doc = "for fp8"},
    {.word = "int64", .kind = Measure, .doc = "for int64"},
    {.word = "int32", .kind = Measure, .doc = "for int32"},
    {.word = "int16", .kind = Measure, .doc = "for int16"},
    {.word = "int8", .kind = Measure, .doc = "for int8"},
    {.word = "int4", .kind = Measure, .doc = "for int4"},
    {.word = "bool", .kind = Measure, .doc = "for bool"},
};

static constexpr WordSpec systemWords[] = {
    {.word = "fault",
     .kind = Syntax,
     .block = BlockKind::Fault,
     .repeats = true,
     .doc = "breaks a part, or slows it: fault link(node[3], switch[0])"},
};

static constexpr WordSpec faultWords[] = {
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "0%",
     .doc = "the share of its bandwidth that a link keeps"},
    {.word = "slowdown",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "broken",
     .doc = "how much slower a chip is: 1.2x"},
};

static constexpr WordSpec groupWords[] = {
    {.word = "over",
     .kind = Reference,
     .clauseOnly = true,
     .doc = "the network between the members"},
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "the network's",
     .doc = "what each chip moves, one way"},
    {.word = "latency",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "the network's",
     .doc = "time of one traversal"},
    {.word = "topology",
     .kind = Choice,
     .choices = "switch ring fully_connected mesh torus fat_tree dragonfly tree bus",
     .byDefault = "the network's",
     .doc = "how nodes are linked"},
    {.word = "energy",
     .kind = Measure,
     .dims = Dims::HopEnergy,
     .byDefault = "not given",
     .doc = "energy per bit or byte moved"},
};

llvm::ArrayRef<WordSpec> perfc::partWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Hardware:
    return hardwareWords;
  case BlockKind::Array:
    return arrayWords;
  case BlockKind::Memory:
    return memoryWords;
  case BlockKind::Bandwidth:
    return bandwidthWords;
  case BlockKind::Energy:
    return energyWords;
  case BlockKind::NetEnergy:
    return netEnergyWords;
  case BlockKind::Network:
    return networkWords;
  case BlockKind::Compute:
    return computeWords;
  case BlockKind::ByDtype:
    return byDtypeWords;
  case BlockKind::System:
    return systemWords;
  case BlockKind::Group:
    return groupWords;
  case BlockKind::Fault:
    return faultWords;
  default:
    return {};
  }
}
