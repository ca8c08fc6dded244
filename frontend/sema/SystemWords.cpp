// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/WordTables.h"

using namespace perfc;

using enum ArgKind;

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

llvm::ArrayRef<WordSpec> perfc::systemWordsOf(BlockKind kind) {
  switch (kind) {
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
