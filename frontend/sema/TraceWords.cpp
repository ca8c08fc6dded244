// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of `trace`: what ranks run, node by node, and of `replay`.
#include "frontend/sema/WordTables.h"

using namespace perfc;

using enum ArgKind;

static constexpr WordSpec traceWords[] = {
    {.word = "group",
     .kind = Integer,
     .block = BlockKind::TraceGroup,
     .repeats = true,
     .doc = "a communicator group: group 1 of 0, 1, 2, 3"},
    {.word = "rank",
     .kind = Constant,
     .maxArgs = anyNumber,
     .block = BlockKind::TraceRank,
     .repeats = true,
     .doc = "the nodes of one rank, or of several that run the same: rank 0..7"},
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::Trace,
     .repeats = true,
     .doc = "repeats its block for each value"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
};

static constexpr WordSpec traceGroupWords[] = {
    {.word = "of",
     .kind = Integer,
     .maxArgs = anyNumber,
     .clauseOnly = true,
     .doc = "its ranks, in the order of rings"},
};

/// A node that is counted in bytes.
static constexpr WordSpec ofBytes(llvm::StringLiteral word, llvm::StringLiteral doc) {
  return {.word = word,
          .kind = Measure,
          .dims = Dims::Data,
          .block = BlockKind::TraceNode,
          .repeats = true,
          .doc = doc};
}

static constexpr WordSpec ofTime(llvm::StringLiteral word, llvm::StringLiteral doc) {
  return {.word = word,
          .kind = Measure,
          .dims = Dims::Time,
          .block = BlockKind::TraceNode,
          .repeats = true,
          .doc = doc};
}

static constexpr WordSpec traceRankWords[] = {
    ofTime("compute", "a kernel: compute 12us id 3 after 1, 2"),
    ofTime("cpu", "an operation of the host"),
    ofBytes("load", "a read of remote memory"),
    ofBytes("store", "a write of remote memory"),
    ofBytes("send", "a message: send 1MiB to 3 tag 7"),
    ofBytes("receive", "the same at its other end: receive 1MiB from 0 tag 7"),
    ofBytes("all_reduce", "of all ranks or of a group, as traces count: the buffer of a rank"),
    ofBytes("all_gather", "the part of a rank"),
    ofBytes("reduce_scatter", "the buffer of a rank"),
    ofBytes("all_to_all", "the buffer of a rank"),
    ofBytes("broadcast", "runs for its `time`"),
    ofBytes("reduce", "runs for its `time`"),
    ofBytes("collective", "another one, by the number of its `type`"),
    ofTime("metadata", "a node that never runs"),
    ofTime("invalid", "a node that never runs"),
    {.word = "for",
     .kind = Syntax,
     .block = BlockKind::TraceRank,
     .repeats = true,
     .doc = "repeats its block for each value"},
    {.word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"},
};

static constexpr WordSpec traceNodeWords[] = {
    {.word = "id",
     .kind = Integer,
     .clauseOnly = true,
     .byDefault = "the one before and 1; 0 first",
     .doc = "among the nodes of a rank; of those that may start the lowest does"},
    {.word = "after",
     .kind = Integer,
     .maxArgs = anyNumber,
     .clauseOnly = true,
     .doc = "ids of the nodes that it waits for"},
    {.word = "group",
     .kind = Integer,
     .clauseOnly = true,
     .byDefault = "all ranks",
     .doc = "of a collective"},
    {.word = "to", .kind = Integer, .clauseOnly = true, .doc = "the rank that a message goes to"},
    {.word = "from", .kind = Integer, .clauseOnly = true, .doc = "the rank that it comes from"},
    {.word = "tag",
     .kind = Integer,
     .clauseOnly = true,
     .byDefault = "0",
     .doc = "of a message; both ends have it"},
    {.word = "operations",
     .kind = Integer,
     .clauseOnly = true,
     .doc = "of a kernel, for systems with a roofline"},
    {.word = "moves",
     .kind = Measure,
     .dims = Dims::Data,
     .clauseOnly = true,
     .doc = "bytes of a kernel, for systems with a roofline"},
    {.word = "time",
     .kind = Measure,
     .dims = Dims::Time,
     .clauseOnly = true,
     .byDefault = "0us",
     .doc = "of a collective that is only replayed"},
    {.word = "type",
     .kind = Integer,
     .clauseOnly = true,
     .doc = "of a `collective`, as the trace format numbers them"},
};

llvm::ArrayRef<WordSpec> perfc::traceWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Trace:
    return traceWords;
  case BlockKind::TraceGroup:
    return traceGroupWords;
  case BlockKind::TraceRank:
    return traceRankWords;
  case BlockKind::TraceNode:
    return traceNodeWords;
  default:
    return {};
  }
}
