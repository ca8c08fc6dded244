// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products: a call of the library where it has the form, else an equation over the ranks as they
// stand. Where a product is cut into heads by the reshape behind it, it is written in heads, so
// that nothing has to be moved.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

using Ranks = llvm::SmallVector<unsigned, 2>;
using Groups = std::vector<Ranks>;

namespace {

/// What follows a product, as far as it is one line of uses.
struct Following {
  Op *bias = nullptr; ///< the addition of a stored vector
  int biasValue = -1;
  Shape factors;              ///< of the last dimension, in the reshape behind
  bool headsFirst = false;    ///< a transpose brings the second dimension of four behind the third
  std::vector<int64_t> order; ///< of the dimensions behind the reshape, in a transpose behind it
};

class Product {
public:
  Product(Writer &writer, int left, int right, int result)
      : writer(writer), left(left), right(right), result(result) {}
  bool turnsLeft = false, turnsRight = false;
  bool write();

private:
  Op *onlyUse(int value) const;
  Following following() const;
  bool named(const Following &next);
  bool equation(const Following &next);
  void turnRanks(const Following &next, std::vector<std::string> &to, Shape &ranks,
                 Groups &dims) const;
  Layout turned(int value, bool turns) const;
  std::vector<std::string> indicesOf(const Layout &at, llvm::ArrayRef<std::string> letters) const;

  Writer &writer;
  int left, right, result;
};

} // namespace

/// The one operation that uses `value`, or null.
Op *Product::onlyUse(int value) const {
  if (writer.net.values[value].uses != 1 || llvm::is_contained(writer.net.outputs, value))
    return nullptr;
  return writer.userOf(value);
}

Following Product::following() const {
  Following next;
  Op *op = onlyUse(result);
  int last = result;
  if (op && op->type == "Add") {
    int other = op->inputs[0] == last ? op->input(1) : op->input(0);
    if (other < 0 || !writer.net.values[other].isStored || !writer.layout(other).isUnnamed() ||
        writer.shapeOf(other).size() != 1 ||
        writer.shapeOf(other)[0] != writer.shapeOf(result).back())
      return next;
    next.bias = op;
    next.biasValue = other;
    last = op->outputs[0];
    op = onlyUse(last);
  }
  if (!op || op->type != "Reshape")
    return next;
  const Shape &from = writer.shapeOf(last), &to = writer.shapeOf(op->outputs[0]);
  // The last dimensions of the new shape whose product is the last one of the old.
  Shape factors;
  Dim all = 1;
  for (size_t i = to.size(); i-- > 0 && all != from.back();) {
    all = writer.net.dims.multiply(all, to[i]);
    factors.insert(factors.begin(), to[i]);
  }
  if (all != from.back() || factors.size() < 2)
    return next;
  next.factors = factors;
  Op *turn = onlyUse(op->outputs[0]);
  const Attribute *order = turn && turn->type == "Transpose" ? turn->node->find("perm") : nullptr;
  next.headsFirst = order && to.size() == 4 && factors.size() == 2 && order->integers.size() == 4 &&
                    order->integers[0] == 0 && order->integers[1] == 2;
  if (order && order->integers.size() == to.size())
    next.order = order->integers;
  return next;
}

Layout Product::turned(int value, bool turns) const {
  Layout at = writer.layout(value);
  if (turns && at.isUnnamed())
    std::swap(at.ranks[at.ranks.size() - 1], at.ranks[at.ranks.size() - 2]);
  else if (turns)
    std::swap(at.dims[at.dims.size() - 1], at.dims[at.dims.size() - 2]);
  return at;
}

