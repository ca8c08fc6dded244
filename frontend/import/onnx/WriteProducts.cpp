// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products: a call of the library where it has the form, else an equation over the ranks as they
// stand. Where a product is cut into heads by the reshape behind it, it is written in heads, so
// that nothing has to be moved.
#include "frontend/import/onnx/Writer.h"

using namespace perfc;
using namespace perfc::onnx;

using Ranks = llvm::SmallVector<unsigned, 2>;
using Groups = std::vector<Ranks>;

namespace {

/// What follows a product, as far as it is one line of uses.
struct Following {
  Op *bias = nullptr; ///< the addition of a stored vector
  int biasValue = -1;
  Shape factors;           ///< of the last dimension, in the reshape behind
  bool headsFirst = false; ///< a transpose brings the second dimension of four behind the third
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
  if (a.dims.size() == 2 && b.dims.size() == 2 && !b.isUnnamed() && writer.isPlain(b)) {
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
    if (llvm::StringRef(name).startswith("weight[")) {
      b.name = writer.newName("w");
      writer.line(b.name, " = " + name);
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
  if (a.isUnnamed())
    a.name = writer.named(left);
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
  writer.equation(result, "matmul", to, "+=", right_, ranks, dims);
  return true;
}

bool Product::write() {
  if (writer.shapeOf(left).empty() || writer.shapeOf(right).empty())
    return false;
  Following next;
  bool isWeight = writer.layout(right).isUnnamed() && writer.shapeOf(right).size() == 2 &&
                  writer.net.values[right].uses <= 1;
  if (isWeight)
    next = following();
  return named(next) || equation(next);
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

/// Extents of `value` with its last two dimensions exchanged, as a tensor of its own.
static std::string exchanged(Writer &writer, int value) {
  Layout at = writer.layout(value);
  if (at.isUnnamed())
    return "";
  std::swap(at.dims[2], at.dims[3]);
  if (writer.isPlain(at))
    return at.name;
  std::string x = writer.plain(value);
  const Shape &shape = writer.shapeOf(value);
  writer.net.values.emplace_back();
  int copy = static_cast<int>(writer.net.values.size()) - 1;
  writer.net.values[copy].shape = {shape[0], shape[1], shape[3], shape[2]};
  writer.grow();
  return writer.equation(copy, "keys", {"i", "j", "k", "l"}, "=", x + "[i, j, l, k]",
                         writer.net.values[copy].shape, {{0}, {1}, {2}, {3}});
}

/// Recognised attention: queries, keys as the product has them (features before positions), values
/// and, where there is one, a mask that is added to the scores.
static bool attention(Writer &writer, const Op &op) {
  int q = op.input(0), k = op.input(1), v = op.input(2), mask = op.input(3);
  const Shape &queries = writer.shapeOf(q), &keys = writer.shapeOf(k), &values = writer.shapeOf(v);
  std::string kt = exchanged(writer, k);
  if (kt.empty() || writer.layout(q).isUnnamed() || writer.layout(v).isUnnamed())
    return false;
  std::string operands = fmt::format("{}, {}, {}", writer.plain(q), kt, writer.plain(v));
  if (mask < 0 && queries[2] == keys[3] && queries[3] == values[3]) {
    writer.assign(op.outputs[0], "attention",
                  writer.library("attention", "attention") + "(" + operands + ")");
    return true;
  }
  std::string place, extents, score = "S[b, h, i, j]";
  if (mask >= 0) {
    static constexpr llvm::StringLiteral letters[] = {"b", "h", "i", "j"};
    const Shape &shape = writer.shapeOf(mask);
    for (size_t d = 0; d < shape.size(); ++d) {
      extents += fmt::format("{}A{}", d ? ", " : "", d);
      place += (d ? ", " : "") + (shape[d].is(1) ? "0" : letters[4 - shape.size() + d].str());
    }
    extents = ", mask[" + extents + "]";
    operands += ", " + writer.plain(mask);
    score = "W[b, h, i, j]";
  }
  std::string masked = mask < 0 ? "" : "  W[b, h, i, j] = S[b, h, i, j] + mask[" + place + "]\n";
  std::string name = writer.privateOp(
      "attention",
      fmt::format("op NAME(Q[B, H, T, D], K[B, H, S_, D], V[B, H, S_, E]{}) -> O[B, H, T, E] {{\n"
                  "  S[b, h, i, j] += Q[b, h, i, d] * K[b, h, j, d]\n{}"
                  "  m[b, h, i]    max= {}\n"
                  "  P[b, h, i, j] = exp({} - m[b, h, i])\n"
                  "  z[b, h, i]    += P[b, h, i, j]\n"
                  "  U[b, h, i, e] += P[b, h, i, j] * V[b, h, j, e]\n"
                  "  O[b, h, i, e] = U[b, h, i, e] / z[b, h, i]\n}}\n",
                  extents, masked, score, score));
  writer.assign(op.outputs[0], "attention", name + "(" + operands + ")");
  return true;
}

static constexpr EmitterEntry productEmitterTable[] = {
    {"Gemm", gemm},
    {"MatMul", matMul},
    {"MatMulInteger", matMul},
    {"ScaledAttention", attention},
};

llvm::ArrayRef<EmitterEntry> onnx::productEmitters() { return productEmitterTable; }
