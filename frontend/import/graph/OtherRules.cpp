// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of products, reductions, normalisations and recurrent layers.
#include "frontend/import/graph/EinsumTerms.h"
#include "frontend/import/graph/Inference.h"

using namespace perfc;
using namespace perfc::graph;

static bool product(Inference &inference, size_t left, size_t right) {
  if (!inference.needRank(left, 1) || !inference.needRank(right, 1))
    return false;
  Shape a = inference.shape(left), b = inference.shape(right);
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  const Dim &inner = a.back(), &other = b[b.size() - 2];
  if (inner.isNumber() && other.isNumber() && inner != other)
    return inference.fail(
        fmt::format("rows of {} do not fit columns of {}", inner.constant, other.constant));
  auto shape = inference.broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!shape)
    return false;
  if (!isRow)
    shape->push_back(a[a.size() - 2]);
  if (!isColumn)
    shape->push_back(b.back());
  return inference.setShape(std::move(*shape));
}

static bool matMul(Inference &inference) { return product(inference, 0, 1); }

static bool gemm(Inference &inference) {
  if (!inference.needRank(0, 2, 2) || !inference.needRank(1, 2, 2))
    return false;
  bool turnsA = inference.integer("transA", 0) != 0, turnsB = inference.integer("transB", 0) != 0;
  const Shape &a = inference.shape(0), &b = inference.shape(1);
  const Dim &inner = a[turnsA ? 0 : 1], &other = b[turnsB ? 1 : 0];
  if (inner.isNumber() && other.isNumber() && inner != other)
    return inference.fail(
        fmt::format("rows of {} do not fit columns of {}", inner.constant, other.constant));
  return inference.setShape({a[turnsA ? 1 : 0], b[turnsB ? 0 : 1]});
}

static bool reduce(Inference &inference) {
  const Shape from = inference.shape(0);
  bool isGiven = false, keeps = inference.integer("keepdims", 1) != 0;
  auto list = inference.numbers("axes", 1, &isGiven);
  if (isGiven && !list)
    return true;
  std::vector<size_t> axes;
  if (list) {
    auto found = inference.axes(*list, from.size());
    if (!found)
      return false;
    axes = *found;
  }
  bool isAll = axes.empty() && inference.integer("noop_with_empty_axes", 0) == 0;
  Shape shape;
  for (size_t i = 0; i < from.size(); ++i) {
    bool goes = isAll || llvm::is_contained(axes, i);
    if (!goes)
      shape.push_back(from[i]);
    else if (keeps)
      shape.push_back(1);
  }
  inference.setShape(std::move(shape));
  foldReduction(inference, axes, isAll);
  return true;
}

static bool argument(Inference &inference) {
  Shape shape = inference.shape(0);
  auto axis = inference.axis(inference.integer("axis", 0), shape.size());
  if (!axis)
    return false;
  if (inference.integer("keepdims", 1) != 0)
    shape[*axis] = 1;
  else
    shape.erase(shape.begin() + *axis);
  if (inference.wants(0))
    inference.out().type = Int64;
  return inference.setShape(std::move(shape));
}

static bool first(Inference &inference) {
  return inference.needRank(0, 0) && inference.setShape(inference.shape(0));
}

/// In training also mean and variance of each channel.
static bool batchNorm(Inference &inference) {
  if (!first(inference))
    return false;
  for (size_t i = 1; i < inference.outputs() && inference.has(1); ++i)
    if (inference.wants(i)) {
      inference.out(i).type = inference.in(1).type;
      inference.setShape(inference.shape(1), i);
    }
  return true;
}

/// With the sum before the normalisation as a last result.
static bool skipNormalization(Inference &inference) {
  if (inference.wants(3)) {
    inference.out(3).type = inference.in(0).type;
    inference.setShape(inference.shape(0), 3);
  }
  return first(inference);
}

static bool recurrent(Inference &inference) {
  if (!inference.needRank(0, 3, 3) || !inference.needRank(1, 3, 3) || !inference.needRank(2, 3, 3))
    return false;
  const Shape &x = inference.shape(0), &weights = inference.shape(1), &states = inference.shape(2);
  Dim hidden = states[2], directions = states[0];
  int64_t gates = inference.isNamed("LSTM") ? 4 : inference.isNamed("GRU") ? 3 : 1;
  Dim rows = inference.dims.multiply(hidden, gates);
  if (!(directions.is(1) || directions.is(2)) || weights[0] != directions || weights[1] != rows ||
      states[1] != rows || weights[2] != x[2])
    return inference.fail("its weights do not fit its operand or each other");
  bool isBatchFirst = inference.integer("layout", 0) != 0;
  Dim length = x[isBatchFirst ? 1 : 0], batch = x[isBatchFirst ? 0 : 1];
  inference.setShape(isBatchFirst ? Shape{batch, length, directions, hidden}
                                  : Shape{length, directions, batch, hidden});
  for (size_t i : {1, 2})
    inference.setShape(
        isBatchFirst ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden}, i);
  return true;
}

