// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with its projections, caches and rotary positions: as products, one `Attend` of
// queries [B, G, H, T, E] to keys and values [B, G, S, E], and `AppendCache` (a cache, new
// entries).
#include "frontend/import/graph/Expander.h"

using namespace perfc;
using namespace perfc::graph;

/// A number of heads that there can be.
static bool isCount(int64_t count) { return count >= 1 && count <= 1 << 20; }

/// [B, T, H*E] as [B, H, T, E].
static int heads(Expander &expander, int value, int64_t count) {
  Shape from = expander.shape(value);
  if (expander.hasFailed() || from.size() != 3) {
    expander.fail("its operands have other dimensions than batch, positions and features");
    return -1;
  }
  auto each = isCount(count) ? expander.dims.exactQuotient(from[2], count) : llvm::None;
  if (!each) {
    expander.fail(fmt::format("its features are not those of {} heads", count));
    return -1;
  }
  return expander.transpose(expander.reshape(value, {from[0], from[1], count, *each}),
                            {0, 2, 1, 3});
}

/// Queries of `count` heads in groups, [B, G, H, T, E], where each group has keys of its own.
static int groupedHeads(Expander &expander, int value, int64_t count, int64_t groups) {
  Shape from = expander.shape(value);
  if (expander.hasFailed() || from.size() != 3 || !isCount(groups) || !isCount(count) ||
      count % groups) {
    expander.fail("its heads do not fit its operands");
    return -1;
  }
  auto each = expander.dims.exactQuotient(from[2], count);
  if (!each) {
    expander.fail(fmt::format("its features are not those of {} heads", count));
    return -1;
  }
  return expander.transpose(
      expander.reshape(value, {from[0], from[1], groups, count / groups, *each}), {0, 2, 3, 1, 4});
}

/// Queries with keys for each head: in groups of one where each sees only those before.
static int queries(Expander &expander, int value, int64_t count) {
  return expander.integer("unidirectional", 0) != 0 ? groupedHeads(expander, value, count, count)
                                                    : heads(expander, value, count);
}

struct Masking {
  int mask = -1; ///< is added to the scores
  bool causal = false;
  int64_t window = 0; ///< of the last positions that each sees; 0 for all
};

/// Attention in both directions of q [B, H, T, E] to k and v [B, H, S, E]: [B, H, T, E].
static int attendHeads(Expander &expander, int q, int k, int v, const Masking &masking) {
  std::vector<int> operands = {q, k, v};
  if (masking.mask >= 0)
    operands.push_back(masking.mask);
  return expander.op("ScaledAttention", operands, {{"turned", {0}}});
}

/// Attention of q [B, G, H, T, E], or [B, H, T, E] in both directions, to k and v [B, G, S, E]:
/// [B, T, G*H*E].
static int attend(Expander &expander, int q, int k, int v, const Masking &masking) {
  std::vector<int> operands = {q, k, v};
  if (masking.mask >= 0)
    operands.push_back(masking.mask);
  int value =
      expander.rank(q) == 4
          ? expander.transpose(attendHeads(expander, q, k, v, masking), {0, 2, 1, 3})
          : expander.op("Attend", operands,
                        {{"causal", {masking.causal ? 1 : 0}}, {"window", {masking.window}}});
  Shape all = expander.shape(value);
  if (expander.hasFailed())
    return -1;
  return expander.reshape(
      value, {all[0], all[1], expander.dims.product(llvm::ArrayRef<Dim>(all).drop_front(2))});
}

/// New entries behind those of a cache, where there is one.
static int cached(Expander &expander, int past, int value) {
  if (past < 0 || expander.hasFailed())
    return value;
  if (expander.rank(past) != 4) {
    expander.fail("its cache has other dimensions than batch, heads, positions and features");
    return -1;
  }
  return expander.op("AppendCache", {past, value});
}

/// A mask of sequences, [B, S], stands for every head and query; lengths of sequences are none.
static int keyMask(Expander &expander, int mask) {
  if (mask < 0 || expander.rank(mask) != 2)
    return -1;
  Shape from = expander.shape(mask);
  return expander.reshape(mask, {from[0], 1, 1, from[1]});
}

