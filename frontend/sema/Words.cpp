// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The word tables of files, ops, workloads and mappings; those of chips and systems are in
// PartWords.cpp, those of statements in StatementWords.cpp.
#include "frontend/sema/Words.h"

#include "frontend/sema/WordTables.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
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
    {.word = "trace",
     .kind = Syntax,
     .block = BlockKind::Trace,
     .repeats = true,
     .doc = "what each rank runs, node by node, as Chakra traces have it"},
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
    {.word = "runtime",
     .kind = Syntax,
     .block = BlockKind::Runtime,
     .repeats = true,
     .doc = "what a software stack makes of a chip"},
    {.word = "generation",
     .kind = Syntax,
     .block = BlockKind::Generation,
     .repeats = true,
     .doc = "what kernels take on chips of one design, beside their work"},
    {.word = "library",
     .kind = Syntax,
     .block = BlockKind::KernelLibrary,
     .repeats = true,
     .doc = "kernels by the tiles that they come in: library cublas { kernel gemm { … } }"},
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
    {.word = "validate",
     .kind = Syntax,
     .maxArgs = 2,
     .block = BlockKind::Validate,
     .repeats = true,
     .doc = "predicts each row of a table of measurements: validate row in \"runs.csv\""},
    {.word = "calibrate",
     .kind = Name,
     .minArgs = 0,
     .block = BlockKind::Calibrate,
     .repeats = true,
     .doc = "fits constants to the tables of the file; `perfc calibrate` runs it"},
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
    {.word = "replay",
     .kind = Reference,
     .block = BlockKind::Replay,
     .repeats = true,
     .doc = "a trace on a system, timed as ASTRA-sim times it"},
    {.word = "expect",
     .kind = Metric,
     .block = BlockKind::Expect,
     .repeats = true,
     .doc = "exit status 1 unless it holds; names results as result.metric"},
    {.word = "report",
     .kind = Metric,
     .maxArgs = anyNumber,
     .block = BlockKind::Report,
     .repeats = true,
     .doc = "prints results or metrics"},
    {.word = "emit",
     .kind = Text,
     .block = BlockKind::Emit,
     .repeats = true,
     .doc = "writes a file: emit json \"out.json\" from result"},
};

/// Of ops and workloads.
static constexpr WordSpec requirementWord = {
    .word = "require",
    .kind = Syntax,
    .repeats = true,
    .doc = "what must hold of extents and numbers, and in words what it asks for"};

static constexpr WordSpec drawWord = {
    .word = "draw",
    .kind = Syntax,
    .repeats = true,
    .doc = "how the values of an index tensor are spread: draw choice[b, t, k] from uniform "
           "distinct k"};

static constexpr WordSpec opWords[] = {
    {.word = "where", .kind = Syntax, .repeats = true, .doc = "an affine condition on the indices"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
    requirementWord,
    drawWord,
};

static constexpr WordSpec workloadWords[] = {
    requirementWord,
    drawWord,
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
     .doc = "tensors that a memory keeps: keep W at GLB; in a mapspace `any`, kept or not"},
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
    {.word = "timeloop",
     .kind = Syntax,
     .minArgs = 0,
     .maxArgs = 0,
     .block = BlockKind::TimeloopMapping,
     .doc = "what only Timeloop's model knows of the mapping"},
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::Place,
     .repeats = true,
     .clauseOnly = true,
     .doc = "the op that it is for"},
    {.word = "on", .kind = Reference, .clauseOnly = true, .doc = "the chip that it is on"},
    // Of mapspaces alone, so the last one.
    {.word = "factors",
     .kind = Choice,
     .choices = "perfect imperfect",
     .byDefault = "perfect",
     .doc = "whether factors divide their index, or may leave a rest"},
};

static constexpr WordSpec placeWords[] = {
    {.word = "for",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .assigns = true,
     .doc = "loops, outermost first: for m = 4, p = 14"},
    {.word = "parallel",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .assigns = true,
     .doc = "loops spread over the array's axis; (p, r) = 3 drives both with one lane number"},
    {.word = "order",
     .kind = Choice,
     .choices = "any",
     .doc = "`any` frees the order of the loops"},
    {.word = "at", .kind = Name, .clauseOnly = true, .doc = "the place it is about"},
    {.word = "halo",
     .kind = Choice,
     .choices = "recompute retain",
     .clauseOnly = true,
     .byDefault = "recompute",
     .doc = "what neighbouring fused tiles share is made again for each, or kept"},
};