/// Queries [B, G, H, T, E] and keys and values [B, G, S, E]: results [B, T, G, H, E].
static bool attend(Inference &inference) {
  if (!inference.needRank(0, 5, 5) || !inference.needRank(1, 4, 4) || !inference.needRank(2, 4, 4))
    return false;
  const Shape &q = inference.shape(0), &k = inference.shape(1), &v = inference.shape(2);
  auto differ = [](const Dim &a, const Dim &b) { return a.isNumber() && b.isNumber() && a != b; };
  if (differ(q[0], k[0]) || differ(q[1], k[1]) || differ(q[4], k[3]) || differ(k[2], v[2]))
    return inference.fail("its queries, keys and values do not fit each other");
  return inference.setShape({q[0], q[3], q[1], q[2], v[3]});
}

/// The same of queries [B, H, T, E], where heads may share keys.
static bool attendHeads(Inference &inference) {
  if (!inference.needRank(0, 4, 4) || !inference.needRank(1, 4, 4) || !inference.needRank(2, 4, 4))
    return false;
  Shape shape = inference.shape(0);
  const Shape &k = inference.shape(1), &v = inference.shape(2);
  auto differ = [](const Dim &a, const Dim &b) { return a.isNumber() && b.isNumber() && a != b; };
  if (differ(shape[0], k[0]) || differ(shape[3], k[3]) || differ(k[2], v[2]) ||
      !inference.dims.exactQuotient(shape[1], k[1]))
    return inference.fail("its queries, keys and values do not fit each other");
  shape[3] = v[3];
  return inference.setShape(std::move(shape));
}

/// New entries behind those of a cache.
static bool appendCache(Inference &inference) {
  if (!inference.needRank(0, 4, 4) || !inference.needRank(1, 4, 4))
    return false;
  Shape shape = inference.shape(1);
  shape[2] = inference.dims.add(inference.shape(0)[2], shape[2]);
  if (inference.wants(0))
    inference.out().type = inference.in(1).type;
  return inference.setShape(std::move(shape));
}

bool graph::isCacheWrite(const Inference &inference) {
  int64_t axis = inference.integer("axis", -2);
  return inference.isNamed("TensorScatter") && inference.outputs() > 0 &&
         inference.op.outputs[0] >= 0 &&
         inference.net.values[inference.op.outputs[0]].shape.size() == 4 &&
         (axis == -2 || axis == 2);
}

/// A cache with new entries in it.
static bool scatterTensor(Inference &inference) {
  const size_t rank = inference.has(0) ? inference.shape(0).size() : 0;
  return inference.needRank(0, 1) && inference.needRank(1, rank, rank) &&
         inference.setShape(inference.shape(0));
}

/// Letters of each operand and of the result; ellipses are left to the file's own shapes.
/// Rows [T, D] by tables [E, D, F], of which each row has one.
static bool expertProduct(Inference &inference) {
  if (!inference.needRank(0, 2, 2) || !inference.needRank(1, 3, 3))
    return false;
  const Shape &x = inference.shape(0), &tables = inference.shape(1);
  if (x[1].isNumber() && tables[1].isNumber() && x[1] != tables[1])
    return inference.fail("its rows do not fit its tables");
  return inference.setShape({x[0], tables[2]});
}

static bool einsum(Inference &inference) {
  std::vector<size_t> ranks;
  for (size_t i = 0; i < inference.op.inputs.size(); ++i)
    ranks.push_back(inference.has(i) ? inference.shape(i).size() : 0);
  auto terms = einsumTerms(inference.text("equation", ""), ranks);
  if (!terms)
    return inference.fail("its equation does not fit its operands");
  llvm::Optional<Dim> extents[256];
  for (size_t i = 0; i < ranks.size(); ++i)
    for (size_t d = 0; d < ranks[i]; ++d) {
      auto &extent = extents[static_cast<unsigned char>(terms->operands[i][d])];
      const Dim &own = inference.shape(i)[d];
      if (!extent || extent->is(1)) // one place may stand for all
        extent = own;
      else if (extent->isNumber() && own.isNumber() && *extent != own && !own.is(1))
        return inference.fail("its equation does not fit its operands");
    }
  Shape shape;
  for (char c : terms->result) {
    if (!extents[static_cast<unsigned char>(c)])
      return inference.fail("its equation makes an index of nothing");
    shape.push_back(*extents[static_cast<unsigned char>(c)]);
  }
  return inference.setShape(std::move(shape));
}

static constexpr ShapeEntry otherRuleTable[] = {
    {"AppendCache", appendCache},
    {"ArgMax", argument},
    {"ArgMin", argument},
    {"Attend", attend},
    {"BatchNormalization", batchNorm},
    {"Einsum", einsum},
    {"ExpertProduct", expertProduct},
    {"Gemm", gemm},
    {"GroupNormalization", first},
    {"GRU", recurrent},
    {"InstanceNormalization", first},
    {"LSTM", recurrent},
    {"LayerNormalization", first},
    {"LRN", first},
    {"LpNormalization", first},
    {"MatMul", matMul},
    {"TensorScatter", scatterTensor},
    {"MeanVarianceNormalization", first},
    {"RMSNormalization", first},
    {"RNN", recurrent},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceSum", reduce},
    {"ReduceSumSquare", reduce},
    {"Rotary", first},
    {"ScaledAttention", attendHeads},
    {"SimplifiedLayerNormalization", first},
    {"SkipLayerNormalization", skipNormalization},
    {"SkipSimplifiedLayerNormalization", skipNormalization},
};

llvm::ArrayRef<ShapeEntry> graph::otherRules() { return otherRuleTable; }