/// The part of a vector or matrix for queries, keys or values, which stand side by side.
static int third(Expander &expander, int value, int64_t first, int64_t count) {
  return value < 0 ? -1 : expander.part(value, expander.rank(value) - 1, first, count);
}

/// Attention with weights of queries, keys and values side by side.
static void fusedAttention(Expander &expander, int weights, int bias, int mask, int past,
                           int added) {
  int x = expander.input(0);
  int64_t count = expander.integer("num_heads", 1);
  if (expander.rank(x) != 3 || expander.rank(weights) != 2)
    return expander.fail("its operands have other dimensions than it needs");
  Dim all = expander.shape(weights)[1];
  if (!all.isNumber() || all.constant % 3)
    return expander.fail("its weights are not those of queries, keys and values");
  int64_t sizes[3] = {all.constant / 3, all.constant / 3, all.constant / 3};
  if (const Attribute *given = expander.node.find("qkv_hidden_sizes"))
    for (size_t i = 0; i < 3 && given->integers.size() == 3; ++i)
      sizes[i] = given->integers[i];
  int parts[3];
  int64_t first = 0;
  for (size_t i = 0; i < 3; first += sizes[i++]) {
    if (sizes[i] < 1 || first + sizes[i] > all.constant)
      return expander.fail("its weights are not those of queries, keys and values");
    int product = expander.op("MatMul", {x, third(expander, weights, first, sizes[i])});
    product = expander.plus(product, third(expander, bias, first, sizes[i]));
    parts[i] = i == 0 ? queries(expander, product, count) : heads(expander, product, count);
  }
  int k = parts[1], v = parts[2];
  if (past >= 0 && expander.rank(past) == 5) {
    Shape of = expander.shape(past);
    Shape each(of.begin() + 1, of.end());
    int pastK = expander.reshape(expander.part(past, 0, 0, 1), each),
        pastV = expander.reshape(expander.part(past, 0, 1, 1), each);
    k = cached(expander, pastK, k);
    v = cached(expander, pastV, v);
  }
  if (expander.wants(1) && !expander.hasFailed()) {
    Shape of = expander.shape(k);
    of.insert(of.begin(), 1);
    expander.result(1, expander.op("Concat", {expander.reshape(k, of), expander.reshape(v, of)},
                                   {{"axis", {0}}}));
  }
  Masking masking;
  masking.mask = added >= 0 ? added : keyMask(expander, mask);
  masking.causal = expander.integer("unidirectional", 0) != 0;
  expander.result(0, attend(expander, parts[0], k, v, masking));
}

static void attention(Expander &expander) {
  fusedAttention(expander, expander.input(1), expander.input(2), expander.input(3),
                 expander.input(4), expander.input(5));
}

static void quantisedAttention(Expander &expander) {
  fusedAttention(expander, expander.input(1), expander.input(2), expander.input(5),
                 expander.input(8), -1);
}

/// Place `index` of dimension `axis`, which goes.
static int place(Expander &expander, int value, int64_t axis, int64_t index) {
  int at = expander.stored({}, Int64);
  expander.net.values[at].content = std::vector<Scalar>{Dim(index)};
  return expander.op("Gather", {value, at}, {{"axis", {axis}}});
}

