// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/StatementWords.h"
#include "frontend/sema/WordTables.h"

using namespace perfc;
using namespace perfc::words;

using enum ArgKind;

static constexpr llvm::StringLiteral schedulers =
    "sarathi vllm orca faster_transformer continuous chunked static";

static constexpr WordSpec serveWords[] = {
    onWord,
    overWord,
    asWord,
    dtypeWord,
    parallelWord,
    expectWord,
    reportWord,
    emitWord,
    minimizeWord,
    maximizeWord,
    withinWord,
    requireWord,
    {.word = "scheduler",
     .kind = Choice,
     .choices = schedulers,
     .doc = "how requests are batched: sarathi(chunk = 512, max_batch = 128)"},
    {.word = "arrivals",
     .kind = Choice,
     .minArgs = 0,
     .block = BlockKind::Choosing,
     .choices = "poisson gamma uniform fixed burst trace",
     .doc = "when requests arrive: poisson(2req/s, seed = 42), or trace \"file\""},
    {.word = "lengths",
     .kind = Choice,
     .choices = "zipf uniform fixed normal lognormal",
     .doc = "tokens of prompts and answers"},
    {.word = "requests", .kind = Integer, .doc = "how many requests"},
    {.word = "pool",
     .kind = Name,
     .block = BlockKind::Pool,
     .repeats = true,
     .doc = "chips that serve one phase"},
    {.word = "kv_transfer", .kind = Reference, .doc = "the network between pools"},
    {.word = "prefix_cache",
     .kind = Choice,
     .block = BlockKind::PrefixCache,
     .choices = "radix hash none",
     .doc = "reuse of common prefixes"},
    {.word = "experts",
     .kind = Syntax,
     .minArgs = 0,
     .block = BlockKind::Experts,
     .doc = "routing of experts"},
    {.word = "cluster",
     .kind = Choice,
     .choices = "round_robin random least_loaded",
     .doc = "how requests go to replicas"},
};

static constexpr WordSpec poolWords[] = {
    {.word = "on", .kind = Syntax, .doc = "the chips: 4 * node"},
    {.word = "scheduler", .kind = Choice, .choices = schedulers, .doc = "how requests are batched"},
    parallelWord,
    {.word = "draft", .kind = Name, .block = BlockKind::Draft, .doc = "speculative decoding"},
};

static constexpr WordSpec draftWords[] = {
    {.word = "tokens", .kind = Integer, .doc = "tokens guessed per step"},
    {.word = "acceptance",
     .kind = Measure,
     .dims = Dims::Share,
     .doc = "share of guesses that hold"},
};

static constexpr WordSpec prefixCacheWords[] = {
    {.word = "capacity", .kind = Measure, .doc = "share of memory, or bytes"},
    {.word = "tier", .kind = Choice, .choices = "hbm host_dram ssd", .doc = "where it lives"},
};

static constexpr WordSpec expertsWords[] = {
    {.word = "routing",
     .kind = Choice,
     .choices = "zipf uniform balanced",
     .doc = "how tokens choose experts"},
    {.word = "redundant", .kind = Integer, .doc = "experts that are kept twice"},
};

llvm::ArrayRef<WordSpec> perfc::serveWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Serve:
    return serveWords;
  case BlockKind::Pool:
    return poolWords;
  case BlockKind::Draft:
    return draftWords;
  case BlockKind::PrefixCache:
    return prefixCacheWords;
  case BlockKind::Experts:
    return expertsWords;
  default:
    return {};
  }
}
