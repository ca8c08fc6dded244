// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/tile/AttentionOps.h"

#include "ir/core/CycleTime.h"
#include "ir/core/Verifier.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::tile;

AttentionOp tile::attentionOf(const Operation &op) {
  for (const Operation &part : op.body())
    if (auto attention = as<AttentionOp>(part))
      return attention;
  return {};
}

static bool serves(FamilyOp family, AttentionOp attention) {
  if (family.kind() != attention.kind() ||
      !llvm::is_contained(family.formats(), dtypeName(attention.format()).str()))
    return false;
  std::vector<std::string> caches = family->stringsAttr("caches");
  bool isCache = caches.empty() ? attention.cache() == attention.format()
                                : llvm::is_contained(caches, dtypeName(attention.cache()).str());
  std::vector<int64_t> groups =
      family->hasAttr("groups") ? family->intsAttr("groups") : std::vector<int64_t>();
  bool isGroup =
      groups.empty() || (attention.group() >= groups.front() && attention.group() <= groups.back());
  int64_t features = std::max(attention.scoreFeatures(), attention.valueFeatures());
  bool isHead = !family->hasAttr("features") || features <= family->intAttr("features");
  return isCache && isGroup && isHead && (attention.isCausal() || !family->hasAttr("causal")) &&
         (attention.window() > 0 || !family->hasAttr("windowed"));
}

FamilyOp tile::attentionFor(LibraryOp library, AttentionOp attention) {
  for (Operation &part : library->body())
    if (auto family = as<FamilyOp>(part); serves(family, attention))
      return family;
  return {};
}

DType tile::productsOf(FamilyOp family, AttentionOp attention) {
  return family->hasAttr("computes") ? *parseDType(family->stringAttr("computes"))
                                     : attention.format();
}

static bool verifyAttention(const Operation &op, DiagnosticEngine &diagnostics) {
  for (llvm::StringRef name : {"format", "cache"})
    if (!parseDType(op.stringAttr(name)))
      return invalidOp(op, diagnostics, name.str() + " is no number format");
  return as<AttentionOp>(op).queries() <= as<AttentionOp>(op).keys() || !op.hasAttr("causal") ||
         invalidOp(op, diagnostics, "a causal one has as many keys as queries at least");
}

OpDecl tile::attentionDecl() {
  return {.name = AttentionOp::opName,
          .doc = "Scores of queries and keys, their softmax, and sums of values by it.",
          .attrs = {stringAttr("kind", "of the kernels that run it")
                        .oneOf({"attention", "decode", "latent_attention", "latent_decode"}),
                    intAttr("sequences", "independent ones").atLeast(1),
                    intAttr("heads", "of keys, in each").atLeast(1),
                    intAttr("group", "heads of queries that share one of these").atLeast(1),
                    intAttr("queries", "of a head").atLeast(1),
                    intAttr("keys", "of a head").atLeast(1),
                    intAttr("score_features", "of a query and a key").atLeast(1),
                    intAttr("value_features", "of a value").atLeast(1),
                    intAttr("window", "keys that a query sees at most; 0 for all").atLeast(0),
                    flagAttr("causal", "a query sees no key behind it"),
                    intAttr("stride", "positions from a query to the next, where ranks share them "
                                      "out in stripes")
                        .atLeast(1)
                        .optional(),
                    flagAttr("shared", "keys are the values as well"),
                    stringAttr("format", "of queries"), stringAttr("cache", "of keys and values"),
                    intAttr("other_bytes", "of biases and other tensors").atLeast(0),
                    listAttr("tensors", AttrKind::String, "queries, keys, values, results")},
          .verifier = verifyAttention};
}

std::vector<AttrDecl> tile::attentionFigures() {
  auto number = [](llvm::StringRef name, llvm::StringRef doc) {
    return quantityAttr(name, {}, doc);
  };
  return {
      listAttr("caches", AttrKind::String,
               "formats of keys and values; that of queries when not "
               "given")
          .optional(),
      stringAttr("computes", "format of products; that of queries when not given").optional(),
      listAttr("groups", AttrKind::Int, "query heads that share a key, from and to")
          .atLeast(1)
          .optional(),
      intAttr("features", "the most of a head").atLeast(1).optional(),
      flagAttr("causal", "no attention to later keys"),
      flagAttr("windowed", "only attention that sees a window"),
      stringAttr("packs", "query heads of a group are rows of one block: of one query, or of all")
          .oneOf({"one", "all"})
          .optional(),
      intAttr("wide_rows", "of a block at most, beyond 64 features").atLeast(1).optional(),
      intAttr("pad", "rows of a block are a multiple of it").atLeast(1).optional(),
      intAttr("step_elements", "keys of a step times features, instead of the tile's")
          .atLeast(1)
          .optional(),
      cycleTimeAttr("append_launch", "of `launch`, that of appending to the caches"),
      cycleTimeAttr("block", "of a block beside its steps"),
      cycleTimeAttr("fill", "of filling a unit's memory"),
      number("exponentials", "time over that at the units' rate").otherwise(1),
      number("softmax_overlap", "exponent by which products and exponentials add up; the larger "
                                "counts when not given")
          .otherwise(0),
      number("tail", "blocks' time that units idle at the end").otherwise(0),
      number("chain", "time of a block alone over that of its steps in sequence").otherwise(1),
      cycleTimeAttr("dequantise", "of a step, for 256 features"),
      flagAttr("synchronous", "two blocks of a unit hide each other's start"),
      number("query_passes", "times that the kernel before it moves queries and results")
          .otherwise(0),
      number("cache_reads", "bytes read of the cache over all of them").positive().otherwise(1),
      number("cached", "of the time of traffic, where the last cache has the tensor")
          .share()
          .otherwise(1),
      number("split_each", "of `split`, for each part").otherwise(0)};
}