static void multiHeadAttention(Expander &expander) {
  int q = expander.input(0), k = expander.input(1), v = expander.input(2);
  int64_t count = expander.integer("num_heads", 1);
  if (expander.rank(q) == 5) { // [B, T, H, 3, E]
    int all = q;
    Shape of = expander.shape(all);
    Shape each = {of[0], of[1], expander.dims.multiply(of[2], of[4])};
    q = expander.reshape(place(expander, all, 3, 0), each);
    k = expander.reshape(place(expander, all, 3, 1), each);
    v = expander.reshape(place(expander, all, 3, 2), each);
  } else if (expander.rank(k) == 5) {
    int both = k;
    Shape of = expander.shape(both);
    Shape each = {of[0], of[1], expander.dims.multiply(of[2], of[4])};
    k = expander.reshape(place(expander, both, 3, 0), each);
    v = expander.reshape(place(expander, both, 3, 1), each);
  }
  if (k < 0 || v < 0)
    return expander.fail("it has no keys or values");
  int bias = expander.input(3);
  auto biased = [&](int value, const Dim &first) {
    if (bias < 0 || expander.rank(value) != 3 || expander.hasFailed())
      return value;
    Dim size = expander.shape(value)[2];
    return expander.plus(value, expander.part(bias, 0, first, size));
  };
  if (expander.rank(q) != 3)
    return expander.fail("its queries have other dimensions than it needs");
  Dim width = expander.shape(q)[2];
  q = biased(q, 0);
  k = biased(k, width);
  v = biased(v, expander.dims.multiply(width, 2));
  // Keys and values of another sequence may come in heads.
  if (expander.rank(k) == 3)
    k = heads(expander, k, count);
  if (expander.rank(v) == 3)
    v = heads(expander, v, count);
  k = cached(expander, expander.input(6), k);
  v = cached(expander, expander.input(7), v);
  Masking masking;
  masking.mask = expander.has(5) ? expander.input(5) : keyMask(expander, expander.input(4));
  masking.causal = expander.integer("unidirectional", 0) != 0;
  expander.result(0, attend(expander, queries(expander, q, count), k, v, masking));
  expander.result(1, k);
  expander.result(2, v);
}

static void groupedAttention(Expander &expander) {
  int q = expander.input(0), k = expander.input(1), v = expander.input(2);
  int64_t count = expander.integer("num_heads", 1), groups = expander.integer("kv_num_heads", 1);
  if (expander.rank(q) != 3 || !isCount(count) || !isCount(groups) || count % groups)
    return expander.fail("its heads do not fit its operands");
  if (k < 0) { // all in one
    Dim each = expander.dims.divide(expander.shape(q)[2], count + 2 * groups);
    Dim ofQ = expander.dims.multiply(each, count), ofK = expander.dims.multiply(each, groups);
    int all = q;
    q = expander.part(all, 2, 0, ofQ);
    k = expander.part(all, 2, ofQ, ofK);
    v = expander.part(all, 2, expander.dims.add(ofQ, ofK), ofK);
  }
  q = groupedHeads(expander, q, count, groups);
  k = heads(expander, k, groups);
  v = heads(expander, v, groups);
  if (expander.integer("do_rotary", 0) != 0) {
    q = expander.op("Rotary", {q, expander.input(7), expander.input(8)});
    k = expander.op("Rotary", {k, expander.input(7), expander.input(8)});
  }
  k = cached(expander, expander.input(3), k);
  v = cached(expander, expander.input(4), v);
  Masking masking;
  masking.mask = expander.input(10);
  masking.causal = true;
  masking.window = std::max<int64_t>(expander.integer("local_window_size", 0), 0);
  expander.result(0, attend(expander, q, k, v, masking));
  expander.result(1, k);
  expander.result(2, v);
}

/// Attention of q [B, H, T, E] to k and v [B, G, S, E] whose scores, [B, H, T, S], are a result,
/// too: in its parts. Heads of a group are rows of one product.
static int scoredAttention(Expander &expander, int q, int k, int v, int mask) {
  Shape of = expander.shape(q), from = expander.shape(k);
  if (expander.hasFailed() || of.size() != 4 || from.size() != 4 || expander.rank(v) != 4)
    return -1;
  auto rows = expander.dims.exactQuotient(expander.dims.multiply(of[1], of[2]), from[1]);
  if (!rows) {
    expander.fail("its heads do not fit its operands");
    return -1;
  }
  q = expander.reshape(q, {of[0], from[1], *rows, of[3]});
  int scores = expander.op("MatMul", {q, expander.transpose(k, {0, 1, 3, 2})});
  scores = expander.reshape(scores, {of[0], of[1], of[2], from[2]});
  expander.result(3, scores);
  int weights = expander.op("Softmax", {expander.plus(scores, mask)}, {{"axis", {-1}}});
  weights = expander.reshape(weights, {of[0], from[1], *rows, from[2]});
  return expander.reshape(expander.op("MatMul", {weights, v}),
                          {of[0], of[1], of[2], expander.shape(v)[3]});
}

