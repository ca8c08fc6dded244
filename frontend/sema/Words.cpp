// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The word tables of declarations; those of statements are in StatementWords.cpp.
#include "frontend/sema/Words.h"

#include "frontend/sema/StatementWords.h"
#include <algorithm>

using namespace perfc;

using enum ArgKind;

static constexpr WordSpec fileWords[] = {
    {.word = "op",
     .kind = Syntax,
     .block = BlockKind::Op,
     .repeats = true,
     .doc = "an operator: equations over indexed tensors"},
    {.word = "workload",
     .kind = Syntax,
     .block = BlockKind::Workload,
     .repeats = true,
     .doc = "a graph of ops over tensors"},
    {.word = "hardware",
     .kind = Syntax,
     .block = BlockKind::Hardware,
     .repeats = true,
     .doc = "a chip: a tree of memories, arrays and compute units"},
    {.word = "system",
     .kind = Syntax,
     .block = BlockKind::System,
     .repeats = true,
     .doc = "groups of chips over networks, inside out"},
    {.word = "mapping",
     .kind = Syntax,
     .block = BlockKind::Mapping,
     .repeats = true,
     .doc = "where each loop of an op runs on a chip"},
    {.word = "mapspace",
     .kind = Syntax,
     .block = BlockKind::Mapspace,
     .repeats = true,
     .doc = "a mapping with holes"},
    {.word = "dataflow",
     .kind = Syntax,
     .block = BlockKind::Dataflow,
     .repeats = true,
     .doc = "a mapping in MAESTRO's directives"},
    {.word = "algorithm",
     .kind = Syntax,
     .block = BlockKind::Algorithm,
     .repeats = true,
     .doc = "a schedule of sends for a collective"},
    {.word = "collective",
     .kind = Syntax,
     .block = BlockKind::Collective,
     .repeats = true,
     .doc = "a collective that workloads may call"},
    {.word = "memory",
     .kind = Syntax,
     .block = BlockKind::Memory,
     .repeats = true,
     .doc = "a template for memories"},
    {.word = "compute",
     .kind = Syntax,
     .block = BlockKind::Compute,
     .repeats = true,
     .doc = "a template for compute units"},
    {.word = "array",
     .kind = Syntax,
     .block = BlockKind::Array,
     .repeats = true,
     .doc = "a template for arrays"},
    {.word = "network",
     .kind = Syntax,
     .block = BlockKind::Network,
     .repeats = true,
     .doc = "a template for networks"},
    {.word = "fn",
     .kind = Syntax,
     .block = BlockKind::Function,
     .repeats = true,
     .doc = "a function of constant expressions"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
    {.word = "param",
     .kind = Syntax,
     .repeats = true,
     .doc = "a constant that -D and sweep may set"},
    {.word = "metric", .kind = Syntax, .repeats = true, .doc = "names an expression over metrics"},
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::Loop,
     .repeats = true,
     .doc = "repeats its block for each value"},
    {.word = "evaluate",
     .kind = Reference,
     .block = BlockKind::Evaluate,
     .repeats = true,
     .doc = "latency, energy and area of a workload on a chip or system"},
    {.word = "compare",
     .kind = Reference,
     .block = BlockKind::Compare,
     .repeats = true,
     .doc = "one row per chip, mapping or provider, each against the first"},
    {.word = "search",
     .kind = Reference,
     .block = BlockKind::Search,
     .repeats = true,
     .doc = "the best mapping of a mapspace"},
    {.word = "sweep",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .block = BlockKind::Sweep,
     .repeats = true,
     .doc = "evaluates its statements at every point"},
    {.word = "serve",
     .kind = Reference,
     .block = BlockKind::Serve,
     .repeats = true,
     .doc = "a request stream on a chip or system"},
    {.word = "train",
     .kind = Reference,
     .block = BlockKind::Train,
     .repeats = true,
     .doc = "a training step on a system"},
    {.word = "expect",
     .kind = Metric,
     .block = BlockKind::Choosing,
     .repeats = true,
     .doc = "exit status 1 unless it holds; names results as result.metric"},
    {.word = "report",
     .kind = Metric,
     .maxArgs = anyNumber,
     .block = BlockKind::Choosing,
     .repeats = true,
     .doc = "prints results or metrics"},
    {.word = "emit",
     .kind = Text,
     .block = BlockKind::Choosing,
     .repeats = true,
     .doc = "writes a file: emit json \"out.json\" from result"},
};

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
     .kind = Name,
     .maxArgs = anyNumber,
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