/// A call of the library, where operands and result have its form.
bool Product::named(const Following &next) {
  Layout a = turned(left, turnsLeft), b = turned(right, turnsRight);
  bool isWeight = b.isUnnamed() && b.dims.size() == 2;
  if (a.isUnnamed() || a.dims.size() < 2)
    return false;
  if (isWeight && next.headsFirst && a.dims.size() == 3 && writer.isPlain(a)) {
    Shape form = {b.ranks[0], next.factors[0], next.factors[1]};
    std::string call = fmt::format("({}, {}", a.name, writer.weight(right, form));
    int value = result;
    if (next.bias) {
      call += ", " + writer.weight(next.biasValue, next.factors);
      value = next.bias->outputs[0];
      next.bias->isGone = true;
    }
    writer.assign(value, "heads",
                  writer.library("heads", next.bias ? "split_heads_bias" : "split_heads") + call +
                      ")",
                  {a.ranks[0], next.factors[0], a.ranks[1], next.factors[1]}, {{0}, {2}, {1, 3}});
    return true;
  }
  if (!next.factors.empty())
    return false;
  if (isWeight && a.ranks.size() == 4 && a.dims == Groups{{0}, {2}, {1, 3}}) {
    std::string form = writer.weight(right, {a.ranks[1], a.ranks[3], b.ranks[1]});
    writer.assign(result, "merged",
                  fmt::format("{}({}, {})", writer.library("heads", "merge_heads"), a.name, form));
    return true;
  }
  if (!writer.isPlain(a))
    return false;
  if (isWeight) {
    writer.assign(result, "matmul",
                  fmt::format("{}({}, {})", writer.library("matmul", "matmul"), a.name,
                              writer.weight(right, b.ranks)));
    return true;
  }
  // A weight that others read, too, has a name.
  bool isNamedWeight = writer.net.values[right].isStored && b.dims.size() == 2;
  if ((isNamedWeight || (a.dims.size() == 2 && b.dims.size() == 2)) && !b.isUnnamed() &&
      writer.isPlain(b)) {
    writer.assign(result, "matmul",
                  fmt::format("{}({}, {})", writer.library("matmul", "matmul"), a.name, b.name));
    return true;
  }
  if (a.dims.size() == 3 && b.dims.size() == 3 && !b.isUnnamed() && writer.isPlain(b) &&
      a.ranks[0] == b.ranks[0]) {
    writer.assign(
        result, "matmul",
        fmt::format("{}({}, {})", writer.library("matmul", "batched_matmul"), a.name, b.name));
    return true;
  }
  return false;
}

std::vector<std::string> Product::indicesOf(const Layout &at,
                                            llvm::ArrayRef<std::string> letters) const {
  std::vector<std::string> list;
  for (size_t r = 0; r < at.ranks.size(); ++r)
    list.push_back(!letters[r].empty() ? letters[r] : std::to_string(at.fixed[r]));
  return list;
}

/// `RESULT[…] += LEFT[…] * RIGHT[…]`, with an index for each rank.
bool Product::equation(const Following &next) {
  writer.named(left); // stored tensors, too: the form that it has is what the other one takes
  // Operands that are vectors have their dimension as the inner one.
  Layout a = turned(left, turnsLeft), b = turned(right, turnsRight);
  bool isRow = a.dims.size() == 1, isColumn = b.dims.size() == 1;
  if (isRow)
    a.dims.insert(a.dims.begin(), Ranks());
  if (isColumn)
    b.dims.emplace_back();
  auto extents = [](const Layout &at, const Ranks &ranks) {
    Shape list;
    for (unsigned rank : ranks)
      list.push_back(at.ranks[rank]);
    return list;
  };
  size_t innerOfB = b.dims.size() - 2;
  if (b.isUnnamed() && !a.isUnnamed()) {
    // Weights take the form that the other operand has, and the one that is asked for behind.
    Shape form;
    Groups dims;
    for (size_t d = 0; d < b.dims.size(); ++d) {
      Shape part = d == innerOfB                           ? extents(a, a.dims.back())
                   : d > innerOfB && !next.factors.empty() ? next.factors
                                                           : extents(b, b.dims[d]);
      dims.emplace_back();
      for (Dim &extent : part) {
        dims.back().push_back(static_cast<unsigned>(form.size()));
        form.push_back(extent);
      }
    }
    b.ranks = form;
    b.dims = dims;
    b.fixed.assign(form.size(), 0);
    std::string name = writer.weight(right, form);
    if (name.back() == ']') { // no tensor that has a name
      b.name = writer.newWeight(name);
    } else {
      b.name = name;
    }
  } else if (extents(a, a.dims.back()) != extents(b, b.dims[innerOfB])) {
    writer.plain(left);
    writer.plain(right);
    writer.named(left);
    writer.named(right);
    a = turned(left, turnsLeft);
    b = turned(right, turnsRight);
    if (isRow)
      a.dims.insert(a.dims.begin(), Ranks());
    if (isColumn)
      b.dims.emplace_back();
  }
  if (b.isUnnamed())
    b.name = writer.named(right);
  std::vector<std::string> lettersA(a.ranks.size()), lettersB(b.ranks.size()), to;
  Shape ranks;
  Groups dims;
  size_t next_ = 0;
  auto outer = [&](const Layout &at, const Ranks &group, std::vector<std::string> &letters) {
    for (unsigned rank : group) {
      letters[rank] = indexName(next_++);
      to.push_back(letters[rank]);
      dims.back().push_back(static_cast<unsigned>(ranks.size()));
      ranks.push_back(at.ranks[rank]);
    }
  };
  size_t batch = std::max(a.dims.size(), b.dims.size()) - 2;
  for (size_t d = 0; d < batch; ++d) {
    dims.emplace_back();
    size_t skipA = batch + 2 - a.dims.size(), skipB = batch + 2 - b.dims.size();
    const Ranks none;
    const Ranks &ofA = d < skipA ? none : a.dims[d - skipA],
                &ofB = d < skipB ? none : b.dims[d - skipB];
    auto isOne = [](const Layout &at, const Ranks &group) {
      return llvm::all_of(group, [&](unsigned rank) { return at.ranks[rank].is(1); });
    };
    if (isOne(a, ofA) && isOne(b, ofB)) {
      to.emplace_back("0");
      dims.back().push_back(static_cast<unsigned>(ranks.size()));
      ranks.push_back(1);
      continue;
    }
    if (isOne(a, ofA)) {
      outer(b, ofB, lettersB);
      continue;
    }
    outer(a, ofA, lettersA);
    if (isOne(b, ofB))
      continue;
    if (extents(a, ofA) != extents(b, ofB))
      return false;
    for (size_t i = 0; i < ofA.size(); ++i)
      lettersB[ofB[i]] = lettersA[ofA[i]];
  }
  const Ranks &innerA = a.dims.back(), &innerB = b.dims[b.dims.size() - 2];
  if (!isRow) {
    dims.emplace_back();
    outer(a, a.dims[a.dims.size() - 2], lettersA);
  }
  if (!isColumn) {
    dims.emplace_back();
    outer(b, b.dims.back(), lettersB);
  }
  if (innerA.size() != innerB.size())
    return false;
  for (size_t i = 0; i < innerA.size(); ++i)
    lettersB[innerB[i]] = lettersA[innerA[i]] = indexName(next_++);
  if (to.empty())
    return false;
  std::string right_ =
      fmt::format("{}[{}] * {}[{}]", a.name, fmt::join(indicesOf(a, lettersA), ", "), b.name,
                  fmt::join(indicesOf(b, lettersB), ", "));
  turnRanks(next, to, ranks, dims);
  writer.equation(result, "matmul", to, "+=", right_, ranks, dims);
  return true;
}