static constexpr WordSpec dataflowWords[] = {
    {.word = "temporal",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .assigns = true, // a mistake that has a message of its own
     .doc = "maps `size` values per step: temporal c(64), y(3, offset = 1)"},
    {.word = "spatial",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .repeats = true,
     .assigns = true, // a mistake that has a message of its own
     .doc = "spreads values over the clusters of this level"},
    {.word = "cluster",
     .kind = Integer,
     .repeats = true,
     .doc = "groups of this many sub-clusters"},
    {.word = "for", .kind = Syntax, .clauseOnly = true, .doc = "the op that it is for"},
    {.word = "on", .kind = Reference, .clauseOnly = true, .doc = "the chip that it is on"},
};

static constexpr WordSpec conditionWord = {
    .word = "require",
    .kind = Constant,
    .minArgs = 2,
    .maxArgs = 2,
    .repeats = true,
    .doc = "a condition on the parameters, and in words what it asks for"};

static constexpr WordSpec algorithmWords[] = {
    conditionWord,
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
    {.word = "library",
     .kind = Flag,
     .minArgs = 0,
     .maxArgs = 0,
     .doc = "the choice of a library of this name, whose parameters the networks give"},
    {.word = "in_network",
     .kind = Flag,
     .minArgs = 0,
     .maxArgs = 0,
     .doc = "switches add and copy, where networks have `reduce` and `multicast`"},
    {.word = "choose",
     .kind = Reference,
     .maxArgs = anyNumber,
     .doc = "algorithms of which the fastest is taken"},
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::Algorithm,
     .repeats = true,
     .doc = "repeats its block for each value; as a clause, the collectives it is for"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
};

static constexpr WordSpec functionWords[] = {
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
    conditionWord,
    {.word = "return", .kind = Constant, .doc = "the function's value"},
};

llvm::ArrayRef<WordSpec> perfc::wordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::File:
    return fileWords;
  case BlockKind::Op:
    return opWords;
  case BlockKind::Workload:
    return workloadWords;
  case BlockKind::Mapping:
    return llvm::makeArrayRef(mappingWords).drop_back();
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
    return partWordsOf(kind).empty() ? statementWordsOf(kind) : partWordsOf(kind);
  }
}

const ChoiceForm *perfc::findForm(const WordSpec &spec, llvm::StringRef choice) {
  for (const ChoiceForm &form : spec.forms)
    if (form.choice == choice)
      return &form;
  return nullptr;
}

const WordSpec *perfc::findWord(BlockKind kind, llvm::StringRef word) {
  for (const WordSpec &spec : wordsOf(kind))
    if (spec.word == word)
      return &spec;
  return nullptr;
}

static constexpr llvm::StringLiteral blockNames[blockKindCount] = {
    "none",      "file",     "op",           "workload",   "hardware",   "memory",
    "array",     "network",  "compute",      "energy",     "bandwidth",  "energy",
    "by-dtype",  "system",   "group",        "fault",      "mapping",    "mapspace",
    "at",        "dataflow", "algorithm",    "expect",     "report",     "emit",
    "parallel",  "place",    "saving",       "collective", "evaluate",   "compare",
    "search",    "sweep",    "serve",        "train",      "tensor",     "structured",
    "pool",      "draft",    "prefix_cache", "experts",    "optimizer",  "timeloop",
    "timeloop",  "line",     "runtime",      "fn",         "library",    "link",
    "protocol",  "for",      "experts",      "checkpoint", "price",      "network latency",
    "bandwidth", "trace",    "group",        "rank",       "node",       "replay",
    "validate",  "against",  "skip",         "split",      "generation", "kernel library",
    "kernel",    "tile",     "calibrate",    "parameter",  "weight",     "layers",
    "family",    "ranks",    "interval"};

llvm::StringRef perfc::blockName(BlockKind kind) { return blockNames[static_cast<unsigned>(kind)]; }

std::string perfc::describeBlock(BlockKind kind) {
  if (kind == BlockKind::File)
    return "a file";
  llvm::StringRef name = blockName(kind);
  bool vowel = llvm::StringRef("aeiou").contains(name.front());
  return (vowel ? "an " : "a ") + name.str() + " block";
}

bool perfc::isChoiceWord(llvm::StringRef name) {
  static const llvm::StringSet<> all = [] {
    llvm::StringSet<> words;
    for (unsigned kind = 0; kind < blockKindCount; ++kind)
      for (const WordSpec &spec : wordsOf(static_cast<BlockKind>(kind)))
        if (spec.kind == ArgKind::Choice)
          for (llvm::StringRef choice : llvm::split(spec.choices, " "))
            words.insert(choice);
    return words;
  }();
  return all.contains(name);
}

llvm::SmallVector<BlockKind, 4> perfc::blocksWith(llvm::StringRef word) {
  llvm::SmallVector<BlockKind, 4> result;
  for (unsigned kind = 0; kind < blockKindCount; ++kind)
    if (const WordSpec *spec = findWord(static_cast<BlockKind>(kind), word);
        spec && !spec->clauseOnly)
      result.push_back(static_cast<BlockKind>(kind));
  return result;
}