static constexpr WordSpec opWords[] = {
    {.word = "where", .kind = Syntax, .repeats = true, .doc = "an affine condition on the indices"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
};

static constexpr WordSpec workloadWords[] = {
    {.word = "repeat",
     .kind = Integer,
     .block = BlockKind::Workload,
     .repeats = true,
     .doc = "repeats its block; names set in it carry over"},
    {.word = "phase", .kind = Syntax, .repeats = true, .doc = "names a set of arguments"},
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::Workload,
     .repeats = true,
     .doc = "repeats its block for each value"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
};

static constexpr WordSpec mappingWords[] = {
    {.word = "at",
     .kind = Syntax,
     .block = BlockKind::Place,
     .repeats = true,
     .doc = "the loops of a memory or array axis: at GLB for p = 8, at PE.x parallel q = 14"},
    {.word = "keep",
     .kind = Name,
     .maxArgs = anyNumber,
     .block = BlockKind::Place,
     .repeats = true,
     .doc = "tensors that a memory keeps: keep W at GLB"},
    {.word = "bypass",
     .kind = Name,
     .maxArgs = anyNumber,
     .block = BlockKind::Place,
     .repeats = true,
     .doc = "tensors that pass a memory by: bypass W at GLB"},
    {.word = "fuse",
     .kind = Name,
     .maxArgs = anyNumber,
     .block = BlockKind::Place,
     .repeats = true,
     .doc = "intermediate tensors that never leave a memory: fuse S at SMEM"},
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::Place,
     .repeats = true,
     .clauseOnly = true,
     .doc = "the op that it is for"},
    {.word = "on", .kind = Reference, .clauseOnly = true, .doc = "the chip that it is on"},
};

static constexpr WordSpec placeWords[] = {
    {.word = "for",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .doc = "loops, outermost first: for m = 4, p = 14"},
    {.word = "parallel",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .doc = "loops spread over the array's axis; (p, r) = 3 drives both with one lane number"},
    {.word = "order",
     .kind = Choice,
     .choices = "any",
     .doc = "`any` frees the order of the loops"},
    {.word = "at", .kind = Name, .clauseOnly = true, .doc = "the place it is about"},
};

static constexpr WordSpec dataflowWords[] = {
    {.word = "temporal",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .doc = "maps `size` values per step: temporal c(64), y(3, offset = 1)"},
    {.word = "spatial",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .doc = "spreads values over the clusters of this level"},
    {.word = "cluster",
     .kind = Integer,
     .repeats = true,
     .doc = "groups of this many sub-clusters"},
    {.word = "for", .kind = Syntax, .clauseOnly = true, .doc = "the op that it is for"},
    {.word = "on", .kind = Reference, .clauseOnly = true, .doc = "the chip that it is on"},
};

static constexpr WordSpec algorithmWords[] = {
    {.word = "chunks", .kind = Integer, .doc = "pieces that the data is cut into"},
    {.word = "copy",
     .kind = Syntax,
     .block = BlockKind::Algorithm,
     .repeats = true,
     .doc = "sends a chunk: copy chunk[c] from i to j"},
    {.word = "reduce",
     .kind = Syntax,
     .block = BlockKind::Algorithm,
     .repeats = true,
     .doc = "sends a chunk that is added to the receiver's"},
    {.word = "from", .kind = Integer, .clauseOnly = true, .doc = "the sender"},
    {.word = "to", .kind = Integer, .clauseOnly = true, .doc = "the receiver"},
    {.word = "choose",
     .kind = Reference,
     .maxArgs = anyNumber,
     .doc = "algorithms of which the fastest is taken"},
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::Algorithm,
     .repeats = true,
     .doc = "repeats its block for each value; as a clause, the collective it is for"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
};

static constexpr WordSpec functionWords[] = {
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
    {.word = "return", .kind = Constant, .doc = "the function's value"},
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

llvm::ArrayRef<WordSpec> perfc::wordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::File:
    return fileWords;
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
  case BlockKind::Op:
    return opWords;
  case BlockKind::Workload:
    return workloadWords;
  case BlockKind::Mapping:
  case BlockKind::Mapspace:
    return mappingWords;
  case BlockKind::Place:
    return placeWords;
  case BlockKind::Dataflow:
    return dataflowWords;
  case BlockKind::Algorithm:
    return algorithmWords;
  case BlockKind::Function:
    return functionWords;
  default:
    return statementWordsOf(kind);
  }
}

const WordSpec *perfc::findWord(BlockKind kind, llvm::StringRef word) {
  for (const WordSpec &spec : wordsOf(kind))
    if (spec.word == word)
      return &spec;
  return nullptr;
}