/// Attention of operator set 23: operands in heads or side by side.
static void standardAttention(Expander &expander) {
  int q = expander.input(0), k = expander.input(1), v = expander.input(2);
  bool isFlat = expander.rank(q) == 3;
  int64_t count = expander.integer("q_num_heads", 0), groups = expander.integer("kv_num_heads", 0);
  if (k < 0 || v < 0 || (!isFlat && (expander.rank(q) != 4 || expander.rank(k) != 4)))
    return expander.fail("its operands have other dimensions than it needs");
  Masking masking;
  masking.mask = expander.input(3);
  masking.causal = expander.integer("is_causal", 0) != 0;
  if (isFlat) {
    k = heads(expander, k, groups);
    v = heads(expander, v, groups);
    bool isGrouped = !expander.wants(3) && (masking.causal || count != groups);
    q = isGrouped ? groupedHeads(expander, q, count, groups) : heads(expander, q, count);
  }
  k = cached(expander, expander.input(4), k);
  v = cached(expander, expander.input(5), v);
  expander.result(1, k);
  expander.result(2, v);
  if (expander.wants(3)) {
    int value = scoredAttention(expander, q, k, v, masking.mask);
    Shape of = expander.shape(value);
    if (isFlat && !expander.hasFailed() && of.size() == 4)
      value = expander.reshape(expander.transpose(value, {0, 2, 1, 3}),
                               {of[0], of[2], expander.dims.multiply(of[1], of[3])});
    return expander.result(0, value);
  }
  if (isFlat)
    return expander.result(0, attend(expander, q, k, v, masking));
  if (!masking.causal)
    return expander.result(0, attendHeads(expander, q, k, v, masking));
  Shape of = expander.shape(q);
  auto each = expander.dims.exactQuotient(of[1], expander.shape(k)[1]);
  if (!each)
    return expander.fail("its heads do not fit its operands");
  q = expander.reshape(q, {of[0], expander.shape(k)[1], *each, of[2], of[3]});
  int value = attend(expander, q, k, v, masking);
  Shape result = {of[0], of[2], of[1], expander.shape(v)[3]};
  expander.result(0, expander.transpose(expander.reshape(value, result), {0, 2, 1, 3}));
}

/// x in heads [B, H, T, E], or [B, T, H*E].
static void rotate(Expander &expander, int cosine, int sine) {
  int x = expander.input(0);
  Shape of = expander.shape(x);
  if (of.size() == 4)
    return expander.result(0, expander.op("Rotary", {x, cosine, sine}));
  int64_t count = expander.integer("num_heads", 0);
  if (of.size() == 3 && count == 0 && expander.rank(cosine) >= 2) {
    // Features of a head are twice the angles.
    Dim angles = expander.shape(cosine)[expander.rank(cosine) - 1];
    auto heads = expander.dims.exactQuotient(of[2], expander.dims.multiply(angles, 2));
    count = heads && heads->isNumber() ? heads->constant : 0;
  }
  int turned = expander.op("Rotary", {heads(expander, x, count), cosine, sine});
  expander.result(0, expander.reshape(expander.transpose(turned, {0, 2, 1, 3}), of));
}

static void rotary(Expander &expander) { rotate(expander, expander.input(2), expander.input(3)); }

static void standardRotary(Expander &expander) {
  rotate(expander, expander.input(1), expander.input(2));
}

static constexpr ExpansionEntry attentionTable[] = {
    {"Attention", "", standardAttention},
    {"Attention", "com.microsoft", attention},
    {"DecoderMaskedMultiHeadAttention", "com.microsoft", multiHeadAttention},
    {"GroupQueryAttention", "com.microsoft", groupedAttention},
    {"MultiHeadAttention", "com.microsoft", multiHeadAttention},
    {"QAttention", "com.microsoft", quantisedAttention},
    {"RotaryEmbedding", "", standardRotary},
    {"RotaryEmbedding", "com.microsoft", rotary},
};

llvm::ArrayRef<ExpansionEntry> graph::attentionExpansions() { return attentionTable; }