/// Puts the ranks of a product in the order in which a transpose behind it has them.
void Product::turnRanks(const Following &next, std::vector<std::string> &to, Shape &ranks,
                        Groups &dims) const {
  // The dimensions behind the reshape: all but the last, and the factors of that.
  Groups parts = dims;
  if (parts.empty() || parts.back().size() != next.factors.size())
    return;
  Ranks factors = parts.back();
  parts.pop_back();
  for (unsigned rank : factors)
    parts.push_back({rank});
  Ranks order;
  for (int64_t dim : next.order) {
    if (dim < 0 || dim >= static_cast<int64_t>(parts.size()))
      return;
    llvm::append_range(order, parts[static_cast<size_t>(dim)]);
  }
  if (next.order.size() != parts.size() || order.size() != ranks.size())
    return;
  std::vector<unsigned> place(ranks.size(), UINT_MAX);
  std::vector<std::string> indices;
  Shape extents;
  for (unsigned rank : order) {
    if (place[rank] != UINT_MAX)
      return;
    place[rank] = static_cast<unsigned>(indices.size());
    indices.push_back(to[rank]);
    extents.push_back(ranks[rank]);
  }
  to = std::move(indices);
  ranks = std::move(extents);
  for (Ranks &group : dims)
    for (unsigned &rank : group)
      rank = place[rank];
}

bool Product::write() {
  if (writer.shapeOf(left).empty() || writer.shapeOf(right).empty())
    return false;
  Following next;
  bool isWeight = writer.layout(right).isUnnamed() && writer.shapeOf(right).size() == 2 &&
                  writer.net.values[right].uses <= 1;
  if (isWeight)
    next = following();
  if (named(next) || equation(next))
    return true;
  // Dimensions that stand in other ranks on both sides do not go together.
  for (int value : {left, right}) {
    writer.plain(value);
    writer.named(value);
  }
  return equation(next);
}

static bool matMul(Writer &writer, const Op &op) {
  return Product(writer, op.input(0), op.input(1), op.outputs[0]).write();
}

static bool gemm(Writer &writer, const Op &op) {
  Inference attributes = writer.attributes(op);
  int bias = op.input(2), result = op.outputs[0];
  Product product(writer, op.input(0), op.input(1), result);
  product.turnsLeft = attributes.integer("transA", 0) != 0;
  product.turnsRight = attributes.integer("transB", 0) != 0;
  if (!product.write())
    return false;
  if (bias < 0)
    return true;
  // The sum is what an addition behind the product would be.
  Op sum;
  sum.type = "Add";
  sum.node = op.node;
  sum.inputs = {result, bias};
  sum.outputs = {result};
  return writeElementwise(writer, sum);
}

static constexpr EmitterEntry productEmitterTable[] = {
    {"Gemm", gemm},
    {"MatMul", matMul},
};

llvm::ArrayRef<EmitterEntry> graph::productEmitters() { return productEmitterTable; }