static constexpr llvm::StringLiteral blockNames[blockKindCount] = {
    "none",      "file",       "op",       "workload",  "hardware",     "memory",   "array",
    "network",   "compute",    "energy",   "bandwidth", "energy",       "by-dtype", "system",
    "group",     "fault",      "mapping",  "mapspace",  "at",           "dataflow", "algorithm",
    "statement", "collective", "evaluate", "compare",   "search",       "sweep",    "serve",
    "train",     "tensor",     "pool",     "draft",     "prefix_cache", "experts",  "optimizer",
    "fn",        "for"};

llvm::StringRef perfc::blockName(BlockKind kind) { return blockNames[static_cast<unsigned>(kind)]; }

std::string perfc::describeBlock(BlockKind kind) {
  if (kind == BlockKind::File)
    return "a file";
  llvm::StringRef name = blockName(kind);
  bool vowel = llvm::StringRef("aeiou").contains(name.front());
  return (vowel ? "an " : "a ") + name.str() + " block";
}

llvm::SmallVector<BlockKind, 4> perfc::blocksWith(llvm::StringRef word) {
  llvm::SmallVector<BlockKind, 4> result;
  for (unsigned kind = 0; kind < blockKindCount; ++kind)
    if (const WordSpec *spec = findWord(static_cast<BlockKind>(kind), word);
        spec && !spec->clauseOnly)
      result.push_back(static_cast<BlockKind>(kind));
  return result;
}

bool perfc::accepts(Dims dims, const Dimension &given) {
  using enum BaseUnit;
  Dimension dimension = given.withoutCounts();
  auto is = [&](const Dimension &wanted) { return dimension == wanted; };
  switch (dims) {
  case Dims::Any:
    return true;
  case Dims::Number:
    return is({});
  case Dims::Data:
    return is(Byte) || is(Word);
  case Dims::Bandwidth:
    return is(Dimension(Byte) / Second) || is(Dimension(Byte) / Cycle) ||
           is(Dimension(Word) / Second) || is(Dimension(Word) / Cycle);
  case Dims::Time:
    return is(Second) || is(Cycle);
  case Dims::Frequency:
    return is(Dimension() / Second);
  case Dims::AccessEnergy:
    return is(Joule) || is(Dimension(Joule) / Byte) || is(Dimension(Joule) / Word);
  case Dims::OpEnergy:
    return is(Joule) || is(Dimension(Joule) / Flop) || is(Dimension(Joule) / Op);
  case Dims::HopEnergy:
    return is(Joule) || is(Dimension(Joule) / Byte) || is(Dimension(Joule) / Word);
  case Dims::Area:
    return is(Dimension(Metre, 2));
  case Dims::Power:
    return is(Dimension(Joule) / Second);
  case Dims::Rate:
    return is(Dimension() / Second) || is(Dimension() / Cycle) || is(Dimension(Flop) / Second) ||
           is(Dimension(Flop) / Cycle) || is(Dimension(Op) / Second) || is(Dimension(Op) / Cycle);
  case Dims::Money:
    return is(Dollar) || is(Dimension(Dollar) / Second);
  case Dims::RequestRate:
    return is(Dimension() / Second);
  case Dims::Tokens:
    return is({});
  case Dims::Share:
    return is({});
  }
  return false;
}

llvm::StringRef perfc::describe(Dims dims) {
  switch (dims) {
  case Dims::Any:
    return "any quantity";
  case Dims::Number:
    return "a plain number";
  case Dims::Data:
    return "an amount of data, such as 108KiB or 224word";
  case Dims::Bandwidth:
    return "a bandwidth, such as 8B/cycle or 2TB/s";
  case Dims::Time:
    return "a time, such as 2us or 20cycle";
  case Dims::Frequency:
    return "a frequency, such as 1.4GHz";
  case Dims::AccessEnergy:
    return "an energy per access, such as 6pJ (per word) or 3.9pJ/b";
  case Dims::OpEnergy:
    return "an energy, such as 1pJ";
  case Dims::HopEnergy:
    return "an energy per transfer, such as 2pJ (per word) or 1.2pJ/b";
  case Dims::Area:
    return "an area, such as 0.35mm2";
  case Dims::Power:
    return "a power, such as 400W";
  case Dims::Rate:
    return "a rate, such as 1024/cycle or 312TFLOP/s";
  case Dims::Money:
    return "an amount of money, such as 2USD";
  case Dims::RequestRate:
    return "a rate of requests, such as 2req/s";
  case Dims::Tokens:
    return "a number of tokens, such as 512token";
  case Dims::Share:
    return "a share, such as 25%";
  }
  return "";
}
